"""Methods to compare with: of other libraries, which nothing else needs, and of the laboratory."""
