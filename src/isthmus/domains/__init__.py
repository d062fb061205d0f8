"""Domains and labels: one object, made once, that every solver understands."""
