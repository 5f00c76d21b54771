"""How wrong a release will be, from public facts alone, before any budget is spent."""
