"""Laws that are published as draws: one file for each, drawn exactly."""
