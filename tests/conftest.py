"""Settings that hold for all tests."""

import pytest
from hypothesis import HealthCheck, settings

# A shared two-core machine has slow moments: no time limits for single examples. Failures print how to replay them.
settings.register_profile("discreet", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("discreet")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send all engine tests to one worker, so that Spark and PostgreSQL start once; all others wherever there is room."""
    from xdist.scheduler import LoadScopeScheduling

    class EnginesTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "engines" if nodeid.startswith("tests/engines/") else nodeid

    return EnginesTogether(config, log)
