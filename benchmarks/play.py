"""Plays games between agents, many side by side, and keeps what a comparison needs of each.

A game is decided by its seed and by who sits where, and by nothing else. The luck of the bag comes
from the seed; the random words of a seat come from the seed and the seat (`first_stream`), so they
stay the same whoever sits there. How many games run side by side, in which order and in how many
processes makes no difference.

Moves that leave no choice are played here; agents are not asked. This module knows no statistics,
no processes and no files.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env import batch
from ra_env._jit import njit
from ra_env.actions import ACTION_TEXTS, NUM_ACTIONS
from ra_env.agent import Agent, BatchAgent
from ra_env.batch import States, Words
from ra_env.errors import IllegalAction
from ra_env.game import Game
from ra_env.layout import (
    EPOCH,
    NUM_EPOCHS,
    NUM_PLAYERS,
    OVER,
    PHASE,
    SCORE,
    SEAT,
    STATE_SIZE,
    State,
    copy_row,
    count_bits,
)
from ra_env.legality import legal_actions, lowest_action
from ra_env.rng import mix, next_word, seed_word
from ra_env.rules import Rules
from ra_env.scoring import NUM_CATEGORIES, category_points, rank
from ra_env.transitions import step

Numbers = NDArray[np.int64]
Announce = Callable[[int, int, bytes], None]
"""Told before every single decision: the game, the agent, and the game's decisions so far."""

NO_ACTION: Final = -1


class AgentFailed(Exception):
    """An agent raised something, or chose what is not legal."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(f"seat {seat}: {reason}")
        self.seat = seat
        self.reason = reason


@dataclass(frozen=True)
class Failure:
    """A game that could not be played on, and who is to blame."""

    agent: str
    seat: int
    seed: int
    reason: str
    record: dict[str, Any]
    """The game up to the decision that failed."""


@dataclass(frozen=True)
class Block:
    """All games of one seed: the same luck with the agents in several arrangements."""

    seed: int
    seats: Numbers
    """`(games, players)` the index of the agent at each seat."""
    scores: Numbers
    """`(games, players)` final points."""
    ranks: Numbers
    """`(games, players)` final places; 0 is first."""
    points: Numbers
    """`(games, players, 7)` points by `scoring.CATEGORIES`, summed over the epochs. A total that
    would fall below zero becomes zero, so a score can be higher than these and the 10 points of
    the start together."""
    decisions: tuple[bytes, ...]
    """The actions of each game, without moves that left no choice."""
    failures: tuple[Failure, ...] = ()
    """Why the games did not end; then they count for nobody, and the arrays mean nothing."""


def play_blocks(
    agents: Sequence[tuple[str, Agent]],
    rules: Rules,
    seeds: Sequence[int],
    seatings: Sequence[Numbers],
    announce: Announce | None = None,
) -> list[Block]:
    """Play every seed in all arrangements of its seating; one block for each seed.

    `agents` are names and agents, and a seating has their indices, one row for each game. With
    `announce` each decision is announced and asked for by itself: slower, but whoever listens
    knows at any time which agent is at work.
    """
    games = _Games(agents, rules, seeds, seatings)
    while games.play_on(announce):
        pass
    return games.blocks()


def moves_of(game: Game, agents: Sequence[Agent]) -> Iterator[str]:
    """Play one game move by move, one agent for each seat; the same game as in a block.

    Raises `AgentFailed`, from whatever an agent has raised.
    """
    streams = [np.uint64(first_stream(np.uint64(game.seed), s)) for s in range(game.num_players)]
    while (seat := game.current_seat) is not None:
        legal = game.legal_actions()
        if len(legal) == 1:
            yield game.play(legal[0])
            continue
        streams[seat] = np.uint64(next_word(streams[seat]))
        try:
            move = game.play(agents[seat].act(game.state, np.uint64(mix(streams[seat]))))
        except Exception as error:
            raise AgentFailed(seat, _describe(error)) from error
        yield move


def to_record(rules: Rules, seed: int, decisions: bytes, names: Sequence[str]) -> dict[str, Any]:
    """The record of a game from its decisions."""
    game = Game(rules=rules, seed=seed)
    for action in decisions:
        game.play(action)
        while len(legal := game.legal_actions()) == 1:
            game.play(legal[0])
    return game.to_record(agents=names)


def block_records(block: Block, rules: Rules, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The records of a block's games."""
    for seats, decisions in zip(block.seats, block.decisions, strict=True):
        yield to_record(rules, block.seed, decisions, [names[i] for i in seats])


# --- the games of a batch ------------------------------------------------------------------------


