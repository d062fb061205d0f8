"""Importance weights, correlation alignment, locally weighted ensembles."""
