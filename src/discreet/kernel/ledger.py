"""The privacy-budget ledger: what was spent, on disk, before any noise is drawn.

One file holds, for every named dataset, a cap on epsilon, the delta at which it holds, and a list of charges that only grows;
``ledger_file`` says how, and ``total`` what charges of different kinds add up to.
The ledger protects from mistakes, races and crashes, not from its owner: whoever may write the file may replace it.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import NamedTuple, TypeAlias, final

from discreet.errors import BudgetError, LedgerError, of_kind
from discreet.guarantee import ZCDP, ApproxDP, BudgetLike, Guarantee, PureDP, Receipt, balance, decimal, exact, short
from discreet.kernel import ledger_file
from discreet.kernel.ledger_file import Account, Charge
from discreet.kernel.total import Total

__all__ = ["Account", "Charge", "Ledger", "Receipt"]

_PathLike: TypeAlias = str | os.PathLike[str]


@final
class Ledger:
    """The budget of one dataset: at most ``cap`` of epsilon, at ``delta``; without a delta, of pure epsilon.

    The cap is needed once, when the dataset is first named; cap and delta are fixed from then on. Charges that are not pure
    need a ledger with a delta.
    """

    __slots__ = ("_cap", "_charges", "_dataset", "_delta", "_lock", "_path")
    _path: Path | None  # None: unlimited, and only then are the next two set
    _charges: list[Charge]
    _lock: threading.Lock
    _dataset: str
    _cap: Fraction | None
    _delta: Fraction | None

    def __init__(
        self,
        path: _PathLike,
        cap: BudgetLike | None = None,
        *,
        delta: BudgetLike | None = None,
        dataset: str = "default",
    ) -> None:
        self._path = _file(path)
        self._dataset = _label(dataset, "dataset")
        wanted = None if cap is None else exact(cap, name="cap")
        at = None if delta is None else exact(delta, name="delta")
        if at is not None and at >= 1:
            raise BudgetError("delta must be below 1; it should be far below 1 / rows, such as 1e-6.")
        if wanted is not None and not os.path.lexists(self._path):
            ledger_file.create(self._path)
        account = _opened(self._path, self._dataset, wanted, at)
        self._cap, self._delta = account.cap, account.delta

    @classmethod
    def unlimited(cls) -> Ledger:
        """Keep charges in memory, without a cap: for experiments on public data, where there is nobody to protect."""
        ledger = cls.__new__(cls)
        ledger._path, ledger._charges, ledger._lock = None, [], threading.Lock()
        ledger._dataset, ledger._cap, ledger._delta = "unlimited", None, None
        return ledger

    @staticmethod
    def datasets(path: _PathLike) -> list[Account]:
        """Read every dataset of a ledger file, in order of name, without creating or changing anything."""
        file = _file(path)
        with ledger_file.transaction(file, write=False) as connection:
            return [ledger_file.account(connection, file, name) for name in ledger_file.names(connection, file)]

    def charge(self, guarantee: Guarantee, purpose: str) -> Receipt:
        """Spend budget durably, or refuse and spend nothing.

        Claim:      a receipt is returned only after its charge is committed to disk, and the total of the committed charges of
                    a dataset (``Total.spent``) is at most its cap: what they paid for is cap-differentially private together,
                    or (cap, delta)-private where the ledger has a delta.
        Requires:   a disk on which SQLite's locks and syncs work, and a file that nobody edits or replaces (its owner);
                    no noise drawn before the receipt is held (the caller); for mixtures of kinds, sizes of charges that do
                    not depend on earlier results (``Total.spent`` says why).
        Checked by: tests/property/test_ledger.py::test_random_charges_equal_a_model_in_exact_fractions
                    tests/property/test_ledger.py::test_random_charges_of_all_kinds_equal_a_model
                    tests/e2e/test_ledger_crashes.py::test_processes_racing_for_the_last_budget_never_overspend
                    tests/e2e/test_ledger_crashes.py::test_every_acknowledged_charge_survives_kills_at_random_moments
                    tests/e2e/test_ledger_crashes.py::test_a_kill_at_any_statement_leaves_whole_charges_only
        """
        if self._path is None:
            with self._lock:
                charge = _next(_Limits(self._dataset, None, None), self._charges, guarantee, purpose)
                self._charges.append(charge)
        else:
            with ledger_file.transaction(self._path, write=True) as connection:
                account = ledger_file.account(connection, self._path, self._dataset)
                limits = _Limits(account.dataset, account.cap, account.delta)
                charge = _next(limits, account.charges, guarantee, purpose)
                ledger_file.append(connection, self._dataset, charge)
        return Receipt(self._dataset, charge.number, guarantee, charge.spent, self._cap, self._delta, charge.at)

    def check(self, guarantee: Guarantee) -> None:
        """Refuse now what ``charge`` would refuse, so that nobody waits for a count that cannot be paid. Reserves nothing."""
        _next(_Limits(self._dataset, self._cap, self._delta), self.history(), guarantee, "check")

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
    def delta(self) -> Fraction | None:
        """The delta at which the cap holds; None where it is a cap on pure epsilon, and when unlimited."""
        return self._delta

    @property
    def spent(self) -> Fraction | None:
        """The epsilon of all charges so far, at the ledger's delta; None only for charges that are not pure when unlimited."""
        charges = self.history()
        return charges[-1].spent if charges else Fraction(0)

    @property
    def remaining(self) -> Fraction | None:
        """How far the cap is away; None when unlimited."""
        return None if self._cap is None else self._cap - (self.spent or 0)

    def __repr__(self) -> str:
        try:
            left = balance(self.spent, self._cap, self._delta)
        except LedgerError:  # a prompt shows what it can
            left = "its file cannot be read"
        return f"Ledger of data set {self._dataset!r}: {left}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


