"""Graphs that are learned from records, for a part of the budget."""
