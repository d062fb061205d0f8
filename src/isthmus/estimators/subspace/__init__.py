"""Shared subspaces and clustering in them."""
