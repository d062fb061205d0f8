"""From labelled and unlabelled texts to labels, and to a model file."""
