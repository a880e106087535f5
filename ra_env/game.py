"""One game, friendly and checked: for notebooks, the terminal and tests.

`Game` speaks in names and texts, checks everything it is given, remembers every move and can take
it back. It knows the engine and the notation, but nothing of files, agents or frameworks.
"""

import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from ra_env.actions import ACTION_TEXTS, DRAW, action_bits_to_list, parse_action
from ra_env.ansi import draw_ansi
from ra_env.errors import IllegalAction, RecordError, RulesError, shown
from ra_env.layout import (
    AUCTION_KIND,
    AUCTION_NAMES,
    BAG,
    BAG_COUNT,
    BIDS,
    EPOCH,
    EPOCH_POINTS,
    FACE_DOWN,
    FACE_UP,
    HELD,
    HELD_KINDS,
    MIDDLE_SUN,
    NO_AUCTION,
    OVER,
    PASSED,
    PHASE,
    PHASE_NAMES,
    RA_COUNT,
    RA_SEAT,
    SCORE,
    SEAT,
    TRACK,
    State,
    set_sun_bits,
    starting_row,
    suns_at,
)
from ra_env.legality import legal_actions
from ra_env.notation import FORMAT, check_agents, parse_record
from ra_env.rng import next_word, seed_word
from ra_env.rules import GOD, MAX_PLAYERS, TILE_IDS, TILE_NAMES, Rules, whole_number
from ra_env.scoring import points_now, rank_key
from ra_env.transitions import apply, begin, deal, draw_tile

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_PLAYERS = 4


