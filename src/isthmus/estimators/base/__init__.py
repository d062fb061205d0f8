"""Base classes of the estimators."""
