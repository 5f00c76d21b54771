"""Settings that hold for all tests."""

from hypothesis import HealthCheck, settings

# A shared two-core machine has slow moments: no time limits for single examples. Failures print how to replay them.
settings.register_profile("discreet", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("discreet")
