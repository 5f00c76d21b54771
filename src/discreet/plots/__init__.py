"""Pictures of what queries computed. Needs matplotlib: ``pip install "discreet[plots]"``."""
