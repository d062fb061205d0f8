"""The report of a fitted model: one HTML page, and plots for notebooks."""
