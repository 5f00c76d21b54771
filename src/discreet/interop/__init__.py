"""Where a release meets what people already use: files and models of other programs, estimators, data trees."""
