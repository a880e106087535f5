"""The whole game of Ra once more, written to be read: names, counters and sets of suns.

This is the slow twin of the compiled engine. It shares no code and no tables with it, so a mistake
would have to be made twice to go unnoticed when both play the same moves. It imports the standard
library alone, holds no randomness (whoever plays a draw says which tile came) and knows nothing of
action numbers, observations or rewards.

A short account of the rules, in the order of the code below:

* Tiles are drawn from one bag onto a track of eight spaces. A Ra tile moves a boat instead and
  opens an auction; the last Ra tile of an epoch ends it at once.
* A turn is one of: draw (if the track has room), invoke Ra (which opens an auction too), or spend
  one or more gods, each of which takes one tile that is not a god from the track.
* In an auction everyone with a face-up sun speaks once, clockwise, the Ra player last. The highest
  sun wins the track and the sun in the middle, which it replaces there.
* Disasters in a lot destroy two matching tiles each; the owner chooses civilizations, then
  monuments, wherever there is something to choose.
* An epoch ends with its last Ra tile or when no face-up sun is left. Then everybody scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

CIVILIZATIONS = ("astronomy", "agriculture", "writing", "religion", "art")
MONUMENTS = (
    "fortress",
    "obelisk",
    "palace",
    "pyramid",
    "temple",
    "statue",
    "step_pyramid",
    "sphinx",
)
DISASTERS = ("funeral", "drought", "unrest", "earthquake")

# What a god may take, in the order in which moves are listed.
TAKEABLE = ("pharaoh", "nile", "flood", "gold", *CIVILIZATIONS, *MONUMENTS, *DISASTERS)
# What stays with its owner from one epoch to the next.
LASTING = ("pharaoh", "nile", *MONUMENTS)
# The two families of which the owner chooses what a disaster destroys; civilizations go first.
CHOSEN_FAMILIES = {"unrest": CIVILIZATIONS, "earthquake": MONUMENTS}

STANDARD_BAG: dict[str, int] = {
    "ra": 30,
    "god": 8,
    "pharaoh": 25,
    "nile": 25,
    "flood": 12,
    "gold": 5,
    **dict.fromkeys(CIVILIZATIONS, 5),
    **dict.fromkeys(MONUMENTS, 5),
    "funeral": 2,
    "drought": 2,
    "unrest": 4,
    "earthquake": 2,
}
RA_SPACES = {2: 6, 3: 8, 4: 9, 5: 10}
STARTING_SCORE = 10
TILES_LOST_PER_DISASTER = 2

# ----------------------------------------------------------------------------------- scoring


def most_and_fewest(amounts: Sequence[int], most: int, fewest: int) -> list[int]:
    """Points for having the most and the fewest: ties in full, nothing when all are equal."""
    highest, lowest = max(amounts), min(amounts)
    if highest == lowest:
        return [0] * len(amounts)
    return [most if n == highest else fewest if n == lowest else 0 for n in amounts]


def pharaoh_points(pharaohs: Sequence[int]) -> list[int]:
    """Most pharaohs +5, fewest -2."""
    return most_and_fewest(pharaohs, most=5, fewest=-2)


def sun_points(totals: Sequence[int]) -> list[int]:
    """Highest total of suns +5, lowest -5."""
    return most_and_fewest(totals, most=5, fewest=-5)


def river_points(tiles: Mapping[str, int]) -> int:
    """Niles and floods count 1 each, but only with at least one flood."""
    floods, niles = tiles.get("flood", 0), tiles.get("nile", 0)
    return floods + niles if floods > 0 else 0


def civilization_points(tiles: Mapping[str, int]) -> int:
    """Only the number of different civilizations counts; having none costs 5."""
    kinds = sum(1 for tile in CIVILIZATIONS if tiles.get(tile, 0) > 0)
    return {0: -5, 1: 0, 2: 0, 3: 5, 4: 10, 5: 15}[kinds]


def monument_points(tiles: Mapping[str, int]) -> int:
    """Points for different kinds, and for each kind that is there three times or more."""
    counts = [tiles.get(tile, 0) for tile in MONUMENTS]
    kinds = sum(1 for count in counts if count > 0)
    for_kinds = {7: 10, 8: 15}.get(kinds, kinds)
    # A bag of a variant may hold more than five of a kind: those count as five.
    for_equals = sum({3: 5, 4: 10, 5: 15}.get(min(count, 5), 0) for count in counts)
    return for_kinds + for_equals


def score_epoch(
    holdings: Sequence[Mapping[str, int]], suns: Sequence[Iterable[int]], is_last: bool
) -> list[int]:
    """The points of each seat for one epoch, summed but not yet added to anything.

    `holdings` are the tiles and `suns` all the suns, face up and face down, of each seat.
    """
    points = pharaoh_points([tiles.get("pharaoh", 0) for tiles in holdings])
    for seat, tiles in enumerate(holdings):
        points[seat] += 2 * tiles.get("god", 0) + 3 * tiles.get("gold", 0)
        points[seat] += river_points(tiles) + civilization_points(tiles)
        if is_last:
            points[seat] += monument_points(tiles)
    if is_last:
        for seat, bonus in enumerate(sun_points([sum(held) for held in suns])):
            points[seat] += bonus
    return points


# ------------------------------------------------------------------------------- on the table


@dataclass
class Player:
    """What lies in front of one seat. Suns that are face down rest until the next epoch."""

    face_up: set[int]
    face_down: set[int] = field(default_factory=set)
    tiles: Counter[str] = field(default_factory=Counter)
    score: int = STARTING_SCORE

    @property
    def suns(self) -> set[int]:
        return self.face_up | self.face_down


@dataclass
class Auction:
    """A running auction. `kind` is "drawn", "voluntary" or "full"."""

    kind: str
    waiting: list[int]  # seats that have not spoken yet, in order; the Ra player is the last
    bids: dict[int, int | None] = field(default_factory=dict)

    @property
    def highest_bid(self) -> int:
        return max((bid for bid in self.bids.values() if bid is not None), default=0)

    @property
    def is_ra_player_forced(self) -> bool:
        """Whoever invokes Ra of their own accord must bid if nobody else has."""
        return self.kind == "voluntary" and len(self.waiting) == 1 and self.highest_bid == 0


def take_out(tiles: Counter[str], tile: str, at_most: int = 1) -> int:
    """Remove up to `at_most` tiles of a kind, leave no zero behind, and say how many went."""
    removed = min(at_most, tiles[tile])
    tiles[tile] -= removed
    if tiles[tile] == 0:
        del tiles[tile]
    return removed


# ----------------------------------------------------------------------------------- the game


class ReferenceGame:
    """One game, played by texts: `game.play("draw", tile="nile")`, `game.play("bid 7")`."""

    def __init__(
        self,
        suns: list[list[int]],
        *,
        middle_sun: int = 1,
        epochs: int = 3,
        ra_spaces: int | None = None,
        auction_spaces: int = 8,
        bag: dict[str, int] | None = None,
    ) -> None:
        if len(suns) not in RA_SPACES:
            raise ValueError(f"2 to 5 players can play, not {len(suns)}")
        all_suns = [middle_sun, *(sun for dealt in suns for sun in dealt)]
        if len(set(all_suns)) != len(all_suns) or not all(suns):
            raise ValueError(f"every seat needs suns, and no sun may exist twice: {suns}")
        if min(all_suns) < 1 or max(all_suns) > 16:
            raise ValueError(f"suns are numbered 1 to 16: {suns}, {middle_sun} in the middle")
        if epochs < 1 or auction_spaces < 1:
            raise ValueError("there must be at least one epoch and one auction space")

        self.epochs = epochs
        self.ra_spaces = RA_SPACES[len(suns)] if ra_spaces is None else ra_spaces
        self.auction_spaces = auction_spaces

        contents = STANDARD_BAG if bag is None else bag
        unknown = set(contents) - set(STANDARD_BAG)
        if unknown:
            raise ValueError(f"unknown tiles in the bag: {sorted(unknown)}")
        if self.ra_spaces < 1 or contents.get("ra", 0) < epochs * self.ra_spaces:
            raise ValueError("the bag could run dry: too few Ra tiles for the epochs to end")

        self.players = [Player(face_up=set(dealt)) for dealt in suns]
        self.middle_sun = middle_sun
        self.bag: Counter[str] = Counter({t: n for t, n in contents.items() if n > 0})
        self.track: Counter[str] = Counter()
        self.gone: Counter[str] = Counter()  # without the Ra tiles that lie on the boat's spaces
        self.ra_count = 0
        self.epoch = 1
        self.epoch_points: list[list[int]] = []

        self.seat: int | None = None
        self.phase = "turn"
        self.turn_seat = 0  # whose turn it is; during an auction and after it, the Ra player
        self.has_spent_god = False  # in this turn
        self.auction: Auction | None = None
        self.owed: dict[str, int] = {}  # tiles the deciding seat has yet to lose, per disaster

        self._begin_epoch()

    # ------------------------------------------------------------------------------- looking

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    @property
    def scores(self) -> list[int]:
        return [player.score for player in self.players]

    @property
    def bids(self) -> dict[int, int | None]:
        """Of the running auction: the sun each seat has bid, None for a pass; else empty."""
        return {} if self.auction is None else dict(self.auction.bids)

    def tiles(self, seat: int) -> Counter[str]:
        return self.players[seat].tiles.copy()

    def face_up(self, seat: int) -> set[int]:
        """Usable suns. A sun that was bid stays among them until the auction is decided."""
        return set(self.players[seat].face_up)

    def face_down(self, seat: int) -> set[int]:
        return set(self.players[seat].face_down)

    def points_if_scored_now(self) -> list[int]:
        """What each seat would get if the epoch ended here; monuments and suns in the last."""
        return score_epoch(
            [player.tiles for player in self.players],
            [player.suns for player in self.players],
            is_last=self.epoch == self.epochs,
        )

    def ranking(self) -> list[int]:
        """Seats, best first: the higher score, among equals the one with the highest sun."""

        def strength(seat: int) -> tuple[int, int]:
            return self.players[seat].score, max(self.players[seat].suns)

        return sorted(range(len(self.players)), key=strength, reverse=True)

    # --------------------------------------------------------------------------- legal moves

    def legal_moves(self) -> list[str]:
        """The texts of all moves the seat on turn may make; none when the game is over."""
        if self.phase == "turn":
            draw = [] if self._is_track_full() else ["draw"]
            return [*draw, "invoke", *self._legal_takes()]
        if self.phase == "gods":
            return ["end", *self._legal_takes()]
        if self.phase == "auction":
            return self._legal_bids()
        if self.phase == "discard":
            return [f"discard {tile}" for tile in self._discard_choices()]
        return []

    def _legal_takes(self) -> list[str]:
        if self.players[self.turn_seat].tiles["god"] == 0:
            return []
        return [f"take {tile}" for tile in TAKEABLE if self.track[tile] > 0]

    def _legal_bids(self) -> list[str]:
        assert self.auction is not None
        assert self.seat is not None
        highest = self.auction.highest_bid
        suns = sorted(sun for sun in self.players[self.seat].face_up if sun > highest)
        may_pass = not self.auction.is_ra_player_forced
        return [*(["pass"] if may_pass else []), *(f"bid {sun}" for sun in suns)]

    def _discard_choices(self) -> list[str]:
        """The kinds to choose from: civilizations as long as any are owed, then monuments."""
        assert self.seat is not None
        tiles = self.players[self.seat].tiles
        for disaster, family in CHOSEN_FAMILIES.items():
            if self.owed[disaster] > 0:
                return [tile for tile in family if tiles[tile] > 0]
        return []

    def _is_track_full(self) -> bool:
        return sum(self.track.values()) >= self.auction_spaces

    # ------------------------------------------------------------------------------- playing

    def play(self, move: str, tile: str | None = None) -> None:
        """Make a move. A draw names the tile that comes out of the bag; nothing else does."""
        legal = self.legal_moves()
        if move not in legal:
            raise ValueError(f"{move!r} is not legal for seat {self.seat}; legal: {legal}")
        if move == "draw":
            if tile is None or self.bag[tile] == 0:
                raise ValueError(f"a draw needs a tile that is in the bag, not {tile!r}")
            self._draw(tile)
            return
        if tile is not None:
            raise ValueError(f"only a draw brings a tile, not {move!r}")

        verb, _, what = move.partition(" ")
        if verb == "invoke":
            self._open_auction("full" if self._is_track_full() else "voluntary")
        elif verb == "end":
            self._pass_turn_on()
        elif verb == "take":
            self._take(what)
        elif verb == "pass":
            self._speak(None)
        elif verb == "bid":
            self._speak(int(what))
        elif verb == "discard":
            self._discard(what)

    def _draw(self, tile: str) -> None:
        take_out(self.bag, tile)
        if tile != "ra":
            self.track[tile] += 1
            self._pass_turn_on()
            return
        self.ra_count += 1
        if self.ra_count == self.ra_spaces:
            self._end_epoch()  # the last Ra tile brings no auction any more
        else:
            self._open_auction("drawn")

    def _take(self, tile: str) -> None:
        """A god leaves the game and fetches one tile; a disaster strikes at once."""
        player = self.players[self.turn_seat]
        take_out(player.tiles, "god")
        self.gone["god"] += 1
        self.has_spent_god = True
        take_out(self.track, tile)
        self._receive(self.turn_seat, Counter([tile]))

    # ------------------------------------------------------------------------------- auction

    def _open_auction(self, kind: str) -> None:
        taking_part = [s for s in self._clockwise_after(self.turn_seat) if self.players[s].face_up]
        self.auction = Auction(kind, waiting=taking_part)
        self.phase = "auction"
        self.seat = taking_part[0]

    def _speak(self, bid: int | None) -> None:
        assert self.auction is not None
        speaker = self.auction.waiting.pop(0)
        self.auction.bids[speaker] = bid
        if self.auction.waiting:
            self.seat = self.auction.waiting[0]
        else:
            self._close_auction(self.auction)

    def _close_auction(self, auction: Auction) -> None:
        self.auction = None
        winning_sun = auction.highest_bid
        if winning_sun > 0:
            winner = next(seat for seat, bid in auction.bids.items() if bid == winning_sun)
            player = self.players[winner]
            player.face_up.remove(winning_sun)
            player.face_down.add(self.middle_sun)
            self.middle_sun = winning_sun
            lot, self.track = self.track, Counter()
            self._receive(winner, lot)
            return
        if auction.kind == "full":
            self._clear_track()
        self._pass_turn_on()

    # ----------------------------------------------------------------------------- disasters

    def _receive(self, seat: int, lot: Counter[str]) -> None:
        """First all the tiles are taken, then the disasters among them strike together."""
        disasters = Counter({tile: lot[tile] for tile in DISASTERS if lot[tile] > 0})
        self.players[seat].tiles.update(lot - disasters)
        self.gone.update(disasters)

        lost = {tile: TILES_LOST_PER_DISASTER * disasters[tile] for tile in DISASTERS}
        self._lose(seat, "pharaoh", lost["funeral"])
        floods_lost = self._lose(seat, "flood", lost["drought"])
        self._lose(seat, "nile", lost["drought"] - floods_lost)
        self.owed = {disaster: lost[disaster] for disaster in CHOSEN_FAMILIES}
        self._settle_what_is_owed(seat)

    def _discard(self, tile: str) -> None:
        assert self.seat is not None
        self._lose(self.seat, tile, 1)
        disaster = next(name for name, family in CHOSEN_FAMILIES.items() if tile in family)
        self.owed[disaster] -= 1
        self._settle_what_is_owed(self.seat)

    def _settle_what_is_owed(self, seat: int) -> None:
        """Ask the owner where there is a choice, carry out the rest, then go on with the game."""
        tiles = self.players[seat].tiles
        for disaster, family in CHOSEN_FAMILIES.items():
            owed = self.owed[disaster]
            owned_kinds = [tile for tile in family if tiles[tile] > 0]
            owned = sum(tiles[tile] for tile in owned_kinds)
            if 0 < owed < owned and len(owned_kinds) > 1:
                self.phase = "discard"
                self.seat = seat
                return
            # Everything of the family goes, or some of the only kind there is.
            for tile in owned_kinds:
                self._lose(seat, tile, owed)
            self.owed[disaster] = 0

        if self.has_spent_god:
            self.phase = "gods"
            self.seat = self.turn_seat
        else:
            self._pass_turn_on()

    def _lose(self, seat: int, tile: str, at_most: int) -> int:
        """Tiles of a player leave the game, as many as there are; says how many did."""
        removed = take_out(self.players[seat].tiles, tile, at_most)
        if removed > 0:
            self.gone[tile] += removed
        return removed

    # ---------------------------------------------------------------------- turns and epochs

    def _clockwise_after(self, seat: int) -> list[int]:
        """All seats, beginning to the left of the given one, which comes last."""
        n = len(self.players)
        return [(seat + step) % n for step in range(1, n + 1)]

    def _begin_turn(self, seat: int) -> None:
        self.turn_seat = seat
        self.seat = seat
        self.phase = "turn"
        self.has_spent_god = False

    def _pass_turn_on(self) -> None:
        """To the next seat that has a face-up sun; it may be the same one again."""
        for seat in self._clockwise_after(self.turn_seat):
            if self.players[seat].face_up:
                self._begin_turn(seat)
                return
        self._end_epoch()

    def _begin_epoch(self) -> None:
        """All suns turn face up; the owner of the highest begins."""
        for player in self.players:
            player.face_up |= player.face_down
            player.face_down = set()
        highest = [max(player.face_up) for player in self.players]
        self._begin_turn(highest.index(max(highest)))

    def _end_epoch(self) -> None:
        points = self.points_if_scored_now()
        self.epoch_points.append(points)
        for player, gained in zip(self.players, points, strict=True):
            player.score = max(0, player.score + gained)

        if self.epoch == self.epochs:
            self.phase = "over"  # and the table stays as it is
            self.seat = None
            return

        for seat, player in enumerate(self.players):
            for tile in [tile for tile in player.tiles if tile not in LASTING]:
                self._lose(seat, tile, player.tiles[tile])
        self._clear_track()
        if self.ra_count > 0:
            self.gone["ra"] += self.ra_count
            self.ra_count = 0
        self.epoch += 1
        self._begin_epoch()

    def _clear_track(self) -> None:
        self.gone.update(self.track)
        self.track = Counter()
