"""Figures of a fitted model, and the report that shows them on one HTML page."""
