"""Worked examples: synthetic, public data on which the mechanisms are shown at work."""
