"""The front door: from labelled and unlabelled texts to labels, and to a file."""
