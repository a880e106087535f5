"""# Ra

| | |
| --- | --- |
| Import | `from ra_env import ra_v0` |
| Creation | `ra_v0.env(num_players=4)` or `pettingzoo.make("aec", "ra_env/ra_v0", num_players=4)` |
| Actions | Discrete |
| Parallel API | No |
| Manual control | No |
| Agents | `agents = ["player_0", ..., "player_4"]`, as many as there are players |
| Number of agents | 2 to 5 |
| Action shape | `()` |
| Action values | `Discrete(54)` |
| Observation shape | `(428,)` |
| Observation values | most in [0, 1], all in [-1, 3000] |
| State shape | `(188,)`, int16 |

*Ra* is an auction game. On a turn a player draws a tile onto the auction track, spends god tiles to
take tiles from it, or invokes Ra, which starts an auction. In an auction each player may bid one of
a few numbered suns, once; the winner takes the track and swaps the sun that was bid for the one in
the middle, which is used in the next epoch. Drawn Ra tiles start auctions too, and enough of them
end the epoch. After three epochs the player with the most points wins.

Play does not go round in a fixed order: in an auction the seats left of the Ra player are asked
first, seats without suns are skipped, and the winner of a lot may have to give up tiles.

## Observation

A dictionary of `"observation"` and `"action_mask"`.

`"observation"` is what the agent knows, as float32: its own seat first, then the others clockwise,
in one layout for all numbers of players. `ra_env.observation.describe()` lists its pieces with
their names, places, scales and meanings, so `observation[piece.slice]` finds one. Nothing in it
depends on what nobody can know: the order of the bag. `view="table"` leaves out what is not open
on the table, the opponents' points and the contents of the bag.

`"action_mask"` says which of the 54 actions are legal, as int8. It is all zero for an agent that is
not on turn and after the end of the game. `infos[agent]["action_mask"]` holds the same.

`state()` gives the whole table as an int16 row, described by `ra_env.layout.FIELDS`.

## Actions

Bids name suns and gods name tiles, so an action means the same for any number of players.

| id | action |
| --- | --- |
| 0 | draw a tile |
| 1 | invoke Ra |
| 2 | end the turn after spending gods |
| 3 | pass in an auction |
| 4 to 19 | bid sun 1 to 16 |
| 20 to 40 | spend a god on a tile: pharaoh, nile, flood, gold, civilization, monument, disaster |
| 41 to 53 | give up a tile that a disaster demands: civilization, monument |

`ra_env.ACTION_TEXTS` has the text of each. An illegal action in `env` ends the game: -1 for the one
who played it, 0 for the others, as in PettingZoo's own games. `raw_env` raises `IllegalAction`
instead, names what is legal, and stays as it was.

## Rewards

| reward | when | what an agent gets |
| --- | --- | --- |
| `"placement"` | end of the game | +1 for the first to -1 for the last, in equal steps |
| `"win"` | end of the game | 1 for the winner, 0 for the others |
| `"score"` | end of each epoch | the points that it just scored |
| `"margin"` | end of each epoch | these, less the mean of the other players' |

Points decide, and among equals the highest sun, so there are no ties. All agents terminate together
when the game is over; nothing is ever truncated.

## Arguments

```text
ra_v0.env(num_players=4, rules=None, reward="placement", view="memory", play_forced=False,
          suns=None, render_mode=None)
```

`num_players`: 2 to 5.

`rules`: a `ra_env.Rules` with the settings of a variant, in place of `num_players`.

`reward`: one of the rewards above.

`view`: `"memory"`, what a player with perfect memory knows, or `"table"`, what lies open.

`play_forced`: whether moves that leave no choice are played without asking. Agents are then asked
only when they have at least two legal actions.

`suns`: fixes who is dealt which suns, one list for each seat, like `[[9, 6, 5, 2], [8, 7, 4, 3]]`.

`render_mode`: `"ansi"` for coloured text, `"rgb_array"` for a picture, `"human"` to show it.

`reset(seed=7)` deals the same game as `ra_env.Game(seed=7)`; `reset()` goes on to a new one, and
`env.unwrapped.game_seed` names it.

## Copying and saving

`copy.deepcopy(env)` and `pickle` work in mid-game. `snapshot = env.get_state()` is faster than
both, and `env.set_state(snapshot)` sets any environment with the same rules back to that moment,
with the same luck to come. For other luck, as an honest search needs it:
`env.set_state(dataclasses.replace(snapshot, word=...))`.

## Version history

* v0: Initial version
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ra_env.actions import NUM_ACTIONS
from ra_env.layout import OVER, PHASE, SEAT, STATE_SIZE, State
from ra_env.live_game import (
    OBSERVATION_HIGH,
    OBSERVATION_LOW,
    RENDER_FPS,
    RENDER_MODES,
    LiveGame,
    Mask,
    checked_render_mode,
    checked_seed,
    close,
    next_seed,
    render,
)
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import Rules

Seen: TypeAlias = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that an environment is at one moment."""

    state: State
    """The row of the game."""
    word: int
    """The random word of the bag: the luck to come."""
    game_seed: int
    """The seed that the game was dealt with."""
    generator: Mapping[str, Any]
    """The state of the generator that `reset()` takes new seeds from."""
    agents: tuple[str, ...]
    agent_selection: str
    rewards: dict[str, float]
    cumulative_rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]


