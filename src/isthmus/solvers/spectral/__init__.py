"""Spectral methods: CDSC, SC, NCut."""
