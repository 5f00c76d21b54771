"""Sufficient statistics: integers, with how far one person moves them. Private: they never leave the steward."""

from discreet.counts.families import family_counts, family_sensitivity

__all__ = ["family_counts", "family_sensitivity"]
