"""Markov chains over what could be behind a release, and whether they can be trusted."""
