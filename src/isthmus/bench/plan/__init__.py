"""What a suite says: its problems, its entries, and what a paper reported."""