class _Limits(NamedTuple):
    dataset: str
    cap: Fraction | None
    delta: Fraction | None


def _next(limits: _Limits, charges: Sequence[Charge], guarantee: Guarantee, purpose: str) -> Charge:
    """Return the charge that follows, or refuse it: the only place where a cap is compared."""
    _check_exact(guarantee)
    if limits.cap is not None and limits.delta is None and type(guarantee) is not PureDP:
        raise BudgetError(
            f"Dataset {limits.dataset!r} has a cap on pure epsilon, and this release costs {guarantee}. Nothing was charged."
            ' Use a mechanism with pure differential privacy, or a ledger made with a delta, such as Ledger(path, cap="1",'
            ' delta="1e-6"): a delta cannot be added later, and a second ledger for the same data spends a second budget.'
        )
    total = Total.of(charge.guarantee for charge in charges).plus(guarantee)
    if not total.is_short:
        raise BudgetError('The budgets charged would add up to a fraction of over 900 digits. Use short ones, such as "0.1".')
    before = (charges[-1].spent if charges else None) or Fraction(0)
    spent = total.spent(limits.delta)
    if limits.cap is not None:
        if spent is None or spent > limits.cap:
            raise BudgetError(_refusal(limits, limits.cap, before, guarantee, total))
        spent = max(before, spent)  # roundings differ; a total never shrinks
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Charge(len(charges) + 1, guarantee, _label(purpose, "purpose"), spent, now)


def _check_exact(guarantee: Guarantee) -> None:
    """The types are checked exactly: a negative or rounded budget would give budget back."""
    names = {PureDP: ("epsilon",), ZCDP: ("rho",), ApproxDP: ("epsilon", "delta")}.get(type(guarantee), ())
    amounts = [getattr(guarantee, name) for name in names]
    sound = amounts and all(type(amount) is Fraction and amount > 0 for amount in amounts)
    if not sound or (type(guarantee) is ApproxDP and guarantee.delta >= 1):
        raise BudgetError(
            'Only a guarantee with exact, positive budgets can be charged, such as PureDP(exact("0.5")), ZCDP(exact("0.1")) or'
            ' ApproxDP(exact("0.5"), exact("1e-6")).'
        )


def _refusal(limits: _Limits, cap: Fraction, before: Fraction, guarantee: Guarantee, total: Total) -> str:
    """Say what is left and what can be done."""
    left = max(cap - before, Fraction(0))
    free = "what was released before can be queried at no cost."
    if limits.delta is None:
        advice = f"Ask for at most {decimal(left)}" if left else "This dataset allows no further release"
        return (
            f"Dataset {limits.dataset!r} has a cap of {decimal(cap)}: {decimal(before)} is spent, {decimal(left)} remains,"
            f" {short(guarantee)} was asked for. Nothing was charged. {advice}; {free}"
        )
    spent = total.spent(limits.delta)
    would = "no delta would be left" if spent is None else f"epsilon would become {decimal(spent)}"
    return (
        f"Dataset {limits.dataset!r} has a cap of {decimal(cap)} at delta {decimal(limits.delta)}: {decimal(before)} is spent,"
        f" {decimal(left)} remains; with {guarantee}, {would}. Nothing was charged. Ask for less; {free}"
    )


def _opened(path: Path, dataset: str, cap: Fraction | None, delta: Fraction | None) -> Account:
    """Return the dataset's account, after naming the dataset where it is new and a cap was given."""
    with ledger_file.transaction(path, write=False) as connection:
        new = dataset not in ledger_file.names(connection, path)
    if new and cap is not None:
        with ledger_file.transaction(path, write=True) as connection:
            if dataset not in ledger_file.names(connection, path):  # nobody else named it in the meantime
                ledger_file.declare(connection, dataset, cap, delta)
    with ledger_file.transaction(path, write=False) as connection:
        account = ledger_file.account(connection, path, dataset)
    for name, wanted, fixed in (("cap", cap, account.cap), ("delta", delta, account.delta)):
        if wanted is not None and wanted != fixed:
            has = f"a {name} of {decimal(fixed)}" if fixed is not None else f"no {name}"
            raise LedgerError(
                f"Dataset {dataset!r} has {has}, not {decimal(wanted)}: cap and delta are fixed when the dataset is first"
                f" named. Leave the {name} out to use the ledger as it is."
            )
    return account


def _file(path: _PathLike) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise LedgerError(f'A ledger is a file: write Ledger("clinic.ledger", cap="1"). {of_kind(path)} is no path.')
    return Path(path).absolute()


def _label(text: str, what: str) -> str:
    # Accents can be written in two ways that look the same; one dataset must not get two budgets.
    label = unicodedata.normalize("NFC", text) if isinstance(text, str) else text
    if not ledger_file.is_label(label):
        raise LedgerError(
            f"A {what} is 1 to 200 printable characters on one line, without spaces around them. Change the {what}."
        )
    return label
