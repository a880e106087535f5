"""The notation of moves and the shape of a game record, format `ra-game/1`.

A move is the seat, the text of the action, and for a draw the tile that came: `"0 draw nile"`,
`"3 bid 9"`. A record is one JSON object. This module checks that a record has the right shape;
whether the game can be played that way is for `Game` to say. It knows no state and no file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ra_env.actions import ACTION_TEXTS, DRAW, parse_action
from ra_env.errors import IllegalAction, RecordError, RulesError
from ra_env.rules import TILE_IDS, Rules

FORMAT: Final = "ra-game/1"
RESULTS: Final = ("epoch_points", "scores", "ranking")
"""What is required once the game is over, and checked wherever it is given."""


@dataclass(frozen=True)
class Move:
    """One decision of a record."""

    seat: int
    action: int
    tile: str | None
    text: str


@dataclass(frozen=True)
class Record:
    """A record whose shape is right."""

    rules: Rules
    seed: int | None
    suns: list[list[int]]
    moves: list[Move]
    results: dict[str, Any]


def parse_record(record: object) -> Record:
    """The parts of a record. `RecordError` names what is missing or of the wrong kind."""
    if not isinstance(record, Mapping):
        raise RecordError(f"a record is an object, not a {type(record).__name__}")
    if record.get("format", FORMAT) != FORMAT:
        raise RecordError(f"the format is {record['format']!r}, not {FORMAT!r}")
    for key in ("suns", "moves"):
        if not isinstance(record.get(key), (list, tuple)):
            raise RecordError(f"{key!r} must be there, as a list")
    rules = _parse_rules(record)
    seed = record.get("seed")
    if seed is not None and not (_is_int(seed) and 0 <= seed < 2**64):
        raise RecordError(f"'seed' must be a whole number from 0 to 2**64 - 1, not {seed!r}")
    agents = record.get("agents")
    if agents is not None and (
        not isinstance(agents, (list, tuple)) or len(agents) != rules.num_players
    ):
        raise RecordError(f"'agents' must be a list of {rules.num_players} names")
    moves = [_parse_numbered(number, text) for number, text in enumerate(record["moves"], start=1)]
    results = {key: record[key] for key in RESULTS if key in record}
    return Record(rules, seed, list(record["suns"]), moves, results)


def parse_move(text: object) -> Move:
    """A move from its text. `IllegalAction` says what is wrong with it."""
    if not isinstance(text, str):
        raise IllegalAction(f"a move is a text, not a {type(text).__name__}")
    words = text.split()
    if len(words) < 2 or not (words[0].isascii() and words[0].isdigit()):
        raise IllegalAction("a move is a seat and an action, like '0 draw nile' or '3 bid 9'")
    if words[1] != ACTION_TEXTS[DRAW]:
        return Move(int(words[0][:9]), parse_action(" ".join(words[1:])), None, text)
    if len(words) != 3 or words[2] not in TILE_IDS:
        raise IllegalAction("a draw names the tile that came, like '0 draw nile'")
    return Move(int(words[0][:9]), DRAW, words[2], text)


def _parse_numbered(number: int, text: object) -> Move:
    try:
        return parse_move(text)
    except IllegalAction as error:
        shown = repr(text) if len(repr(text)) <= 60 else repr(text)[:57] + "..."
        raise RecordError(f"move {number} ({shown}): {error}") from None


def _parse_rules(record: Mapping[str, Any]) -> Rules:
    players = record.get("players", len(record["suns"]))
    if players != len(record["suns"]):
        raise RecordError(f"'players' is {players!r}, but there are {len(record['suns'])} sun sets")
    try:
        return Rules.from_dict(players, record.get("rules", {}))
    except RulesError as error:
        raise RecordError(f"the rules are impossible: {error}") from None


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
