"""Recording without private symbols (to be written)."""
