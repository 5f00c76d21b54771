"""What to measure, chosen from public facts alone: one file for each idea."""
