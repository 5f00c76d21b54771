"""Measurements: which linear statistics of the tables were asked, the law of their noise, and what they say together."""
