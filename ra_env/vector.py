"""Many games at once, a learner at one seat of each; and a Gymnasium `VectorEnv` of it.

`OneSeat` plays the games: the learner decides in all of them with one array of actions, and in
the same step the opponents play on until the learner is on turn again or the game is over, in which
case the next one begins. Opponents that play at random do so in compiled code; all other agents
decide for all games that wait for them at once. There is no Python loop over games.

`RaVectorEnv` is `OneSeat` in the words of Gymnasium. Its arrays belong to whoever gets them.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.agent import Agent, act_batch, checked_opponent
from ra_env.batch import (
    Masks,
    Observations,
    States,
    Words,
    check_legal,
    check_rules,
    checked_actions,
    random_action,
    run,
    seeds_to_words,
    write_mask,
)
from ra_env.errors import IllegalAction, RulesError, shown
from ra_env.layout import NUM_PLAYERS, OVER, PHASE, SCORE, SEAT, State, copy_row, count_bits
from ra_env.legality import legal_actions, lowest_action
from ra_env.live_game import (
    DEFAULT_PLAYERS,
    OBSERVATION_HIGH,
    OBSERVATION_LOW,
    RANDOM_SEAT,
    checked_seat,
)
from ra_env.observation import OBSERVATION_SIZE, observe
from ra_env.rewards import reward
from ra_env.rng import below, mix, next_word
from ra_env.rules import MAX_PLAYERS, Rules
from ra_env.scoring import rank
from ra_env.selfplay import Seed, Table, Tables
from ra_env.transitions import deal
from ra_env.transitions import step as step_one

Opponent: TypeAlias = str | Agent
RANDOM_NAME: Final = "random"
"""The opponent that plays in compiled code."""
NO_SEAT: Final = -1

# Who plays a seat. Agents are numbered from FIRST_AGENT.
NOT_BEGUN: Final = -1
LEARNER: Final = 0
RANDOM: Final = 1
FIRST_AGENT: Final = 2

BEGIN: Final = -1
"""In place of an action: the game is left as it is, and a new one begins."""
ILLEGAL_REWARD: Final = -1.0


class Step(NamedTuple):
    """What a step of all games brings. The arrays are new ones each time."""

    observations: Observations
    """`(B, OBSERVATION_SIZE)` what the learner sees now; of a new game where one has ended."""
    masks: Masks
    """`(B, 54)` the actions it may choose from: 1 legal, 0 not."""
    rewards: NDArray[np.float32]
    """`(B,)` what the learner got since its last decision."""
    done: NDArray[np.bool_]
    """`(B,)` whether the game of its last decision has ended."""


class Endings(NamedTuple):
    """How the games ended that did so in the last step, one entry for each."""

    games: NDArray[np.int64]
    """`(N,)` which games."""
    observations: Observations
    """`(N, OBSERVATION_SIZE)` what the learner saw at the end."""
    seats: NDArray[np.int64]
    """`(N,)` the learner's seat."""
    scores: NDArray[np.int16]
    """`(N, 5)` each seat's points; 0 for seats that are not there."""
    ranks: NDArray[np.int64]
    """`(N,)` the learner's place: 0 is first."""
    illegal: NDArray[np.bool_]
    """`(N,)` whether an illegal action ended the game; then the learner is last."""


