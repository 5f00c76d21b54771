"""The paper's formulas as they stand in print, each marked as holding or not."""
