"""Pure functions from documents and starting factors to a small result with its history."""
