"""Methods of other libraries to compare with; nothing else needs these libraries."""
