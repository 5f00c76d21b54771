"""Laws of noise: one file for each, drawn exactly."""
