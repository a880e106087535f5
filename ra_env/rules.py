"""What is in the box and what a game is played with: tiles, suns, and the `Rules` of a variant.

A variant is data: the same compiled code plays every allowed `Rules`. This module knows nothing
about states, actions or the course of play.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeGuard

import numpy as np

from ra_env.errors import RulesError, shown

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 5
MAX_EPOCHS: Final = 3
MAX_RA_SPACES: Final = 10
MAX_AUCTION_SPACES: Final = 8
MAX_SUN: Final = 16
MAX_BAG: Final = 3000
"""More tiles, nearly all of them gold, could overflow a 16-bit score within three epochs."""

START_POINTS: Final = 10

# Tile kinds. The order is that of the action table and of every array of tile counts.
RA: Final = 0
GOD: Final = 1
PHARAOH: Final = 2
NILE: Final = 3
FLOOD: Final = 4
GOLD: Final = 5
FIRST_CIVILIZATION: Final = 6
FIRST_MONUMENT: Final = 11
FUNERAL: Final = 19
DROUGHT: Final = 20
UNREST: Final = 21
EARTHQUAKE: Final = 22
NUM_TILES: Final = 23
END_CIVILIZATION: Final = FIRST_MONUMENT
END_MONUMENT: Final = FUNERAL
END_HELD: Final = FUNERAL
"""Tile kinds from GOD up to here can lie in front of a player."""

TILE_NAMES: Final = (
    *("ra", "god", "pharaoh", "nile", "flood", "gold"),
    *("astronomy", "agriculture", "writing", "religion", "art"),
    *("fortress", "obelisk", "palace", "pyramid", "temple", "statue", "step_pyramid", "sphinx"),
    *("funeral", "drought", "unrest", "earthquake"),
)
TILE_IDS: Final = {name: tile for tile, name in enumerate(TILE_NAMES)}

STANDARD_BAG: Final = (30, 8, 25, 25, 12, 5, *([5] * 5), *([5] * 8), 2, 2, 4, 2)
STANDARD_SUNS: Final = {
    2: ((9, 6, 5, 2), (8, 7, 4, 3)),
    3: ((13, 8, 5, 2), (12, 9, 6, 3), (11, 10, 7, 4)),
    4: ((13, 6, 2), (12, 7, 3), (11, 8, 4), (10, 9, 5)),
    5: ((16, 7, 2), (15, 8, 3), (14, 9, 4), (13, 10, 5), (12, 11, 6)),
}
STANDARD_RA_SPACES: Final = {2: 6, 3: 8, 4: 9, 5: 10}
_STANDARD: Any = None
"""Stands for what the standard game of this many players has."""


@dataclass(frozen=True)
class Rules:
    """What a game is played with. `Rules(4)` is the standard game for four players.

    Everything else can be changed: `Rules(2, epochs=1, ra_spaces=3, bag={"ra": 5, "nile": 9})`.
    Settings that no game could be played with are refused with a `RulesError`.
    """

    num_players: int
    """Number of players, 2 to 5."""
    epochs: int = MAX_EPOCHS
    """Number of epochs, 1 to 3; monuments and suns are scored after the last one."""
    ra_spaces: int = _STANDARD
    """The Ra tile that ends an epoch, 1 to 10; by default 6, 8, 9, 10 for 2, 3, 4, 5 players."""
    auction_spaces: int = MAX_AUCTION_SPACES
    """Spaces of the auction track, 1 to 8."""
    bag: tuple[int, ...] = STANDARD_BAG
    """Tiles of each kind; a mapping from tile names to numbers is taken too."""
    suns: tuple[tuple[int, ...], ...] = _STANDARD
    """One set of suns for each seat, dealt at random; all distinct, 1 to 16, equally many each."""
    middle_sun: int = 1
    """The sun that lies in the middle at the start."""

    def __post_init__(self) -> None:
        self._check("num_players", MIN_PLAYERS, MAX_PLAYERS)
        self._check("epochs", 1, MAX_EPOCHS)
        if self.ra_spaces is _STANDARD:
            object.__setattr__(self, "ra_spaces", STANDARD_RA_SPACES[self.num_players])
        self._check("ra_spaces", 1, MAX_RA_SPACES)
        self._check("auction_spaces", 1, MAX_AUCTION_SPACES)
        self._check("middle_sun", 1, MAX_SUN)
        object.__setattr__(self, "bag", _checked_bag(self.bag))
        suns = STANDARD_SUNS[self.num_players] if self.suns is _STANDARD else self.suns
        object.__setattr__(self, "suns", _checked_suns(suns, self.num_players, self.middle_sun))
        needed = self.epochs * self.ra_spaces
        if self.bag[RA] < needed:
            raise RulesError(
                f"the bag has {self.bag[RA]} ra tiles, but {self.epochs} epochs of "
                f"{self.ra_spaces} ra spaces need at least {needed}"
            )

    def _check(self, name: str, low: int, high: int) -> None:
        object.__setattr__(self, name, _checked_int(name, getattr(self, name), low, high))

    @property
    def is_standard(self) -> bool:
        """Whether this is the game as it comes in the box."""
        return self == Rules(self.num_players)

    def dealt(self, suns: Any) -> tuple[tuple[int, ...], ...]:
        """The sun sets of `suns`, one per seat, if they are a deal of these rules' sets."""
        deal = _checked_suns(suns, self.num_players, self.middle_sun)
        if sorted(deal) != sorted(self.suns):
            raise RulesError(
                f"suns {_plain(deal)} are not a deal of the sets {_plain(self.suns)}; "
                "other sets are a variant: give them as Rules(..., suns=...)"
            )
        return deal

    def to_dict(self) -> dict[str, Any]:
        """What differs from the standard game, as JSON values; `{}` for the standard game."""
        standard = Rules(self.num_players)
        changed = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if getattr(self, f.name) != getattr(standard, f.name)
        }
        if "bag" in changed:
            changed["bag"] = {TILE_NAMES[t]: n for t, n in enumerate(self.bag) if n}
        if "suns" in changed:
            changed["suns"] = _plain(self.suns)
        return changed

    @classmethod
    def from_dict(cls, num_players: int, settings: Any) -> "Rules":
        """The rules that `to_dict` wrote; what is not named is standard."""
        allowed = [f.name for f in fields(cls) if f.name != "num_players"]
        if not isinstance(settings, Mapping):
            raise RulesError(
                f"rules must be an object with some of {', '.join(allowed)}, not {shown(settings)}"
            )
        unknown = [key for key in settings if key not in allowed]
        if unknown:
            raise RulesError(f"unknown rule {shown(unknown[0])}; allowed: {', '.join(allowed)}")
        return cls(num_players, **settings)


