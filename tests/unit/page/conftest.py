"""A release of the chest clinic that needs no long chain."""

import pytest

import discreet as dc
from discreet.experiments.chest_clinic import chest_clinic


@pytest.fixture(scope="session")
def clinic_release():
    clinic = chest_clinic()
    return dc.release(clinic.sample(2_000, 1), clinic.network, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
