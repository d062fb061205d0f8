"""Measurements of work that is larger than memory, or done by a Dask cluster."""
