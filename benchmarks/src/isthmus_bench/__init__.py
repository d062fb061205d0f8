"""The laboratory of Isthmus: the tables and figures of the papers, and measurements of speed."""
