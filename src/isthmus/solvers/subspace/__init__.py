"""Subspace methods: LSSTTC, LSSMTC, ASI."""
