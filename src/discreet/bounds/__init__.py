"""Theorems as functions of public quantities: what a mechanism costs and how wrong it will be, before any data is touched."""
