"""scikit-learn estimators: thin classes over the solvers, one file per method."""
