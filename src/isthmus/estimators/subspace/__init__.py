"""Subspace methods: LSSTTC, LSSMTC, ASI, K-means."""
