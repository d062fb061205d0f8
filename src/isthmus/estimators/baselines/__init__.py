"""Baselines: classifiers of the source alone, and methods of scikit-learn."""
