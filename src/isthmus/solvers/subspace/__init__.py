"""Subspace methods: LSSTTC, LSSMTC, ASI.

LSSTTC and LSSMTC minimize one objective (``_shared_subspace.py``). Their own files hold what
differs: how a domain becomes a task of this objective. K-means has no solver file, because it is
scikit-learn's.
"""
