"""The version of this package, written here and nowhere else."""

__all__ = ["__version__"]

__version__ = "0.1.0"
"""The version of discreet that is installed."""
