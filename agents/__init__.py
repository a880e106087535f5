"""The bundled players. Each is found by its name through the entry-point group `ra_env.agents`."""