class _Games:
    """The games of some seeds side by side, while they are played."""

    def __init__(
        self,
        agents: Sequence[tuple[str, Agent]],
        rules: Rules,
        seeds: Sequence[int],
        seatings: Sequence[Numbers],
    ) -> None:
        self._agents = agents
        # Asked once, for it takes longer than a decision.
        self._batch_agents = [a if isinstance(a, BatchAgent) else None for _, a in agents]
        self._rules = rules
        self._seeds = [int(seed) for seed in seeds]
        self._seats = np.concatenate(seatings).astype(np.int64)
        self._block_of = np.repeat(np.arange(len(seeds)), [len(s) for s in seatings])
        game_seeds = np.array(self._seeds, np.uint64)[self._block_of]
        self._states, self._words = batch.new_games(rules, game_seeds)
        self._streams = np.empty((len(game_seeds), rules.num_players), np.uint64)
        _first_streams(game_seeds, self._streams)
        shape = (len(game_seeds), rules.num_players, NUM_CATEGORIES)
        self._points = np.zeros(shape, np.int64)
        self._scratch = np.empty(STATE_SIZE, np.int16)
        self._history: list[tuple[Numbers, Numbers]] = []
        self._is_failed = np.zeros(len(game_seeds), np.bool_)
        """Whether one of the games of the same seed has failed; then none is played on."""
        self._failures: dict[int, list[Failure]] = {}

    def play_on(self, announce: Announce | None) -> bool:
        """One decision in each game that goes on; False once there is none."""
        games = len(self._states)
        rows: Numbers = np.empty(games, np.int64)
        words: Words = np.empty(games, np.uint64)
        on_turn: Numbers = np.empty(games, np.int64)
        count = _next_decisions(
            self._states, self._seats, self._streams, self._is_failed, rows, words, on_turn
        )
        if count == 0:
            return False
        rows, words, on_turn = rows[:count], words[:count], on_turn[:count]
        actions = np.full(count, NO_ACTION, np.int64)
        reasons: dict[int, str] = {}
        for index in range(len(self._agents)):
            mine = np.flatnonzero(on_turn == index)
            if announce is None:
                reasons |= self._ask_together(index, rows, words, mine, actions)
            else:
                reasons |= self._ask_each(index, rows, words, mine, actions, announce)
        is_legal = np.empty(count, np.bool_)
        _check_legal(self._states, rows, actions, is_legal)
        for i in np.flatnonzero(~is_legal):
            state = self._states[rows[i]]
            self._fail(int(rows[i]), reasons.get(int(i)) or _why_illegal(state, int(actions[i])))
        fine = rows[is_legal], actions[is_legal]
        self._history.append(fine)
        _advance(self._states, self._words, *fine, self._scratch, self._points)
        return True

    def _ask_together(
        self, index: int, rows: Numbers, words: Words, mine: Numbers, out: Numbers
    ) -> dict[int, str]:
        """Write the actions of an agent into `out`; where there is none, return the reason."""
        agent = self._batch_agents[index]
        if agent is None:
            return self._ask_each(index, rows, words, mine, out)
        if not len(mine):
            return {}
        actions = np.full(len(mine), NO_ACTION, np.int64)
        try:
            # Indexing copies: what the agent does to its rows does not reach the games.
            agent.act_batch(self._states[rows[mine]], words[mine], actions)
        except Exception as error:
            # Which game was it? Agents are functions of row and word, so they can be asked again.
            reasons = self._ask_each(index, rows, words, mine, out)
            if not reasons:
                out[mine[0]] = NO_ACTION
                reasons[int(mine[0])] = _describe(error)
            return reasons
        out[mine] = actions
        return {}

    def _ask_each(
        self,
        index: int,
        rows: Numbers,
        words: Words,
        mine: Numbers,
        out: Numbers,
        announce: Announce | None = None,
    ) -> dict[int, str]:
        """The same, one by one."""
        agent = self._agents[index][1]
        reasons = {}
        for i in mine:
            game = int(rows[i])
            if announce is not None:
                announce(game, index, self._decisions_of(game))
            try:
                out[i] = agent.act(self._states[game].copy(), words[i])
            except Exception as error:
                reasons[int(i)] = _describe(error)
        return reasons

    def blocks(self) -> list[Block]:
        """What came out, one block for each seed."""
        scores = np.empty(self._seats.shape, np.int64)
        ranks = np.empty(self._seats.shape, np.int64)
        _read_results(self._states, scores, ranks)
        decisions = self._decisions()
        ends = np.searchsorted(self._block_of, np.arange(len(self._seeds) + 1))
        return [
            Block(
                seed,
                self._seats[a:b],
                scores[a:b],
                ranks[a:b],
                self._points[a:b],
                tuple(decisions[a:b]),
                tuple(self._failures.get(number, ())),
            )
            for number, (seed, a, b) in enumerate(
                zip(self._seeds, ends[:-1], ends[1:], strict=True)
            )
        ]

    def _decisions(self) -> list[bytes]:
        """The actions of all games."""
        table = np.full((len(self._states), len(self._history)), NO_ACTION, np.int8)
        for number, (rows, actions) in enumerate(self._history):
            table[rows, number] = actions
        return [row[row != NO_ACTION].astype(np.uint8).tobytes() for row in table]

    def _decisions_of(self, game: int) -> bytes:
        """The actions of one game, while it is played."""
        return bytes(
            int(a[0]) for rows, actions in self._history if len(a := actions[rows == game])
        )

    def _fail(self, game: int, reason: str) -> None:
        block = int(self._block_of[game])
        seat = int(self._states[game, SEAT])
        names = [self._agents[i][0] for i in self._seats[game]]
        seed = self._seeds[block]
        record = to_record(self._rules, seed, self._decisions_of(game), names)
        failure = Failure(names[seat], seat, seed, reason, record)
        self._failures.setdefault(block, []).append(failure)
        self._is_failed[self._block_of == block] = True


