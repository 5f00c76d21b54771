"""The privacy-budget ledger: what was spent, on disk, before any noise is drawn.

One file holds, for every named dataset, a cap on epsilon and a list of charges that only grows; ``ledger_file`` says how.
The ledger protects from mistakes, races and crashes, not from its owner: whoever may write the file may replace it.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias, final

from discreet.errors import BudgetError, LedgerError
from discreet.guarantee import BudgetLike, Guarantee, PureDP, Receipt, decimal, exact
from discreet.kernel import ledger_file
from discreet.kernel.ledger_file import Account, Charge

__all__ = ["Account", "Charge", "Ledger", "Receipt"]

_PathLike: TypeAlias = str | os.PathLike[str]


@final
class Ledger:
    """The budget of one dataset. The cap is needed once, when the dataset is first named, and is fixed from then on."""

    __slots__ = ("_cap", "_charges", "_dataset", "_lock", "_path")
    _path: Path | None  # None: unlimited, and only then are the next two set
    _charges: list[Charge]
    _lock: threading.Lock
    _dataset: str
    _cap: Fraction | None

    def __init__(self, path: _PathLike, cap: BudgetLike | None = None, dataset: str = "default") -> None:
        self._path = Path(path).absolute()
        self._dataset = _label(dataset, "dataset")
        wanted = None if cap is None else exact(cap, name="cap")
        if wanted is not None and not os.path.lexists(self._path):
            ledger_file.create(self._path)
        self._cap = _opened(self._path, self._dataset, wanted)

    @classmethod
    def unlimited(cls) -> Ledger:
        """Keep charges in memory, without a cap: for experiments on public data, where there is nobody to protect."""
        ledger = cls.__new__(cls)
        ledger._path, ledger._charges, ledger._lock = None, [], threading.Lock()
        ledger._dataset, ledger._cap = "unlimited", None
        return ledger

    @staticmethod
    def datasets(path: _PathLike) -> list[Account]:
        """Read every dataset of a ledger file, in order of name, without creating or changing anything."""
        file = Path(path).absolute()
        with ledger_file.transaction(file, write=False) as connection:
            return [ledger_file.account(connection, file, name) for name in ledger_file.names(connection, file)]

    def charge(self, guarantee: Guarantee, purpose: str) -> Receipt:
        """Spend budget durably, or refuse and spend nothing.

        Claim:      a receipt is returned only after its charge is committed to disk, and the committed charges of a dataset
                    add up, exactly, to at most its cap: what they paid for is cap-differentially private together.
        Requires:   a disk on which SQLite's locks and syncs work, and a file that nobody edits or replaces (its owner);
                    no noise drawn before the receipt is held (the caller).
        Checked by: tests/property/test_ledger.py::test_random_charges_equal_a_model_in_exact_fractions
                    tests/e2e/test_ledger_crashes.py::test_processes_racing_for_the_last_budget_never_overspend
                    tests/e2e/test_ledger_crashes.py::test_every_acknowledged_charge_survives_kills_at_random_moments
                    tests/e2e/test_ledger_crashes.py::test_a_kill_at_any_statement_leaves_whole_charges_only
        """
        if self._path is None:
            with self._lock:
                charge = _next(self._dataset, None, self._charges, guarantee, purpose)
                self._charges.append(charge)
        else:
            with ledger_file.transaction(self._path, write=True) as connection:
                account = ledger_file.account(connection, self._path, self._dataset)
                charge = _next(self._dataset, account.cap, account.charges, guarantee, purpose)
                ledger_file.append(connection, self._dataset, charge)
        return Receipt(self._dataset, charge.number, guarantee, charge.spent, self._cap, charge.at)

    def check(self, guarantee: Guarantee) -> None:
        """Refuse now what ``charge`` would refuse, so that nobody waits for a count that cannot be paid. Reserves nothing."""
        _next(self._dataset, self._cap, self.history(), guarantee, "check")

    def history(self) -> list[Charge]:
        """Return every charge so far, oldest first, whoever made it."""
        if self._path is None:
            with self._lock:
                return list(self._charges)
        with ledger_file.transaction(self._path, write=False) as connection:
            return list(ledger_file.account(connection, self._path, self._dataset).charges)

    @property
    def dataset(self) -> str:
        """The name of the dataset whose budget this is."""
        return self._dataset

    @property
    def cap(self) -> Fraction | None:
        """The most that may ever be spent; None when unlimited."""
        return self._cap

    @property
    def spent(self) -> Fraction:
        """The exact sum of all charges so far."""
        charges = self.history()
        return charges[-1].spent if charges else Fraction(0)

    @property
    def remaining(self) -> Fraction | None:
        """What may still be charged; None when unlimited."""
        return None if self._cap is None else self._cap - self.spent

    def __repr__(self) -> str:
        return f"Ledger(dataset={self._dataset!r}, cap={'unlimited' if self._cap is None else decimal(self._cap)})"


def _next(dataset: str, cap: Fraction | None, charges: Sequence[Charge], guarantee: Guarantee, purpose: str) -> Charge:
    """Return the charge that follows, or refuse it: the only place where a cap is compared."""
    # The types are checked exactly: a negative or rounded epsilon would give budget back.
    if type(guarantee) is not PureDP or type(guarantee.epsilon) is not Fraction or guarantee.epsilon <= 0:
        raise BudgetError('Only a PureDP with an exact, positive epsilon can be charged, such as PureDP(exact("0.5")).')
    before = charges[-1].spent if charges else Fraction(0)
    spent = before + guarantee.epsilon
    if not (ledger_file.is_short(guarantee.epsilon) and ledger_file.is_short(spent)):
        raise BudgetError('The epsilons charged would add up to a fraction of over 900 digits. Use short ones, such as "0.1".')
    if cap is not None and spent > cap:
        left = max(cap - before, Fraction(0))
        advice = f"Ask for at most {decimal(left)}" if left else "This dataset allows no further release"
        raise BudgetError(
            f"Dataset {dataset!r} has a cap of {decimal(cap)}: {decimal(before)} is spent, {decimal(left)} remains,"
            f" {decimal(guarantee.epsilon)} was asked for. Nothing was charged. {advice}; what was released before can"
            " be queried at no cost."
        )
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Charge(len(charges) + 1, guarantee, _label(purpose, "purpose"), spent, now)


def _opened(path: Path, dataset: str, wanted: Fraction | None) -> Fraction:
    """Return the dataset's cap, after naming the dataset where it is new and a cap was given."""
    with ledger_file.transaction(path, write=False) as connection:
        new = dataset not in ledger_file.names(connection, path)
    if new and wanted is not None:
        with ledger_file.transaction(path, write=True) as connection:
            if dataset not in ledger_file.names(connection, path):  # nobody else named it in the meantime
                ledger_file.declare(connection, dataset, wanted)
    with ledger_file.transaction(path, write=False) as connection:
        cap = ledger_file.account(connection, path, dataset).cap
    if wanted is not None and wanted != cap:
        raise LedgerError(
            f"Dataset {dataset!r} has a cap of {decimal(cap)}, not {decimal(wanted)}: a cap is fixed when the dataset is first"
            " named. Leave the cap out to use the ledger as it is."
        )
    return cap


def _label(text: str, what: str) -> str:
    # Accents can be written in two ways that look the same; one dataset must not get two budgets.
    label = unicodedata.normalize("NFC", text) if isinstance(text, str) else text
    if not ledger_file.is_label(label):
        raise LedgerError(
            f"A {what} is 1 to 200 printable characters on one line, without spaces around them. Change the {what}."
        )
    return label
