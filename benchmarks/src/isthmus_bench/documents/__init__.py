"""The documents of a problem: which there are, and their counts."""
