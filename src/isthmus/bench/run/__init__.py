"""Carry out the runs of suites and keep their results."""
