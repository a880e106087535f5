"""Training agents by self-play."""
