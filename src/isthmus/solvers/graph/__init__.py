"""Label propagation on a neighbor graph."""
