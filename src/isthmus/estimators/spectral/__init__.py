"""Spectral methods."""
