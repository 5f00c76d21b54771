"""Settings that hold for all tests."""

import os
from fnmatch import fnmatchcase

import pytest
from hypothesis import HealthCheck, settings

# A shared two-core machine has slow moments: no time limits for single examples. Failures print how to replay them.
settings.register_profile(
    "discreet", max_examples=25, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("discreet"), max_examples=400)
settings.load_profile("discreet")

# For the workers and the commands that tests start. As many processes as cores run already: threads of a matrix product would
# only wait for one another. And what is compiled once need not be compiled again by each of a hundred commands.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Tests leave nothing in the home of who runs them, and what one has computed is not what another one tests.
os.environ["DISCREET_CACHE"] = "off"

# Where tests take seconds each, so that each goes wherever there is room. The others go file by file, which share fixtures.
LONGEST = ("tests/engines/", "tests/e2e/")
# Tests that share what is long in the making: Spark and PostgreSQL, a study that runs once, peers that take seconds to import.
SHARING = {
    "tests/engines/": "engines",
    "tests/e2e/pages/": "pages",
    "tests/unit/experiments/": "studies",
    "tests/paper/test_claims.py": "claims",
    "tests/e2e/test_documents.py::test_the_stewards_example": "readme",
    "tests/e2e/test_documents.py::test_the_first_minute": "readme",
    "tests/unit/model/files/test_bif_oracle.py": "peers",
    "tests/unit/inference/test_against_peers.py": "peers",
    "tests/unit/interop/test_network_files.py": "peers",
    "tests/unit/interop/test_graph_libraries.py": "peers",
}
TOGETHER = ("tests/engines/", "tests/e2e/pages/")  # the longest of these groups


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem():
    """All cases of a test but those that its mark `fast` names, as a shell names files, are slow."""
    made = yield
    cases = [item for item in made if item.get_closest_marker("fast")] if isinstance(made, list) else []
    for wanted in cases[0].get_closest_marker("fast").args if cases else ():
        if not any(fnmatchcase(item.callspec.id, wanted) for item in cases):
            raise pytest.UsageError(f"{cases[0].nodeid}: no case is called {wanted!r}, which is to be a fast one")
    for item in cases:
        if not any(fnmatchcase(item.callspec.id, wanted) for wanted in item.get_closest_marker("fast").args):
            item.add_marker(pytest.mark.slow)
    return made


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the longest tests, in whatever order they are, so that no worker has one left when the others are done."""
    items.sort(key=lambda item: (not item.nodeid.startswith(TOGETHER), not item.nodeid.startswith(LONGEST)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send tests that share something to one worker, so that it is made once."""
    from xdist.scheduler import LoadScopeScheduling

    class SharingTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            alone = nodeid if nodeid.startswith(LONGEST) else nodeid.partition("::")[0]
            return next((group for place, group in SHARING.items() if nodeid.startswith(place)), alone)

    config.option.loadscopereorder = False  # the order is that of above, not that of the number of tests
    return SharingTogether(config, log)
