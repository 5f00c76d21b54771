"""Sufficient statistics: integers, and how far one person moves those of tables. Private: they never leave the steward."""

from discreet.counts.families import family_counts, family_sensitivity

__all__ = ["family_counts", "family_sensitivity"]