# --- reasons ------------------------------------------------------------------------------------


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _why_illegal(state: State, action: int) -> str:
    """The engine's own words, without the number of a game in a batch."""
    try:
        batch.check_legal(state[np.newaxis], np.array([action]))
    except IllegalAction as error:
        return str(error).replace(" in game 0", "")
    raise AssertionError(f"{ACTION_TEXTS[action]} is legal")


# --- compiled ------------------------------------------------------------------------------------


@njit
def first_stream(seed: np.uint64, seat: int) -> np.uint64:
    """Where the random words of a seat begin, in the game with this seed.

    The words are `mix(next_word(stream))`, `mix(next_word(next_word(stream)))` and so on, one for
    each decision with a choice: random numbers, so that an agent may go on from its word to the
    ones after it without meeting those of its next decisions.
    """
    return mix(seed_word(seed) ^ np.uint64(seat + 1))


@njit
def _first_streams(seeds: Words, out: NDArray[np.uint64]) -> None:
    for game in range(len(seeds)):
        for seat in range(out.shape[1]):
            out[game, seat] = first_stream(seeds[game], seat)


@njit
def _next_decisions(
    states: States,
    seats: Numbers,
    streams: NDArray[np.uint64],
    is_failed: NDArray[np.bool_],
    rows: Numbers,
    words: Words,
    agents: Numbers,
) -> int:
    """Find the games that go on; write their numbers, and of each the random word and the agent of
    the seat on turn. Returns how many there are."""
    count = 0
    for game in range(len(states)):
        if states[game, PHASE] == OVER or is_failed[game]:
            continue
        seat = states[game, SEAT]
        streams[game, seat] = next_word(streams[game, seat])
        rows[count] = game
        words[count] = mix(streams[game, seat])
        agents[count] = seats[game, seat]
        count += 1
    return count


@njit
def _check_legal(states: States, rows: Numbers, actions: Numbers, out: NDArray[np.bool_]) -> None:
    for i in range(len(rows)):
        action = actions[i]
        is_action = 0 <= action < NUM_ACTIONS
        out[i] = is_action and (legal_actions(states[rows[i]]) >> action) & 1 == 1


@njit
def _advance(
    states: States, words: Words, rows: Numbers, actions: Numbers, scratch: State, points: Numbers
) -> None:
    """Play an action in each of these games, and the forced moves after it.

    Adds what each seat gets at the end of an epoch to `points`, by category.
    """
    for i in range(len(rows)):
        game = rows[i]
        state = states[game]
        action = actions[i]
        while True:
            word = words[game]
            epoch = state[EPOCH]
            copy_row(state, scratch)
            # What an epoch has brought is cleared away at its end, except at the end of the game.
            # So if one has ended, its last step is repeated on a copy in which it is the last one.
            for row in (state, scratch):
                after = step(row, action, word)
                if row[PHASE] == OVER:
                    _add_points(row, state[PHASE] == OVER, points[game])
                if state[EPOCH] == epoch:
                    break
                scratch[NUM_EPOCHS] = epoch
            words[game] = after
            bits = legal_actions(state)
            if count_bits(bits) != 1:
                break
            action = lowest_action(bits)


@njit
def _add_points(state: State, is_end: bool, out: Numbers) -> None:
    """Add the points of a row in which the epoch is over; monuments and suns at the end only."""
    for seat in range(state[NUM_PLAYERS]):
        for category in range(NUM_CATEGORIES if is_end else NUM_CATEGORIES - 2):
            out[seat, category] += category_points(state, seat, category)


@njit
def _read_results(states: States, scores: Numbers, ranks: Numbers) -> None:
    for game in range(len(states)):
        for seat in range(scores.shape[1]):
            scores[game, seat] = states[game, SCORE + seat]
            ranks[game, seat] = rank(states[game], seat)
