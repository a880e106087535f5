"""Training agents by self-play."""

import os

# Before torch starts: idle threads that spin instead of sleeping would fight with a busy neighbour
# over the cores, and training could slow down to a twentieth.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
