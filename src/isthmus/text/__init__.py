"""Text vectorizers: tokenization, term counts, weighting, bilingual dictionaries."""
