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
from discreet.guarantee import ZCDP, ApproxDP, BudgetLike, Guarantee, PureDP, Receipt, balance, decimal, exact, short
from discreet.kernel import ledger_entries, ledger_file, ledger_rows
from discreet.kernel.ledger_entries import LONGEST, Account, Charge, Standing, Terms, Total

__all__ = ["Account", "Charge", "Ledger", "Receipt"]

_PathLike: TypeAlias = str | os.PathLike[str]


@final
class Ledger:
    """The budget of one dataset: at most ``cap`` of epsilon, at ``delta``; without a delta, of pure epsilon.

    The cap is needed once, when the dataset is first named; cap and delta are fixed from then on. Charges that are not pure
    need a ledger with a delta.
    """

    __slots__ = ("_charges", "_lock", "_path", "_standing", "_terms")
    _path: Path | None  # None: unlimited, and only then is the next one set
    _charges: list[Charge]
    _lock: threading.Lock
    _terms: Terms
    _standing: Standing  # what was last seen of the file: it is there for good

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
        self._lock = threading.Lock()
        self._terms, self._standing = _opened(self._path, Terms(name, wanted, at))

    def __getstate__(self) -> tuple[Path, Terms, Standing]:
        """What another process needs to charge the same file."""
        if self._path is None:
            raise TypeError("An unlimited ledger is in the memory of its process and cannot be sent to another.")
        return self._path, self._terms, self._standing

    def __setstate__(self, state: tuple[Path, Terms, Standing]) -> None:
        self._path, self._terms, self._standing = state
        self._lock = threading.Lock()

    @classmethod
    def unlimited(cls) -> Ledger:
        """Keep charges in memory, without a cap: for experiments on public data, where there is nobody to protect."""
        ledger = cls.__new__(cls)
        ledger._path, ledger._charges, ledger._lock = None, [], threading.Lock()
        ledger._terms = Terms("unlimited", None, None)
        ledger._standing = ledger_entries.begin(ledger._terms)
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
        if self._path is None:
            with self._lock:
                charge = _next(self._terms, self._standing, guarantee, purpose)
                self._standing = ledger_entries.follow(self._terms, self._standing, charge)
                self._charges.append(charge)
        else:
            seen = self._standing  # before the transaction: what another thread commits in the meantime may not be in it
            with ledger_file.transaction(self._path, write=True) as connection:
                terms = ledger_rows.terms(connection, self._path, self.dataset)
                before = ledger_rows.standing(connection, self._path, terms, seen)
                charge = _next(terms, before, guarantee, purpose)
                after = ledger_rows.append(connection, self._path, terms, before, charge)
            self._remember(after)
        return self._receipt(charge)

    def check(self, guarantee: Guarantee) -> Receipt:
        """Refuse now what ``charge`` would refuse, so that nobody waits for a count that cannot be paid. Reserves nothing.

        What is returned is what a charge at this moment would get: no proof of payment, but as long as one.
        """
        return self._receipt(_next(self._terms, self._look(), guarantee, "check"))

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
        seen = self._standing
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
            if now.number > self._standing.number:
                self._standing = now

    @property
    def path(self) -> Path | None:
        """Where the ledger is; None when unlimited, as it is in memory then."""
        return self._path

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
    _check_exact(guarantee)
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
            raise BudgetError(_refusal(limits, limits.cap, so_far, guarantee, total))
        spent = max(so_far, spent)  # roundings differ; a total never shrinks
    # Not strftime, which writes years before 1000 with fewer than four digits on some systems.
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
    return Charge(before.number + 1, guarantee, _label(purpose, "purpose"), spent, now)


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


def _refusal(limits: Terms, cap: Fraction, before: Fraction, guarantee: Guarantee, total: Total) -> str:
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
