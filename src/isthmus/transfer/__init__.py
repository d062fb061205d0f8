"""From labeled and unlabeled texts to labels, and to a model file."""