class Game:
    """A game of Ra, move by move.

    >>> game = Game(num_players=4, seed=7)
    >>> game.play("invoke")
    '0 invoke'
    >>> game.legal_moves()
    ['pass', 'bid 5', 'bid 9', 'bid 10']

    `seed` decides the deal and every tile that will be drawn; without one a random seed is taken,
    which `game.seed` then names. `suns` fixes the deal, one set per seat. `rules` asks for a
    variant.
    """

    def __init__(
        self,
        num_players: int | None = None,
        *,
        seed: int | None = None,
        suns: "Sequence[Sequence[int]] | None" = None,
        rules: Rules | None = None,
    ) -> None:
        if rules is None:
            rules = Rules(DEFAULT_PLAYERS if num_players is None else num_players)
        elif not isinstance(rules, Rules):
            raise RulesError(f"rules must be a Rules, not {shown(rules)}")
        elif num_players is not None and whole_number(num_players) != rules.num_players:
            raise RulesError(
                f"num_players is {shown(num_players)}, but rules say {rules.num_players}"
            )
        dealt = None if suns is None else rules.dealt(suns)
        self.rules = rules
        self.seed = secrets.randbits(32) if seed is None else _checked_seed(seed)
        self._state = starting_row(rules)
        self._word = _word(deal(self._state, _word(seed_word(np.uint64(self.seed)))))
        if dealt is not None:
            for seat, seat_suns in enumerate(dealt):
                set_sun_bits(self._state, FACE_UP + seat, sum(1 << (sun - 1) for sun in seat_suns))
            begin(self._state)
        self._history: list[tuple[State, np.uint64, str]] = []

    # --- what is on the table ---

    @property
    def num_players(self) -> int:
        """The number of players, 2 to 5. Seats are numbered from 0, clockwise."""
        return self.rules.num_players

    @property
    def current_seat(self) -> int | None:
        """The seat that has to decide; None when the game is over."""
        return None if self.is_over else int(self._state[SEAT])

    @property
    def epoch(self) -> int:
        """The epoch being played, from 1; the last one when the game is over."""
        return int(self._state[EPOCH])

    @property
    def phase(self) -> str:
        """What is to be decided: "turn", "gods" (spend another or end the turn), "auction",
        "discard" or "over"."""
        return PHASE_NAMES[self._state[PHASE]]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state[PHASE] == OVER)

    @property
    def scores(self) -> list[int]:
        """Each seat's points."""
        return [int(n) for n in self._state[SCORE : SCORE + self.num_players]]

    @property
    def epoch_points(self) -> list[list[int]]:
        """The points of each finished epoch, one list of seats per epoch."""
        finished = self.epoch if self.is_over else self.epoch - 1
        rows = self._state[EPOCH_POINTS : EPOCH_POINTS + finished * MAX_PLAYERS]
        return [
            [int(n) for n in row[: self.num_players]] for row in rows.reshape(finished, MAX_PLAYERS)
        ]

    @property
    def track(self) -> dict[str, int]:
        """The tiles on the auction track, by name."""
        return _named(self._state[TRACK:BAG], first=0)

    @property
    def bag(self) -> dict[str, int]:
        """The tiles left in the bag, by name. Their order is not there to be known."""
        return _named(self._state[BAG:], first=0)

    @property
    def middle_sun(self) -> int:
        """The sun in the middle."""
        return int(self._state[MIDDLE_SUN])

    @property
    def ra_count(self) -> int:
        """Ra tiles drawn in this epoch."""
        return int(self._state[RA_COUNT])

    @property
    def auction(self) -> str | None:
        """The kind of the running auction: "drawn", "voluntary" or "full"; None without one."""
        kind = self._state[AUCTION_KIND]
        return None if kind == NO_AUCTION else AUCTION_NAMES[kind]

    @property
    def ra_seat(self) -> int | None:
        """The seat that drew or invoked Ra in the running auction."""
        return None if self.auction is None else int(self._state[RA_SEAT])

    @property
    def bids(self) -> dict[int, int | None]:
        """What was said in the running auction: the sun of each seat that bid, None for a pass."""
        said = {seat: int(self._state[BIDS + seat]) for seat in range(self.num_players)}
        return {seat: None if bid == PASSED else bid for seat, bid in said.items() if bid}

    @property
    def state(self) -> State:
        """A copy of the row (see `ra_env.layout`)."""
        return self._state.copy()

    @property
    def moves(self) -> list[str]:
        """The moves played so far: seat, action, and for a draw the tile that came."""
        return [move for _, _, move in self._history]

    def tiles(self, seat: int) -> dict[str, int]:
        """The tiles in front of a seat, by name."""
        start = HELD + self._checked_seat(seat) * HELD_KINDS
        return _named(self._state[start : start + HELD_KINDS], first=GOD)

    def suns(self, seat: int) -> tuple[list[int], list[int]]:
        """The suns of a seat, highest first: those face up, and those face down."""
        seat = self._checked_seat(seat)
        return suns_at(self._state, FACE_UP + seat), suns_at(self._state, FACE_DOWN + seat)

    def points_if_scored_now(self) -> list[int]:
        """The points that each seat would get if the epoch ended now."""
        return [int(points_now(self._state, seat)) for seat in range(self.num_players)]

    def ranking(self) -> list[int]:
        """The seats by points so far, best first; among equals the highest sun decides."""
        return sorted(range(self.num_players), key=lambda seat: -int(rank_key(self._state, seat)))

    # --- playing ---

    def legal_actions(self) -> list[int]:
        """The ids of the actions allowed now, ascending; [] when the game is over."""
        return action_bits_to_list(int(legal_actions(self._state)))

    def legal_moves(self) -> list[str]:
        """The texts of the actions allowed now, in the order of their ids."""
        return [ACTION_TEXTS[action] for action in self.legal_actions()]

    def chance_outcomes(self) -> dict[str, float]:
        """What a draw would bring: the chance of each tile; {} if nobody can draw now."""
        if not int(legal_actions(self._state)) >> DRAW & 1:
            return {}
        total = int(self._state[BAG_COUNT])
        return {name: count / total for name, count in self.bag.items()}

    def play(self, action: int | str, *, tile: str | None = None) -> str:
        """Play an action, given as text or id, and return the move as a record has it.

        `tile` decides what a draw brings; without it the seed does. Whatever cannot be played
        raises `IllegalAction` and changes nothing.
        """
        number = parse_action(action)
        if not int(legal_actions(self._state)) >> number & 1:
            raise IllegalAction(self._why_not(ACTION_TEXTS[number]))
        word = self._word
        drawn = 0
        move = f"{self._state[SEAT]} {ACTION_TEXTS[number]}"
        if number == DRAW:
            word = _word(next_word(word))
            drawn = self._tile_of_draw(tile, word)
            move = f"{move} {TILE_NAMES[drawn]}"
        elif tile is not None:
            raise IllegalAction(f"a tile is for a draw, not for {ACTION_TEXTS[number]!r}")
        # A row is never changed once it stands: copies of the game share the rows of the past.
        after = self._state.copy()
        apply(after, number, drawn)
        self._history.append((self._state, self._word, move))
        self._state, self._word = after, word
        return move

    def undo(self) -> str:
        """Take the last move back and return it."""
        if not self._history:
            raise IllegalAction("there is no move to take back")
        self._state, self._word, move = self._history.pop()
        return move

    def copy(self) -> "Game":
        """A game of its own with the same position, moves and luck to come."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._history = self._history.copy()
        return other

    # --- records ---

    def to_record(self, agents: "Sequence[str] | None" = None) -> dict[str, Any]:
        """The game as a record: a JSON object that any program can read and replay."""
        if agents is not None:
            check_agents(agents, self.num_players)
        start = self._history[0][0] if self._history else self._state
        record: dict[str, Any] = {"format": FORMAT, "players": self.num_players, "seed": self.seed}
        if not self.rules.is_standard:
            record["rules"] = self.rules.to_dict()
        record["suns"] = [suns_at(start, FACE_UP + seat) for seat in range(self.num_players)]
        if agents is not None:
            record["agents"] = list(agents)
        record["moves"] = self.moves
        if self.is_over:
            record |= self._results()
        return record

    @staticmethod
    def from_record(record: object) -> "Game":
        """The game of a record. Every move and every result is checked: `RecordError` names the
        first that is wrong."""
        wanted = parse_record(record)
        game = Game(seed=wanted.seed, suns=wanted.suns, rules=wanted.rules)
        for number, move in enumerate(wanted.moves, start=1):
            try:
                if game.current_seat != move.seat and not game.is_over:
                    raise IllegalAction(f"seat {game.current_seat} is on turn, not {move.seat}")
                game.play(move.action, tile=move.tile)
            except IllegalAction as error:
                raise RecordError(f"move {number} ({shown(move.text)}): {error}") from None
        if game.is_over and wanted.missing:
            raise RecordError(f"the game is over, but {wanted.missing[0]!r} is missing")
        results = game._results()
        for key, value in wanted.results.items():
            if value != results[key]:
                raise RecordError(f"{key!r} should be {results[key]}, not {shown(value)}")
        return game

    def _results(self) -> dict[str, Any]:
        return {
            "epoch_points": self.epoch_points,
            "scores": self.scores,
            "ranking": self.ranking(),
        }

    # --- Python's own ---

    def __eq__(self, other: object) -> bool:
        """Whether both are the same game up to here: rules, deal and moves."""
        if not isinstance(other, Game):
            return NotImplemented
        return (
            self.rules == other.rules
            and self.moves == other.moves
            and bool((self._state == other._state).all())
        )

    __hash__ = None  # type: ignore[assignment]  # a game changes, so it has no hash

    def __copy__(self) -> "Game":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self.copy()

    def __str__(self) -> str:
        return draw_ansi(self._state, colour=False)

    def __repr__(self) -> str:
        return (
            f"<Game of {self.num_players}, seed {self.seed}, after {len(self._history)} moves: "
            f"epoch {self.epoch}, {self.phase}>"
        )

    # --- helpers ---

    def _checked_seat(self, seat: int) -> int:
        number = whole_number(seat)
        if number is None or not 0 <= number < self.num_players:
            raise ValueError(
                f"there is no seat {shown(seat)}; seats are 0 to {self.num_players - 1}"
            )
        return number

    def _why_not(self, text: str) -> str:
        if self.is_over:
            return f"{text!r} is not possible: the game is over"
        allowed = ", ".join(self.legal_moves())
        return f"seat {self.current_seat} cannot {text!r} in phase {self.phase!r}; legal: {allowed}"

    def _tile_of_draw(self, tile: str | None, word: np.uint64) -> int:
        if tile is None:
            return int(draw_tile(self._state, word))
        if not isinstance(tile, str) or tile not in TILE_IDS:
            raise IllegalAction(f"unknown tile {shown(tile)}; tiles: {', '.join(TILE_NAMES)}")
        if tile not in self.bag:
            raise IllegalAction(f"no {tile} is left in the bag; left: {', '.join(self.bag)}")
        return TILE_IDS[tile]


def _word(number: Any) -> np.uint64:
    """A random word as compiled code wants it: calls from Python bring plain numbers back."""
    return np.uint64(number)


def _checked_seed(seed: object) -> int:
    number = whole_number(seed)
    if number is None or not 0 <= number < 2**64:
        raise ValueError(f"seed must be a whole number from 0 to 2**64 - 1, not {shown(seed)}")
    return number


def _named(counts: State, first: int) -> dict[str, int]:
    return {TILE_NAMES[first + i]: int(n) for i, n in enumerate(counts) if n}
