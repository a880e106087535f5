"""Measurements: how fast the engine is, and how well agents play."""
