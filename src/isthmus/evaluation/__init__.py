"""How well labels agree with the truth, as numbers and on the terminal."""
