"""Facts about a fitted model that people look at."""
