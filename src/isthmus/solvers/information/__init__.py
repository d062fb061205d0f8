"""Information-theoretic co-clustering."""
