"""From texts to weighted counts."""