def whole_number(value: object) -> int | None:
    """A value of any integer type as an int; None for anything else, be it 3.0 or True."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # refuses anything unfit itself
    except TypeError:
        return None


def _checked_int(name: str, value: object, low: int, high: int) -> int:
    number = whole_number(value)
    if number is None or not low <= number <= high:
        raise RulesError(f"{name} must be a whole number from {low} to {high}, not {shown(value)}")
    return number


def _checked_bag(bag: object) -> tuple[int, ...]:
    if isinstance(bag, Mapping):
        unknown = [name for name in bag if name not in TILE_IDS]
        if unknown:
            known = ", ".join(TILE_NAMES)
            raise RulesError(f"unknown tile {shown(unknown[0])} in bag; tiles: {known}")
        bag = [bag.get(name, 0) for name in TILE_NAMES]
    if not _is_list(bag) or len(bag) != NUM_TILES:
        raise RulesError(f"bag must name tiles or give {NUM_TILES} numbers, one per kind")
    counts = tuple(
        _checked_int(f"number of {name} tiles", count, 0, MAX_BAG)
        for name, count in zip(TILE_NAMES, bag, strict=True)
    )
    if sum(counts) > MAX_BAG:
        raise RulesError(f"the bag has {sum(counts)} tiles; at most {MAX_BAG} are possible")
    return counts


def _checked_suns(suns: object, num_players: int, middle_sun: int) -> tuple[tuple[int, ...], ...]:
    if not _is_list(suns) or not all(_is_list(seat_suns) for seat_suns in suns):
        raise RulesError("suns must be one list of suns for each seat, like [[9, 6], [8, 7]]")
    if len(suns) != num_players:
        raise RulesError(f"suns are given for {len(suns)} seats, but there are {num_players}")
    sets = [[_checked_int("a sun", sun, 1, MAX_SUN) for sun in seat_suns] for seat_suns in suns]
    if len({len(seat_suns) for seat_suns in sets}) != 1 or not sets[0]:
        raise RulesError("every seat needs equally many suns, at least one")
    every = [middle_sun, *(sun for seat_suns in sets for sun in seat_suns)]
    twice = sorted({sun for sun in every if every.count(sun) > 1})
    if twice:
        raise RulesError(f"sun {twice[0]} is there twice (the middle sun is {middle_sun})")
    return tuple(tuple(sorted(seat_suns, reverse=True)) for seat_suns in sets)


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, (list, tuple))


def _plain(suns: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(seat_suns) for seat_suns in suns]
