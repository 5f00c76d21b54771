"""The privacy-budget ledger: what was spent, on disk, before any noise is drawn.

One file holds, for every named dataset, a cap on epsilon, the delta at which it holds, and a list of charges that only grows;
``ledger_file`` says how and what of it is checked when, and ``ledger_entries`` what charges of different kinds add up to.
The ledger protects from mistakes, races and crashes, not from its owner: whoever may write the file may replace it.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TypeAlias, final

from discreet.errors import BudgetError, LedgerError, of_kind
from discreet.guarantee import BudgetLike, Guarantee, PureDP, Receipt, balance, decimal, exact
from discreet.kernel import ledger_entries, ledger_file, ledger_rows
from discreet.kernel.ledger_entries import LONGEST, Account, Charge, Standing, Terms
from discreet.unit import RECORD, Unit

__all__ = ["Account", "Charge", "Ledger", "Receipt"]

_PathLike: TypeAlias = str | os.PathLike[str]


@final
class Ledger:
    """The budget of one dataset: at most ``cap`` of epsilon, at ``delta``; without a delta, of pure epsilon.

    The cap is needed once, when the dataset is first named; cap and delta are fixed from then on. Charges that are not pure
    need a ledger with a delta.
    """

    __slots__ = ("_charges", "_lock", "_path", "_seen", "_terms", "_unit")
    _path: Path | None  # None: unlimited, and only then is the next one set
    _charges: list[Charge]
    _lock: threading.Lock
    _terms: Terms
    _seen: list[Standing]  # what was last seen of the file: it is there for good. One item, shared by ledgers of all units
    _unit: Unit

    def __init__(
        self,
        path: _PathLike,
        cap: BudgetLike | None = None,
        *,
        delta: BudgetLike | None = None,
        dataset: str = "default",
    ) -> None:
        self._path = _file(path)
        name = _label(dataset, "dataset")
        wanted, at = _limit(cap, "cap"), _limit(delta, "delta")
        if at is not None and at >= 1:
            raise BudgetError("delta must be below 1; it should be far below 1 / rows, such as 1e-6.")
        if wanted is not None and not os.path.lexists(self._path):
            ledger_file.create(self._path)
        self._lock, self._unit = threading.Lock(), RECORD
        self._terms, standing = _opened(self._path, Terms(name, wanted, at))
        self._seen = [standing]

    def __getstate__(self) -> tuple[Path, Terms, Standing, Unit]:
        """What another process needs to charge the same file."""
        if self._path is None:
            raise TypeError("An unlimited ledger is in the memory of its process and cannot be sent to another.")
        return self._path, self._terms, self._seen[0], self._unit

    def __setstate__(self, state: tuple[Path, Terms, Standing, Unit]) -> None:
        self._path, self._terms, standing, self._unit = state
        self._lock, self._seen = threading.Lock(), [standing]

    @classmethod
    def unlimited(cls) -> Ledger:
        """Keep charges in memory, without a cap: for experiments on public data, where there is nobody to protect."""
        ledger = cls.__new__(cls)
        ledger._path, ledger._charges, ledger._lock = None, [], threading.Lock()
        ledger._terms, ledger._unit = Terms("unlimited", None, None), RECORD
        ledger._seen = [ledger_entries.begin(ledger._terms)]
        return ledger

    def for_unit(self, unit: Unit) -> Ledger:
        """The same budget, for releases that protect this unit: a charge is what such a release costs one unit.

        Claim:      charges of both go to one list under one cap. A guarantee for one contribution is charged for the unit's
                    whole group, in exact fractions, and the purpose names the unit.
        Requires:   nothing.
        Checked by: tests/unit/kernel/test_ledger_units.py::test_a_group_of_records_is_charged_exactly
                    tests/unit/kernel/test_ledger_units.py::test_ledgers_of_all_units_share_one_budget
        """
        if type(unit) is not Unit:
            raise TypeError("A ledger is for a Unit; something else might charge less.")
        ledger = Ledger.__new__(Ledger)
        ledger._path, ledger._terms, ledger._lock, ledger._seen = self._path, self._terms, self._lock, self._seen
        ledger._unit = unit
        if self._path is None:
            ledger._charges = self._charges
        return ledger

    @staticmethod
    def datasets(path: _PathLike) -> list[Account]:
        """Read and verify all of a ledger file, by datasets in order of name, without creating or changing anything."""
        file = _file(path)
        with ledger_file.transaction(file, write=False, whole=True) as connection:
            ledger_rows.check_all_named(connection, file)
            return [ledger_rows.account(connection, file, name) for name in ledger_rows.names(connection, file)]

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
        cost, named = self._unit.protect(guarantee), self._name(purpose)
        if self._path is None:
            with self._lock:
                charge = _next(self._terms, self._seen[0], cost, named)
                self._seen[0] = ledger_entries.follow(self._terms, self._seen[0], charge)
                self._charges.append(charge)
        else:
            seen = self._seen[0]  # before the transaction: what another thread commits in the meantime may not be in it
            with ledger_file.transaction(self._path, write=True) as connection:
                terms = ledger_rows.terms(connection, self._path, self.dataset)
                before = ledger_rows.standing(connection, self._path, terms, seen)
                charge = _next(terms, before, cost, named)
                after = ledger_rows.append(connection, self._path, terms, before, charge)
            self._remember(after)
        return self._receipt(charge)

    def check(self, guarantee: Guarantee) -> Receipt:
        """Refuse now what ``charge`` would refuse, so that nobody waits for a count that cannot be paid. Reserves nothing.

        What is returned is what a charge at this moment would get: no proof of payment, but as long as one.
        """
        return self._receipt(_next(self._terms, self._look(), self._unit.protect(guarantee), "check"))

    def _name(self, purpose: str) -> str:
        """The purpose, and whom it protects where that is not one record."""
        return purpose if self._unit == RECORD else f"{purpose}; protects {self._unit}"

    def _receipt(self, charge: Charge) -> Receipt:
        return Receipt(self.dataset, charge.number, charge.guarantee, charge.spent, self.cap, self.delta, charge.at)

    def history(self) -> list[Charge]:
        """Return every charge so far, oldest first, whoever made it; of a file, after verifying all of them."""
        if self._path is None:
            with self._lock:
                return list(self._charges)
        with ledger_file.transaction(self._path, write=False, whole=True) as connection:
            return list(ledger_rows.account(connection, self._path, self.dataset).charges)

    def _look(self) -> Standing:
        """Where the dataset stands now."""
        seen = self._seen[0]
        if self._path is None:
            return seen
        with ledger_file.transaction(self._path, write=False) as connection:
            terms = ledger_rows.terms(connection, self._path, self.dataset)
            now = ledger_rows.standing(connection, self._path, terms, seen)
        self._remember(now)
        return now

    def _remember(self, now: Standing) -> None:
        """Keep the latest that was seen: another thread may have seen more in the meantime."""
        with self._lock:
            if now.number > self._seen[0].number:
                self._seen[0] = now

    @property
    def path(self) -> Path | None:
        """Where the ledger is; None when unlimited, as it is in memory then."""
        return self._path

    @property
    def unit(self) -> Unit:
        """Whom the charges of this ledger protect."""
        return self._unit

    @property
    def dataset(self) -> str:
        """The name of the dataset whose budget this is."""
        return self._terms.dataset

    @property
    def cap(self) -> Fraction | None:
        """The most that may ever be spent; None when unlimited."""
        return self._terms.cap

    @property
    def delta(self) -> Fraction | None:
        """The delta at which the cap holds; None where it is a cap on pure epsilon, and when unlimited."""
        return self._terms.delta

    @property
    def spent(self) -> Fraction | None:
        """The epsilon of all charges so far, at the ledger's delta; None only for charges that are not pure when unlimited."""
        return ledger_entries.known_spent(self._terms, self._look())

    @property
    def remaining(self) -> Fraction | None:
        """How far the cap is away; None when unlimited."""
        return None if self.cap is None else self.cap - (self.spent or 0)

    def __repr__(self) -> str:
        try:
            left = balance(self.spent, self.cap, self.delta)
        except LedgerError:  # a prompt shows what it can
            left = "its file cannot be read"
        return f"Ledger of data set {self.dataset!r}: {left}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def _next(limits: Terms, before: Standing, guarantee: Guarantee, purpose: str) -> Charge:
    """Return the charge that follows, or refuse it: the only place where a cap is compared."""
    ledger_entries.check_exact(guarantee)
    if limits.cap is not None and limits.delta is None and type(guarantee) is not PureDP:
        raise BudgetError(
            f"Dataset {limits.dataset!r} has a cap on pure epsilon, and this release costs {guarantee}. Nothing was charged."
            ' Use a mechanism with pure differential privacy, or a ledger made with a delta, such as Ledger(path, cap="1",'
            ' delta="1e-6"): a delta cannot be added later, and a second ledger for the same data spends a second budget.'
        )
    total = before.total.plus(guarantee)
    if not total.is_short:
        raise BudgetError('The budgets charged would add up to a fraction of over 900 digits. Use short ones, such as "0.1".')
    spent = total.spent(limits.delta)
    if limits.cap is not None:
        so_far = ledger_entries.known_spent(limits, before) or Fraction(0)
        if spent is None or spent > limits.cap:
            raise BudgetError(ledger_entries.refusal(limits, limits.cap, so_far, guarantee, total))
        spent = max(so_far, spent)  # roundings differ; a total never shrinks
    # Not strftime, which writes years before 1000 with fewer than four digits on some systems.
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
    return Charge(before.number + 1, guarantee, _label(purpose, "purpose"), spent, now)


