"""Estimation of class proportions (quantification)."""
