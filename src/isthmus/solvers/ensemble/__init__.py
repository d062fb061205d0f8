"""Combination of classifiers, and class proportions that a target supports."""