def _opened(path: Path, wanted: Terms) -> tuple[Terms, Standing]:
    """Return the dataset's terms and where it stands, after naming the dataset where it is new and a cap was given."""
    with ledger_file.transaction(path, write=False) as connection:
        new = ledger_rows.find_terms(connection, path, wanted.dataset) is None
        if not (new and wanted.cap is not None):
            fixed = ledger_rows.terms(connection, path, wanted.dataset)
            found = ledger_rows.standing(connection, path, fixed)
    if new and wanted.cap is not None:
        with ledger_file.transaction(path, write=True) as connection:
            if ledger_rows.find_terms(connection, path, wanted.dataset) is None:  # nobody else named it in the meantime
                ledger_rows.declare(connection, wanted)
            fixed = ledger_rows.terms(connection, path, wanted.dataset)
            found = ledger_rows.standing(connection, path, fixed)
    _check_same(wanted, fixed)
    return fixed, found


def _check_same(wanted: Terms, fixed: Terms) -> None:
    """Refuse a cap or delta that differs from what was fixed before."""
    for name, new, old in (("cap", wanted.cap, fixed.cap), ("delta", wanted.delta, fixed.delta)):
        if new is not None and new != old:
            has = f"a {name} of {decimal(old)}" if old is not None else f"no {name}"
            raise LedgerError(
                f"Dataset {fixed.dataset!r} has {has}, not {decimal(new)}: cap and delta are fixed when the dataset is first"
                f" named. Leave the {name} out to use the ledger as it is."
            )


def _limit(amount: BudgetLike | None, name: str) -> Fraction | None:
    """A cap or delta, short enough to be read again."""
    limit = None if amount is None else exact(amount, name=name)
    if limit is not None and max(limit.numerator, limit.denominator).bit_length() > LONGEST:
        raise BudgetError(f'A {name} of over 900 digits cannot be kept. Use a short one, such as "0.1".')
    return limit


def _file(path: _PathLike) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise LedgerError(f'A ledger is a file: write Ledger("clinic.ledger", cap="1"). {of_kind(path)} is no path.')
    return Path(path).absolute()


def _label(text: str, what: str) -> str:
    # Accents can be written in two ways that look the same; one dataset must not get two budgets.
    label = unicodedata.normalize("NFC", text) if isinstance(text, str) else text
    if not ledger_entries.is_label(label):
        raise LedgerError(
            f"A {what} is 1 to 200 printable characters on one line, without spaces around them. Change the {what}."
        )
    return label