def env(**arguments: Any) -> "AECEnv[str, Any, Any]":
    """The environment with the wrappers of PettingZoo's own games."""
    return _EnforceOrder(
        wrappers.AssertOutOfBoundsWrapper(_TerminateIllegal(raw_env(**arguments), -1))
    )


class raw_env(AECEnv[str, Any, Any]):  # noqa: N801  # the name that PettingZoo asks for
    """The environment itself: fast, and illegal actions raise. The module says how it works."""

    metadata = {  # noqa: RUF012  # the base class says the same of its type
        "name": "ra_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        num_players: int | None = None,
        *,
        rules: Rules | None = None,
        reward: str = "placement",
        view: str = "memory",
        play_forced: bool = False,
        suns: Sequence[Sequence[int]] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self._game = LiveGame(
            num_players, rules=rules, suns=suns, reward=reward, view=view, play_forced=play_forced
        )
        self.possible_agents = [f"player_{seat}" for seat in range(self._game.rules.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents = []
        self.observation_spaces = {agent: _observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        limits = np.iinfo(np.int16)
        self.state_space = spaces.Box(limits.min, limits.max, (STATE_SIZE,), np.int16)
        self._generator: np.random.Generator | None = None

    @property
    def rules(self) -> Rules:
        """What the game is played with."""
        return self._game.rules

    @property
    def game_seed(self) -> int:
        """The seed of the game: `Game(seed=...)` and `reset(seed=...)` deal the same one."""
        return self._game.seed

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game: the one of `seed`, or without it another one each time."""
        if seed is not None:
            self._game.deal(seed)
            self._generator, _ = seeding.np_random(self._game.seed)
        else:
            if self._generator is None:
                self._generator, _ = seeding.np_random()
            self._game.deal(next_seed(self._generator))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": _empty_mask()} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]  # as the base class has it
        self._has_rewards = False
        self._select()
        self._show()

    def step(self, action: int | None) -> None:
        """Play an action of the agent on turn; None for one whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self._game
        game.play(action)
        if self._has_rewards:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._has_rewards = False
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"action_mask": _empty_mask()}
        if game.has_scored:
            self.rewards = {agent: game.reward(seat) for agent, seat in self._seats.items()}
            game.settle()
            self._has_rewards = True
            self._accumulate_rewards()
        if game.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
        self._select()
        self._show()

    def observe(self, agent: str) -> Seen:
        """What an agent knows, and what it may do if it is on turn."""
        seen = self._game.observe(self._seat(agent))
        return {"observation": seen, "action_mask": self._mask(agent)}

    def state(self) -> State:
        """The whole table: a copy of the row that `ra_env.layout.FIELDS` describes."""
        return self._game.state.copy()

    def render(self) -> Any:
        """The table as text or picture, or on the screen, as `render_mode` says."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        return render(self._game.state, self.render_mode, self.possible_agents)

    def close(self) -> None:
        """Close the window, if `render` has opened one."""
        close(self.render_mode)

    # --- saving ---

    def get_state(self) -> Snapshot:
        """Everything about this moment, for `set_state`."""
        if self._generator is None:
            raise ValueError("there is no game yet: call reset() first")
        return Snapshot(
            state=self._game.state.copy(),
            word=self._game.word,
            game_seed=self._game.seed,
            generator=self._generator.bit_generator.state,
            agents=tuple(self.agents),
            agent_selection=self.agent_selection,
            rewards=self.rewards.copy(),
            cumulative_rewards=self._cumulative_rewards.copy(),
            terminations=self.terminations.copy(),
            truncations=self.truncations.copy(),
        )

    def set_state(self, snapshot: Snapshot) -> None:
        """Go back to the moment of a snapshot, taken here or in another environment with the same
        rules. One that does not fit raises `ValueError` and changes nothing."""
        row = self._checked_row(snapshot)
        self._generator = self._generator_in(snapshot.generator)
        self._game.restore(row, snapshot.word, snapshot.game_seed)
        self.agents = list(snapshot.agents)
        self.agent_selection = snapshot.agent_selection
        self.rewards = snapshot.rewards.copy()
        self._cumulative_rewards = snapshot.cumulative_rewards.copy()
        self.terminations = snapshot.terminations.copy()
        self.truncations = snapshot.truncations.copy()
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._has_rewards = any(self.rewards.values())
        self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}

    def _checked_row(self, snapshot: Snapshot) -> State:
        """A copy of the snapshot's row, if all of the snapshot but the generator is in order."""
        if not isinstance(snapshot, Snapshot):
            raise ValueError(f"a snapshot comes from get_state(), not a {type(snapshot).__name__}")
        row = self._game.checked_row(snapshot.state)
        checked_seed(snapshot.word, "word")
        checked_seed(snapshot.game_seed, "game_seed")
        agents = list(snapshot.agents)
        if agents != [agent for agent in self.possible_agents if agent in agents]:
            raise ValueError(f"agents must be some of {self.possible_agents}, not {agents}")
        for name in ("rewards", "cumulative_rewards", "terminations", "truncations"):
            values = getattr(snapshot, name)
            if not isinstance(values, dict) or list(values) != agents:
                raise ValueError(f"{name} must be given for each of {agents}")
        ended = [a for a in agents if snapshot.terminations[a] or snapshot.truncations[a]]
        if row[PHASE] == OVER and ended != agents:
            raise ValueError(f"the game is over, but only {ended} of {agents} have ended")
        if agents:
            allowed = ended or [self.possible_agents[row[SEAT]]]
            if snapshot.agent_selection not in allowed:
                raise ValueError(
                    f"agent_selection must be one of {allowed}, not {snapshot.agent_selection!r}"
                )
        return row

    def _generator_in(self, state: Mapping[str, Any]) -> np.random.Generator:
        """A generator in this state: the own one if it is, because a new one takes long."""
        if self._generator is not None and self._generator.bit_generator.state == state:
            return self._generator
        generator, _ = seeding.np_random(0)
        try:
            generator.bit_generator.state = state
        except (TypeError, ValueError, KeyError) as error:
            raise ValueError(f"the generator of the snapshot cannot be used: {error}") from None
        return generator

    # --- helpers ---

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except KeyError:
            listed = ", ".join(self.possible_agents)
            raise KeyError(f"there is no agent {agent!r}; agents: {listed}") from None

    def _select(self) -> None:
        """Point at the agent on turn; after the end at the first, who is the first to leave."""
        game = self._game
        if game.is_over:
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[game.seat]
            self.infos[self.agent_selection] = {"action_mask": game.mask.copy()}

    def _mask(self, agent: str) -> Mask:
        if agent != self.agent_selection or agent not in self.agents:
            return _empty_mask()
        has_ended = self.terminations[agent] or self.truncations[agent]
        return _empty_mask() if has_ended else self._game.mask.copy()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class _TerminateIllegal(wrappers.TerminateIllegalWrapper[str, Any, Any]):
    """PettingZoo's wrapper, with what it does not know of: masks in `infos`, and `set_state`."""

    env: Any

    def step(self, action: Any) -> None:
        super().step(action)
        if self._terminated:
            for info in self.infos.values():
                info["action_mask"] = _empty_mask()

    def set_state(self, snapshot: Snapshot) -> None:
        self.env.set_state(snapshot)
        self._terminated = False
        self._prev_obs = None  # of another position, and so would be its mask


class _EnforceOrder(wrappers.OrderEnforcingWrapper[str, Any, Any]):
    """PettingZoo's wrapper, for which `set_state` is as good a start as `reset`."""

    env: Any

    def set_state(self, snapshot: Snapshot) -> None:
        self.env.set_state(snapshot)
        self._has_reset = True
        self._has_updated = True

    def __str__(self) -> str:
        return str(self.env)


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(
                OBSERVATION_LOW, OBSERVATION_HIGH, (OBSERVATION_SIZE,), np.float32
            ),
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )


def _empty_mask() -> Mask:
    return np.zeros(NUM_ACTIONS, dtype=np.int8)
