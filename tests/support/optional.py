"""Optional parts: a test that needs one skips with a reason, except where everything is required."""

import importlib
import os

import pytest


def need(module: str):
    """Import an optional module or skip; with DISCREET_REQUIRE_ALL set, its absence is a failure."""
    if os.environ.get("DISCREET_REQUIRE_ALL"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"{module} is not installed")
