"""Ra for one learner, as a Gymnasium environment: `gymnasium.make("ra_env/Ra-v0", num_players=4)`.

The learner sits at one seat, and agents play the others: between two decisions of the learner they
have all played on. All their luck comes from the environment, so the same seed and the same actions
give the same game.

| | |
| --- | --- |
| Action space | `Discrete(54)`, the actions of `ra_env.ACTION_TEXTS` |
| Observation space | `Box(-1, 3000, (428,), float32)`, see `ra_env.observation.describe()` |
| Creation | `gymnasium.make("ra_env/Ra-v0", num_players=4, opponents="heuristic", seat="random")` |

**Masks.** Only some of the actions are legal. `action_masks()` says which, as sb3-contrib's
MaskablePPO expects it, and `info["action_mask"]` says it too, as int8. An illegal action ends the
episode with a reward of -1, as in PettingZoo's games.

**Rewards.** The learner's, by name: `"placement"`, `"win"`, `"score"` or `"margin"`, as in
`ra_env.ra_v0`. What it earns while others are on turn comes with its next decision.

**Info.** `action_mask` and the learner's `seat`; at the end also its `rank` (0 is first), all
`scores`, and `illegal_action`, whether it ended by one.

**Arguments.** `num_players` (2 to 5), `rules`, `reward`, `view`, `suns` and `render_mode` are those
of `ra_env.ra_v0`. And:

- `opponents`: one for all other seats or a list of one for each, clockwise from the learner's left.
  Each is the name of an agent, like `"random"` or `"heuristic"`, or an object with a method
  `act(state, word)` that returns a legal action (`ra_env.agent`).
- `seat`: the learner's seat, or `"random"` for another one in each game.
- `play_forced`: whether moves that leave no choice are played without asking, the learner's too.
  They are nothing to learn from, so they are unless you say otherwise.

`reset(seed=7)` deals the same tiles and suns as `ra_env.Game(seed=7)`.
"""

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from ra_env.actions import NUM_ACTIONS
from ra_env.agent import Agent, checked_opponent
from ra_env.errors import IllegalAction, RulesError, shown
from ra_env.layout import SCORE
from ra_env.live_game import (
    OBSERVATION_HIGH,
    OBSERVATION_LOW,
    RANDOM_SEAT,
    RENDER_FPS,
    RENDER_MODES,
    LiveGame,
    Mask,
    checked_render_mode,
    checked_seat,
    checked_seed,
    close,
    next_seed,
    render,
)
from ra_env.observation import OBSERVATION_SIZE, Observation
from ra_env.rng import mix, next_word
from ra_env.rules import Rules
from ra_env.scoring import rank

ILLEGAL_REWARD: Final = -1.0
MAX_DEALS: Final = 1000
"""So many games may end before the learner had anything to decide: that is only possible with the
smallest of rules, and with some of them always."""


class RaEnv(gymnasium.Env[Observation, np.int64]):
    """Ra for one learner among agents. The module says how it works."""

    metadata = {  # noqa: RUF012  # the base class says the same of its type
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        num_players: int | None = None,
        *,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: int | str = RANDOM_SEAT,
        rules: Rules | None = None,
        reward: str = "placement",
        view: str = "memory",
        play_forced: bool = True,
        suns: Sequence[Sequence[int]] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self._game = LiveGame(
            num_players, rules=rules, suns=suns, reward=reward, view=view, play_forced=play_forced
        )
        self._fixed_seat = checked_seat(seat, self.rules.num_players)
        self._opponents = _seated(opponents, self.rules.num_players - 1)
        self.observation_space = spaces.Box(
            OBSERVATION_LOW, OBSERVATION_HIGH, (OBSERVATION_SIZE,), np.float32
        )
        self.action_space = spaces.Discrete(NUM_ACTIONS)
        self.seat = 0
        """The learner's seat."""
        self._choice = np.uint64(0)
        self._is_running = False

    @property
    def rules(self) -> Rules:
        """What the game is played with."""
        return self._game.rules

    @property
    def game_seed(self) -> int:
        """The seed of the game: `Game(seed=...)` deals the same tiles and suns."""
        return self._game.seed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game and play until the learner has something to decide."""
        self._is_running = False
        first = None if seed is None else checked_seed(seed)
        super().reset(seed=first)
        for _ in range(MAX_DEALS):
            self._game.deal(next_seed(self.np_random) if first is None else first)
            self._seat_learner()
            self._play_opponents()
            if not self._game.is_over:
                break
            first = None
        else:
            raise RulesError(
                f"the learner had nothing to decide in {MAX_DEALS} games: with these rules and "
                "opponents they end before it is on turn"
            )
        self._is_running = True
        self._show()
        return self._game.observe(self.seat), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action of the learner, and then the opponents until it has to decide again."""
        if not self._is_running:
            raise ResetNeeded("no game is running: call reset() first")
        game = self._game
        is_legal = game.is_legal(action)
        self._is_running = False  # and so it stays if an opponent fails
        if is_legal:
            game.play(action)
            self._play_opponents()
            self._is_running = not game.is_over
            reward = game.reward(self.seat)
            game.settle()
        else:
            reward = ILLEGAL_REWARD
        self._show()
        info = self._info()
        if not self._is_running:
            info |= self._results(is_legal)
        return game.observe(self.seat), reward, not self._is_running, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; none when the game is over."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """The table as text or picture, or on the screen, as `render_mode` says."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        names = [f"player_{seat}" for seat in range(self.rules.num_players)]
        names[self.seat] = "learner"
        return render(self._game.state, self.render_mode, names)

    def close(self) -> None:
        """Close the window, if `render` has opened one."""
        close(self.render_mode)

    # --- helpers ---

    def _seat_learner(self) -> None:
        """The luck of one game that is not the bag's: the learner's seat, the opponents' words."""
        if self._fixed_seat is None:
            self.seat = int(self.np_random.integers(self.rules.num_players))
        else:
            self.seat = self._fixed_seat
        self._choice = self.np_random.integers(2**64, dtype=np.uint64)

    def _play_opponents(self) -> None:
        """Play until the learner is on turn or the game is over."""
        game = self._game
        while game.seat != self.seat and not game.is_over:
            agent = self._opponents[(game.seat - self.seat - 1) % self.rules.num_players]
            self._choice = np.uint64(next_word(self._choice))
            # A copy, because an agent may be anybody's; a mixed word, because an agent that needs
            # several random numbers counts on from it, and must not meet its next word.
            action = agent.act(game.state.copy(), np.uint64(mix(self._choice)))
            try:
                game.play(action)
            except IllegalAction as error:
                raise IllegalAction(f"opponent {shown(agent)} failed: {error}") from None

    def _mask(self) -> Mask:
        return self._game.mask.copy() if self._is_running else np.zeros(NUM_ACTIONS, np.int8)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "seat": self.seat}

    def _results(self, is_legal: bool) -> dict[str, Any]:
        state, num_players = self._game.state, self.rules.num_players
        return {
            "rank": int(rank(state, self.seat)) if is_legal else num_players - 1,
            "scores": state[SCORE : SCORE + num_players].tolist(),
            "illegal_action": not is_legal,
        }

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _seated(opponents: object, count: int) -> list[Agent]:
    """The agents of the other seats, clockwise from the learner's left."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [checked_opponent(opponents)] * count
    if len(opponents) != count:
        raise ValueError(
            f"{len(opponents)} opponents are given for {count} other seats; give one for each, or "
            "a single one for all"
        )
    return [checked_opponent(opponent) for opponent in opponents]
