"""What was computed from a release once, kept in a folder of the user: nothing here knows what it is about."""
