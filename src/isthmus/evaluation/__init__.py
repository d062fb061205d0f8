"""Evaluation of predicted labels: accuracy, class scores, significance tests, console report."""
