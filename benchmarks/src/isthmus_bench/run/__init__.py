"""Execute the runs of suites and store their results."""