class OneSeat(Tables):
    """`num_games` games side by side, one seat of each played from outside.

    `tables` and `seed` are those of `SelfPlay`. `seat` is the learner's seat, or `"random"`: drawn
    anew for each game. `opponents` is one opponent for all other seats or a list, clockwise from
    the learner's left; each is `"random"`, the name of an agent or an agent. `threads` changes the
    speed alone, and that of the agents' thinking not at all.

    Moves that leave no choice are played here. A game that ends before the learner has had any
    choice counts for nothing: another one takes its place. An illegal action of the learner ends
    its game with a reward of -1, as in PettingZoo's games and in `ra_env.single_agent`.
    """

    seats: NDArray[np.int64]
    """`(B,)` the learner's seat in each game."""

    def __init__(
        self,
        tables: Table | Sequence[Table] = 4,
        num_games: int = 1024,
        *,
        opponents: Opponent | Sequence[Opponent] = RANDOM_NAME,
        seat: int | str = RANDOM_SEAT,
        reward: str = "placement",
        view: str = "memory",
        threads: int = 1,
    ) -> None:
        super().__init__(tables, num_games, reward, view, threads)
        fewest = int(self.num_players.min())
        fixed = checked_seat(seat, fewest)
        self._fixed_seat = NO_SEAT if fixed is None else fixed
        self._agents, self._lineup = _seat_opponents(opponents, self.num_players)
        self.opponents, self.seat = opponents, seat
        self.seats = np.zeros(num_games, np.int64)
        self._all = np.arange(num_games)
        self._choices = np.empty(num_games, np.uint64)
        self._agent_words = np.empty(num_games, np.uint64)
        self._waiting_for = np.full(num_games, NOT_BEGUN, np.int64)
        self._paid = np.empty((num_games, MAX_PLAYERS), np.int16)
        self._final_states = np.empty_like(self.states)
        self._final_seats = np.empty_like(self.seats)
        self._final_illegal = np.zeros(num_games, np.bool_)

    def reset(self, seed: Seed = None) -> tuple[Observations, Masks]:
        """Begin all games anew: with this seed; without one, as the luck of before goes on."""
        self._draw_words(seed)
        self._choices[:] = seeds_to_words(~self.seeds)  # nothing to do with the luck of the bag
        # As if a game had just ended everywhere: then nothing is paid and nothing ends.
        result = self._new_step(done=True)
        self._play(np.full(self.num_games, BEGIN), result)
        return result.observations, result.masks

    def step(self, actions: Any) -> Step:
        """Play the learner's action in each game, and then all others until it is on turn again."""
        if (self._waiting_for != LEARNER).any():
            raise ResetNeeded("no games are running: call reset() first")
        actions = checked_actions(actions, self.num_games)
        unknown = actions[(actions < 0) | (actions >= NUM_ACTIONS)]
        if len(unknown):
            raise IllegalAction(f"unknown action {unknown[0]}; ids are 0 to {NUM_ACTIONS - 1}")
        result = self._new_step(done=False)
        self._play(actions, result)
        return result

    def endings(self, done: NDArray[np.bool_]) -> Endings:
        """How the games ended that the last step says are `done`."""
        games = np.flatnonzero(done)
        states, seats = self._final_states[games], self._final_seats[games]
        illegal = self._final_illegal[games]
        observations = np.empty((len(games), OBSERVATION_SIZE), np.float32)
        ranks = np.empty(len(games), np.int64)
        run(_look_back, self.threads, states, seats, self._view, observations, ranks)
        ranks[illegal] = self.num_players[games[illegal]] - 1
        scores = states[:, SCORE : SCORE + MAX_PLAYERS].copy()
        return Endings(games, observations, seats, scores, ranks, illegal)

    def _new_step(self, done: bool) -> Step:
        count = self.num_games
        return Step(
            np.empty((count, OBSERVATION_SIZE), np.float32),
            np.empty((count, NUM_ACTIONS), np.int8),
            np.zeros(count, np.float32),
            np.full(count, done),
        )

    def _play(self, actions: NDArray[np.int64], out: Step) -> None:
        """Play the actions and go on until every game waits for the learner."""
        self._waiting_for[:] = NOT_BEGUN  # and so it stays if an opponent fails
        self._play_on(self._all, actions, out)
        while (self._waiting_for != LEARNER).any():
            for number, agent in enumerate(self._agents, start=FIRST_AGENT):
                games = np.flatnonzero(self._waiting_for == number)
                if len(games):
                    self._play_on(games, self._ask(agent, games), out)

    def _ask(self, agent: Agent, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """An agent's actions in the games that wait for it, checked: it may be anybody's."""
        states = self.states[games]
        actions = np.empty(len(games), np.int64)
        act_batch(agent, states.copy(), self._agent_words[games], actions)
        try:
            check_legal(states, actions)
        except IllegalAction as error:
            raise IllegalAction(f"opponent {shown(agent)} failed: {error}") from None
        return actions

    def _play_on(self, games: NDArray[np.int64], actions: NDArray[np.int64], out: Step) -> None:
        run(
            _play_on,
            self.threads,
            *(games, actions, self.states, self.words, self._choices, self._starts),
            *(self._lineup, self._fixed_seat, self._reward, self._view),
            *(self.seats, self._paid, self._waiting_for, self._agent_words),
            *(self._final_states, self._final_seats, self._final_illegal, *out),
        )


def _seat_opponents(
    opponents: object, num_players: NDArray[np.int64]
) -> tuple[list[Agent], NDArray[np.int64]]:
    """The agents among the opponents, and who plays the seats from the learner's on, clockwise."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = [opponents] * (MAX_PLAYERS - 1)
    else:
        wrong = num_players[num_players != len(opponents) + 1]
        if len(wrong):
            raise ValueError(
                f"{len(opponents)} opponents are given for a table of {wrong[0]} players; "
                f"one for each other seat is needed, or a single one for all"
            )
    made: dict[str, Agent] = {}  # one agent for each name, so that equals decide in one batch
    agents: list[Agent] = []
    lineup = np.full(MAX_PLAYERS, LEARNER)
    for place, opponent in enumerate(opponents, start=1):
        if isinstance(opponent, str) and opponent == RANDOM_NAME:
            lineup[place] = RANDOM
            continue
        if isinstance(opponent, str):
            agent = made[opponent] = made.get(opponent) or checked_opponent(opponent)
        else:
            agent = checked_opponent(opponent)
        known = [number for number, other in enumerate(agents) if other is agent]
        lineup[place] = FIRST_AGENT + (known[0] if known else len(agents))
        agents += [] if known else [agent]
    return agents, lineup


# --- Gymnasium -----------------------------------------------------------------------------------


def chosen_tables(
    num_players: int | Sequence[int] | None, rules: Rules | None
) -> Table | Sequence[Table]:
    """What is played, of a number of players (or several) and rules, one of which is enough."""
    if rules is None:
        return DEFAULT_PLAYERS if num_players is None else num_players
    check_rules(rules)
    if num_players is not None and num_players != rules.num_players:
        raise RulesError(f"num_players is {num_players}, but rules say {rules.num_players}")
    return rules


def observation_space() -> Box:
    """The space of one learner's observations."""
    return Box(OBSERVATION_LOW, OBSERVATION_HIGH, (OBSERVATION_SIZE,), np.float32)


class RaVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """Ra for one learner as a Gymnasium vector environment: `num_envs` games in one array.

    `gymnasium.make_vec("ra_env/Ra-v0", 1024)` makes one too. The arguments are those of `OneSeat`
    and mean what they mean in `ra_env.single_agent`; several numbers of players take turns.

    `infos` has each learner's `action_mask`, as has `action_masks()`, and its `seat`. A game that
    ends is followed by a new one in the same step (`AutoresetMode.SAME_STEP`): then
    `infos["final_obs"]` and `infos["final_info"]` tell of the end, with the learner's `seat` and
    `rank` (0 is first), all `scores`, and `illegal_action`, whether it ended by one.
    """

    metadata = {  # noqa: RUF012  # the base class says the same of its type
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1024,
        num_players: int | Sequence[int] | None = None,
        *,
        opponents: Opponent | Sequence[Opponent] = RANDOM_NAME,
        seat: int | str = RANDOM_SEAT,
        rules: Rules | None = None,
        reward: str = "placement",
        view: str = "memory",
        threads: int = 1,
    ) -> None:
        self.games = OneSeat(
            chosen_tables(num_players, rules),
            num_envs,
            opponents=opponents,
            seat=seat,
            reward=reward,
            view=view,
            threads=threads,
        )
        self.num_envs = self.games.num_games
        self.single_observation_space = observation_space()
        self.single_action_space = Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._masks = np.zeros((self.num_envs, NUM_ACTIONS), np.int8)

    def action_masks(self) -> NDArray[np.bool_]:
        """`(num_envs, 54)` which actions are legal now."""
        return self._masks.astype(np.bool_)

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin all games anew; `seed` is a whole number, or one for each game."""
        if options:
            raise ValueError(f"reset takes no options, not {shown(options)}")
        observations, masks = self.games.reset(seed)
        return observations, self._infos(masks)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        Observations, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play the learner's action in each game: `observations, rewards, terminations,
        truncations, infos`. No game is ever truncated."""
        observations, masks, rewards, done = self.games.step(actions)
        infos = self._infos(masks)
        if done.any():
            infos |= self._final_infos(done)
        return observations, rewards, done, np.zeros_like(done), infos

    def _infos(self, masks: Masks) -> dict[str, Any]:
        self._masks[:] = masks
        return {
            "action_mask": masks,
            "_action_mask": np.ones(self.num_envs, np.bool_),
            "seat": self.games.seats.copy(),
            "_seat": np.ones(self.num_envs, np.bool_),
        }

    def _final_infos(self, done: NDArray[np.bool_]) -> dict[str, Any]:
        """As Gymnasium's own vector environments have it: an object array of observations, and a
        dictionary of arrays, each with the games for which it says something."""
        ended = self.games.endings(done)
        observations = np.full(self.num_envs, None, dtype=object)
        for game, observation in zip(ended.games, ended.observations, strict=True):
            observations[game] = observation
        info: dict[str, Any] = {}
        for name, values in (
            ("seat", ended.seats),
            ("rank", ended.ranks),
            ("scores", ended.scores),
            ("illegal_action", ended.illegal),
        ):
            info[name] = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            info[name][ended.games] = values
            info[f"_{name}"] = done.copy()
        return {
            "final_obs": observations,
            "_final_obs": done.copy(),
            "final_info": info,
            "_final_info": done.copy(),
        }


# --- compiled loops over a range of games --------------------------------------------------------


@njit
def _play_on(
    games: NDArray[np.int64],
    actions: NDArray[np.int64],
    states: States,
    words: Words,
    choices: Words,
    starts: States,
    lineup: NDArray[np.int64],
    fixed_seat: int,
    reward_kind: int,
    view: int,
    seats: NDArray[np.int64],
    paid: NDArray[np.int16],
    waiting_for: NDArray[np.int64],
    agent_words: Words,
    final_states: States,
    final_seats: NDArray[np.int64],
    final_illegal: NDArray[np.bool_],
    observations: Observations,
    masks: Masks,
    rewards: NDArray[np.float32],
    done: NDArray[np.bool_],
    start: int,
    stop: int,
) -> None:
    """Play `actions[i]` in the game `games[i]`, and on until somebody has to be asked.

    `paid` are the scores up to which the learner has had its rewards, so that points made before
    its first decision in a game come with those after it.
    """
    for i in range(start, stop):
        game = games[i]
        state = states[game]
        word = words[game]
        choice = choices[game]
        action = actions[i]
        is_illegal = action != BEGIN and (legal_actions(state) >> action) & 1 == 0
        if is_illegal:
            action = BEGIN
        while True:
            if action != BEGIN:
                word = step_one(state, action, word)
            if action == BEGIN or state[PHASE] == OVER:
                if not done[game]:
                    done[game] = True
                    rewards[game] = (
                        ILLEGAL_REWARD
                        if is_illegal
                        else reward(state, paid[game], seats[game], reward_kind)
                    )
                    final_illegal[game] = is_illegal
                    final_seats[game] = seats[game]
                    copy_row(state, final_states[game])
                copy_row(starts[game], state)
                word = deal(state, word)
                seats[game] = fixed_seat
                if fixed_seat == NO_SEAT:
                    choice = next_word(choice)
                    seats[game] = below(choice, state[NUM_PLAYERS])
                _note_scores(state, paid[game])
            bits = legal_actions(state)
            place = int(state[SEAT]) - seats[game]
            who = lineup[place if place >= 0 else place + int(state[NUM_PLAYERS])]
            if count_bits(bits) == 1:
                action = lowest_action(bits)
            elif who == RANDOM:
                choice = next_word(choice)
                action = random_action(bits, choice)
            else:
                break
        if who == LEARNER:
            if not done[game]:
                rewards[game] = reward(state, paid[game], seats[game], reward_kind)
                _note_scores(state, paid[game])
            write_mask(bits, masks[game])
            observe(state, seats[game], view, observations[game])
        else:
            # Not the word itself: an agent may go on from its word to the ones after it.
            choice = next_word(choice)
            agent_words[game] = mix(choice)
        words[game] = word
        choices[game] = choice
        waiting_for[game] = who


@njit
def _note_scores(state: State, out: NDArray[np.int16]) -> None:
    for seat in range(MAX_PLAYERS):
        out[seat] = state[SCORE + seat]


@njit
def _look_back(
    states: States,
    seats: NDArray[np.int64],
    view: int,
    observations: Observations,
    ranks: NDArray[np.int64],
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        observe(states[game], seats[game], view, observations[game])
        ranks[game] = rank(states[game], seats[game])
