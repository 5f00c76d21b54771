"""Files that declare a model: networks as BIF or JSON, linear models as TOML."""
