"""The notation of moves and the shape of a game record, format `ra-game/1`.

A move is the seat, the text of the action, and for a draw the tile that came: `"0 draw nile"`,
`"3 bid 9"`. A record is one JSON object. This module checks that a record has the right shape;
whether the game can be played that way is for `Game` to say. It knows no state and no file.

Numbers are whole numbers: `31.0` and `true` are refused wherever the format has one. Keys that the
format does not know are left alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from ra_env.actions import ACTION_TEXTS, DRAW, parse_action
from ra_env.errors import IllegalAction, RecordError, RulesError, shown
from ra_env.rules import TILE_IDS, Rules, whole_number

FORMAT: Final = "ra-game/1"
RESULTS: Final = ("epoch_points", "scores", "ranking")
"""What a game has once it is over; checked wherever it is given."""
REQUIRED: Final = ("format", "players", *RESULTS)
"""What may be missing only while the game is under way; `suns` and `moves` never may."""


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
    suns: tuple[tuple[int, ...], ...]
    moves: list[Move]
    results: dict[str, list[Any]]
    missing: list[str]
    """What the record of a finished game would need besides."""


def parse_record(record: object) -> Record:
    """The parts of a record. `RecordError` names what is missing or of the wrong kind."""
    if not isinstance(record, Mapping):
        raise RecordError(f"a record is an object, not a {type(record).__name__}")
    written = record.get("format", FORMAT)
    if not isinstance(written, str) or written != FORMAT:  # an array would compare item by item
        raise RecordError(f"the format is {shown(written)}, not {FORMAT!r}")
    for key in ("suns", "moves"):
        if not _is_list(record.get(key)):
            raise RecordError(f"{key!r} must be there, as a list")
    rules, suns = _parse_start(record)
    if record.get("agents") is not None:
        check_agents(record["agents"], rules.num_players)
    return Record(
        rules,
        _parse_seed(record.get("seed")),
        suns,
        [_parse_numbered(number, text) for number, text in enumerate(record["moves"], start=1)],
        {key: _parse_result(key, record[key]) for key in RESULTS if key in record},
        [key for key in REQUIRED if key not in record],
    )


def parse_move(text: object) -> Move:
    """A move from its text. `IllegalAction` says what is wrong with it."""
    if not isinstance(text, str):
        raise IllegalAction("a move is a text, like '0 draw nile' or '3 bid 9'")
    seat, *words = text.lower().split() or [""]
    if not words or len(seat) != 1 or seat not in "0123456789":
        raise IllegalAction("a move is a seat and an action, like '0 draw nile' or '3 bid 9'")
    if words[0] != ACTION_TEXTS[DRAW]:
        return Move(int(seat), parse_action(" ".join(words)), None, text)
    if len(words) != 2 or words[1] not in TILE_IDS:
        raise IllegalAction("a draw names the tile that came, like '0 draw nile'")
    return Move(int(seat), DRAW, words[1], text)


def check_agents(agents: object, num_players: int) -> None:
    """Raise `RecordError` unless there is a name for each seat."""
    if (
        not _is_list(agents)
        or len(agents) != num_players
        or not all(isinstance(name, str) for name in agents)
    ):
        raise RecordError(f"'agents' must be a list of {num_players} names, not {shown(agents)}")


def _parse_start(record: Mapping[str, Any]) -> tuple[Rules, tuple[tuple[int, ...], ...]]:
    seats = len(record["suns"])
    players = record.get("players", seats)
    if whole_number(players) != seats:
        raise RecordError(f"'players' is {shown(players)}, but there are {seats} sun sets")
    try:
        rules = Rules.from_dict(seats, record.get("rules", {}))
    except RulesError as error:
        raise RecordError(f"the rules are impossible: {error}") from None
    try:
        return rules, rules.dealt(record["suns"])
    except RulesError as error:
        raise RecordError(f"the deal is impossible: {error}") from None


def _parse_seed(seed: object) -> int | None:
    number = whole_number(seed)
    if seed is not None and (number is None or not 0 <= number < 2**64):
        raise RecordError(f"'seed' must be a whole number from 0 to 2**64 - 1, not {shown(seed)}")
    return number


def _parse_numbered(number: int, text: object) -> Move:
    try:
        return parse_move(text)
    except IllegalAction as error:
        raise RecordError(f"move {number} ({shown(text)}): {error}") from None


def _parse_result(key: str, value: object) -> list[Any]:
    if key == "epoch_points":
        if _is_list(value) and all(map(_is_list_of_numbers, value)):
            return [list(points) for points in value]
        kind = "lists of whole numbers, one for each epoch"
    else:
        if _is_list_of_numbers(value):
            return list(value)
        kind = "whole numbers"
    raise RecordError(f"{key!r} must be a list of {kind}, not {shown(value)}")


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, (list, tuple))


def _is_list_of_numbers(value: object) -> TypeGuard[Sequence[int]]:
    return _is_list(value) and all(whole_number(number) is not None for number in value)
