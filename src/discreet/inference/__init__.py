"""Post-processing: questions to beliefs. Nothing here can weaken a guarantee, whatever is asked and however often."""
