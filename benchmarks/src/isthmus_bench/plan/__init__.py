"""What a suite contains: its problems, its entries, and what the paper reported."""
