from __future__ import annotations

import functools
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.conversion import epsilon_of_rho
from discreet.errors import BudgetError, LedgerError
from discreet.guarantee import ZCDP, ApproxDP, PureDP
from discreet.kernel.ledger import Ledger

CAPS = {"clinic": Fraction(1), "survey": Fraction(7, 3), "caf\u00e9": Fraction(1, 10**20)}
BUDGETS = st.one_of(
    st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 10**20), Fraction(1)]),
    st.fractions(min_value=0, max_value=2, max_denominator=10**12).filter(bool),
)
CHARGES = st.lists(st.tuples(st.sampled_from(sorted(CAPS)), BUDGETS, st.booleans()), max_size=20)


@given(CHARGES)
@settings(max_examples=25, deadline=None)
def test_random_charges_equal_a_model_in_exact_fractions(charges):
    model: dict[str, list[Fraction]] = {name: [] for name in CAPS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger")
        ledgers = {name: Ledger(path, cap=cap, dataset=name) for name, cap in CAPS.items()}
        for dataset, epsilon, open_again in charges:
            ledger = Ledger(path, dataset=dataset) if open_again else ledgers[dataset]
            if sum(model[dataset]) + epsilon <= CAPS[dataset]:
                model[dataset].append(epsilon)
                receipt = ledger.charge(PureDP(epsilon), "release")
                assert (receipt.number, receipt.spent) == (len(model[dataset]), sum(model[dataset]))
            else:
                with pytest.raises(BudgetError):
                    ledger.charge(PureDP(epsilon), "release")
            assert ledger.remaining == CAPS[dataset] - sum(model[dataset]) >= 0
        found = {
            account.dataset: [charge.guarantee.epsilon for charge in account.charges] for account in Ledger.datasets(path)
        }
        assert found == model


DELTA = Fraction(1, 10**6)
KINDS = st.one_of(
    st.builds(PureDP, st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(1, 2), max_denominator=10**6)),
    st.builds(ZCDP, st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(1, 50), max_denominator=10**9)),
    st.builds(
        ApproxDP,
        st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(1, 5), max_denominator=10**6),
        st.sampled_from([Fraction(1, 10**7), Fraction(1, 3 * 10**6), Fraction(1, 10**6)]),
    ),
)


def modelled(charges) -> Fraction | None:
    """The formula, from a plain list of all charges."""
    pure = [charge.epsilon for charge in charges if isinstance(charge, PureDP)]
    rho = sum(charge.rho for charge in charges if isinstance(charge, ZCDP))
    approximate = [charge for charge in charges if isinstance(charge, ApproxDP)]
    rest = DELTA - sum(charge.delta for charge in approximate)
    if rest < 0 or (rho and not rest):
        return None
    ways = [sum(pure) + (epsilon_of_rho(rho, rest) if rho else 0)]
    if rest and pure:
        ways.append(epsilon_of_rho(rho + sum(epsilon**2 for epsilon in pure) / 2, rest))
    return min(ways) + sum(charge.epsilon for charge in approximate)


@given(st.lists(st.tuples(KINDS, st.booleans()), max_size=20))
@settings(max_examples=25, deadline=None)
def test_random_charges_of_all_kinds_equal_a_model(charges):
    cap, accepted = Fraction(3, 2), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger")
        ledger = Ledger(path, cap=cap, delta=DELTA)
        for charge, open_again in charges:
            before, total = ledger.spent, modelled([*accepted, charge])
            current = Ledger(path) if open_again else ledger
            if total is not None and total <= cap:
                accepted.append(charge)
                receipt = current.charge(charge, "release")
                assert (receipt.number, receipt.guarantee, receipt.delta) == (len(accepted), charge, DELTA)
                assert receipt.spent == max(total, before)
                assert abs(receipt.spent - total) < Fraction(1, 10**8)
            else:
                with pytest.raises(BudgetError):
                    current.charge(charge, "release")
                assert ledger.spent == before
        (account,) = Ledger.datasets(path)
        assert [charge.guarantee for charge in account.charges] == accepted
        assert account.spent == ledger.spent <= cap


@functools.cache
def sound_ledger() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger")
        for name, cap in CAPS.items():
            ledger = Ledger(path, cap=cap, dataset=name, delta=DELTA)
            for _ in range(9):
                ledger.charge(PureDP(cap / 10), "release")
            if cap >= 1:
                ledger.charge(ZCDP(Fraction(1, 10**6)), "release")
        return path.read_bytes()


# Mostly headers: of the file (the first 100 bytes) and of its pages.
PLACES = (
    st.integers(0, 120) | st.sampled_from([4096, 8192]).flatmap(lambda at: st.integers(at, at + 16)) | st.integers(0, 10**5)
)


@example([(4046, 128)], None)  # SQLite quotes the damaged schema in a message that is then not UTF-8
@given(st.lists(st.tuples(PLACES, st.integers(0, 255)), min_size=1, max_size=4), st.none() | st.integers(0, 4 * 4096))
def test_a_file_with_any_bytes_changed_or_cut_off_is_read_or_refused_but_never_altered(edits, length):
    damaged = bytearray(sound_ledger())
    for place, value in edits:
        damaged[place % len(damaged)] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger")
        path.write_bytes(damaged[:length])
        try:
            accounts = Ledger.datasets(path)
        except LedgerError:
            accounts = []
        assert all(account.cap > 0 and account.spent >= 0 for account in accounts)
        assert path.read_bytes() == damaged[:length]
        assert [entry.name for entry in Path(folder).iterdir()] == ["ledger"]
