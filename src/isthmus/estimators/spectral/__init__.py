"""Spectral methods: CDSC, SC, NCut, PCA with K-means."""
