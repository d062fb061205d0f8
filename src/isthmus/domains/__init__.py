"""Domains and labels: parsing of ``(X, y, sample_domain)`` into a ``Problem``."""
