"""Numerical tools that several families of solvers share."""
