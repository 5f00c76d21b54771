"""The release file: writer, reader, and one file for each kind of release."""
