"""Other systems on the same rules and facts."""
