"""An agent of your own, in ten lines."""

from ra_env.actions import INVOKE, action_bits_to_list
from ra_env.layout import TRACK_COUNT
from ra_env.legality import legal_actions


class Eager:
    """Invokes Ra as soon as enough tiles lie on the track; otherwise does what comes first."""

    def __init__(self, tiles: int = 3) -> None:
        self.tiles = tiles

    def act(self, state, word):
        actions = action_bits_to_list(int(legal_actions(state)))
        is_time = INVOKE in actions and state[TRACK_COUNT] >= self.tiles
        return INVOKE if is_time else actions[0]
