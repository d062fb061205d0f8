"""Non-negative matrix tri-factorizations and PLSA."""
