"""Tests of the plain reference game: its scoring, its decisions and its bookkeeping.

They stand on the rules alone and know nothing of the compiled engine, so that the reference can be
trusted before anything is compared with it.
"""

from __future__ import annotations

import copy
import random
from collections import Counter

import pytest
from reference import (
    CIVILIZATIONS,
    MONUMENTS,
    STANDARD_BAG,
    ReferenceGame,
    civilization_points,
    monument_points,
    pharaoh_points,
    river_points,
    score_epoch,
    sun_points,
)

SUNS: dict[int, list[list[int]]] = {
    2: [[9, 6, 5, 2], [8, 7, 4, 3]],
    3: [[13, 8, 5, 2], [12, 9, 6, 3], [11, 10, 7, 4]],
    4: [[13, 6, 2], [12, 7, 3], [11, 8, 4], [10, 9, 5]],
    5: [[16, 7, 2], [15, 8, 3], [14, 9, 4], [13, 10, 5], [12, 11, 6]],
}
TINY_BAG = {"ra": 2, "god": 2, "nile": 2, "flood": 1, "unrest": 1, "art": 2, "writing": 1}


# -------------------------------------------------------------------------------------- tools


def all_tiles(game: ReferenceGame) -> Counter[str]:
    """Every tile of the game, wherever it is."""
    total = game.bag + game.track + game.gone + Counter({"ra": game.ra_count})
    for seat in range(len(game.players)):
        total += game.tiles(seat)
    return total


def give(game: ReferenceGame, seat: int, **tiles: int) -> None:
    """Hand tiles from the bag to a seat."""
    game.bag.subtract(tiles)
    game.players[seat].tiles.update(tiles)


def lay_out(game: ReferenceGame, **tiles: int) -> None:
    """Put tiles from the bag on the track."""
    game.bag.subtract(tiles)
    game.track.update(tiles)


def play_all(game: ReferenceGame, *moves: str) -> None:
    """Play moves such as "draw nile" or "bid 7" in turn."""
    for move in moves:
        verb, _, what = move.partition(" ")
        if verb == "draw":
            game.play("draw", tile=what)
        else:
            game.play(move)


def play_random_move(game: ReferenceGame, rng: random.Random) -> str:
    """Draws are preferred: evenly random play invokes so often that lots stay tiny and hardly
    anybody ever has to choose what a disaster destroys."""
    legal = game.legal_moves()
    move = rng.choices(legal, weights=[6 if move == "draw" else 1 for move in legal])[0]
    tile = None
    if move == "draw":
        tile = rng.choices(list(game.bag), weights=list(game.bag.values()))[0]
    game.play(move, tile)
    return move


# ------------------------------------------------------------------------------------ scoring


def test_the_standard_bag_has_180_tiles() -> None:
    """The default bag holds 180 tiles, 30 of them Ra, 10 of them disasters."""
    game = ReferenceGame(SUNS[4])
    assert sum(game.bag.values()) == 180
    assert game.bag["ra"] == 30
    assert sum(game.bag[t] for t in ("funeral", "drought", "unrest", "earthquake")) == 10


@pytest.mark.parametrize(
    ("pharaohs", "points"),
    [
        ([4, 3, 3, 4], [5, -2, -2, 5]),
        ([0, 2, 1], [-2, 5, 0]),
        ([2, 2, 2, 2, 2], [0, 0, 0, 0, 0]),
        ([1, 1], [0, 0]),
        ([0, 1], [-2, 5]),
    ],
)
def test_pharaohs_reward_the_most_and_punish_the_fewest(
    pharaohs: list[int], points: list[int]
) -> None:
    """Ties count in full, equality of all counts nothing, with two players as with five."""
    assert pharaoh_points(pharaohs) == points


@pytest.mark.parametrize(
    ("tiles", "points"),
    [({"flood": 1, "nile": 3}, 4), ({"flood": 2}, 2), ({"nile": 4}, 0), ({}, 0)],
)
def test_the_river_needs_a_flood(tiles: dict[str, int], points: int) -> None:
    """Niles and floods count one each, and niles nothing at all without a flood."""
    assert river_points(tiles) == points


@pytest.mark.parametrize(("kinds", "points"), [(0, -5), (1, 0), (2, 0), (3, 5), (4, 10), (5, 15)])
def test_civilizations_count_by_kinds(kinds: int, points: int) -> None:
    """None costs 5, one and two are safe, then 5, 10 and 15."""
    assert civilization_points(dict.fromkeys(CIVILIZATIONS[:kinds], 1)) == points


def test_duplicate_civilizations_count_nothing() -> None:
    """3 astronomy, 2 agriculture and 2 writing are three kinds; an art makes four."""
    tiles = {"astronomy": 3, "agriculture": 2, "writing": 2}
    assert civilization_points(tiles) == 5
    assert civilization_points({**tiles, "art": 1}) == 10


@pytest.mark.parametrize(
    ("counts", "points"),
    [
        ((0, 0, 0, 0, 0, 0, 0, 0), 0),
        ((1, 1, 1, 1, 1, 0, 0, 0), 5),
        ((1, 1, 1, 1, 1, 1, 0, 0), 6),
        ((1, 1, 1, 1, 1, 1, 1, 0), 10),
        ((1, 1, 1, 1, 1, 1, 1, 1), 15),
        ((2, 0, 0, 0, 0, 0, 0, 0), 1),
        ((3, 0, 0, 0, 0, 0, 0, 0), 6),
        ((0, 4, 0, 0, 0, 0, 0, 0), 11),
        ((0, 0, 5, 0, 0, 0, 0, 0), 16),
        ((0, 0, 9, 0, 0, 0, 0, 0), 16),
        ((5, 5, 5, 5, 5, 5, 5, 5), 15 + 8 * 15),
    ],
)
def test_monuments_count_by_kinds_and_by_equals(counts: tuple[int, ...], points: int) -> None:
    """Both tables, added up; more than five equal ones count as five."""
    assert monument_points(dict(zip(MONUMENTS, counts, strict=True))) == points


def test_a_mixed_set_of_monuments() -> None:
    """4 pyramids, 3 temples, 2 fortresses and a sphinx: 4 for the kinds, 10, and 5."""
    assert monument_points({"pyramid": 4, "temple": 3, "fortress": 2, "sphinx": 1}) == 19


def test_suns_reward_the_highest_and_punish_the_lowest_total() -> None:
    """Totals of 17, 25, 21 and 17 give -5, +5, 0 and -5."""
    assert sun_points([17, 25, 21, 17]) == [-5, 5, 0, -5]
    assert sun_points([22, 22]) == [0, 0]


def test_monuments_and_suns_count_in_the_last_epoch_only() -> None:
    """The same table scores differently before the last epoch and in it."""
    holdings = [{"god": 2, "gold": 1, "pyramid": 3}, {"flood": 1, "art": 1, "pharaoh": 1}]
    suns = [{9, 6}, {8, 7, 1}]
    before = [4 + 3 - 5 - 2, 1 + 0 + 5]
    assert score_epoch(holdings, suns, is_last=False) == before
    assert score_epoch(holdings, suns, is_last=True) == [before[0] + 6 - 5, before[1] + 5]


# -------------------------------------------------------------------------------------- turns


def test_the_highest_sun_begins_and_play_goes_clockwise() -> None:
    """Seat 2 owns the 13; a drawn tile goes to the track and the turn to the left."""
    game = ReferenceGame([[12, 7, 3], [11, 8, 4], [13, 6, 2], [10, 9, 5]])
    seats = []
    for _ in range(5):
        seats.append(game.seat)
        game.play("draw", tile="nile")
    assert seats == [2, 3, 0, 1, 2]
    assert game.track == {"nile": 5}
    assert game.scores == [10, 10, 10, 10]


def test_a_full_track_leaves_invoking_and_gods() -> None:
    """With eight tiles there is no draw; after a god there is room again."""
    game = ReferenceGame(SUNS[2])
    lay_out(game, nile=7, god=1)
    assert game.legal_moves() == ["invoke"]
    give(game, 0, god=1)
    assert game.legal_moves() == ["invoke", "take nile"]
    play_all(game, "take nile", "end")
    assert game.legal_moves() == ["draw", "invoke"]


def test_moves_are_listed_in_a_fixed_order() -> None:
    """Draw, invoke, then what a god may take, in table order; a god cannot take a god."""
    game = ReferenceGame(SUNS[2])
    give(game, 0, god=1)
    lay_out(game, earthquake=1, sphinx=1, god=1, pharaoh=2, art=1, gold=1)
    takes = ["take pharaoh", "take gold", "take art", "take sphinx", "take earthquake"]
    assert game.legal_moves() == ["draw", "invoke", *takes]


def test_gods_may_be_spent_one_after_another_and_end_is_always_said() -> None:
    """Each god takes a tile; even without gods left the turn ends with an explicit move."""
    game = ReferenceGame(SUNS[2])
    give(game, 0, god=2)
    lay_out(game, gold=1, nile=1, pharaoh=1)
    game.play("take gold")
    assert (game.phase, game.seat) == ("gods", 0)
    assert game.legal_moves() == ["end", "take pharaoh", "take nile"]
    game.play("take nile")
    assert game.legal_moves() == ["end"]
    game.play("end")
    assert (game.phase, game.seat) == ("turn", 1)
    assert game.tiles(0) == {"gold": 1, "nile": 1}
    assert game.gone == {"god": 2}


def test_spent_gods_are_forgotten_when_the_turn_is_over() -> None:
    """An auction in the turn after a god was spent is followed by an ordinary turn."""
    game = ReferenceGame(SUNS[2])
    give(game, 0, god=1)
    lay_out(game, gold=1, nile=1)
    play_all(game, "take gold", "end", "invoke", "pass", "bid 3")
    assert (game.phase, game.seat) == ("turn", 0)
    assert game.tiles(1) == {"nile": 1}


def test_a_disaster_taken_by_a_god_strikes_before_the_turn_goes_on() -> None:
    """The god's owner first chooses what to lose, then decides whether to go on."""
    game = ReferenceGame(SUNS[2])
    give(game, 0, god=2, art=2, writing=1)
    lay_out(game, unrest=1, nile=1)
    game.play("take unrest")
    assert (game.phase, game.seat) == ("discard", 0)
    assert game.legal_moves() == ["discard writing", "discard art"]
    game.play("discard writing")  # only art is left now, so one goes without asking
    assert (game.phase, game.seat) == ("gods", 0)
    assert game.legal_moves() == ["end", "take nile"]
    assert game.tiles(0) == {"god": 1, "art": 1}
    assert game.gone == {"god": 1, "unrest": 1, "writing": 1, "art": 1}


def test_seats_without_face_up_suns_are_skipped() -> None:
    """They get no turn and no bid, and a single seat with suns plays turn after turn."""
    game = ReferenceGame([[13, 6], [12, 7], [11, 8]])
    game.players[1].face_up, game.players[1].face_down = set(), {12, 7}
    game.play("draw", tile="nile")
    assert game.seat == 2
    game.play("invoke")
    assert game.seat == 0
    play_all(game, "pass", "bid 8")
    assert game.seat == 0
    game.players[2].face_up, game.players[2].face_down = set(), {11, 1}
    play_all(game, "draw nile", "draw nile")
    assert game.seat == 0
    game.play("invoke")
    assert game.legal_moves() == ["bid 6", "bid 13"]


# ------------------------------------------------------------------------------------ auctions


def test_an_auction_goes_once_round_and_the_ra_player_speaks_last() -> None:
    """Bids rise, losers keep their suns, the winner gets track and middle sun face down."""
    game = ReferenceGame(SUNS[4])
    play_all(game, "draw nile", "draw gold", "draw ra")  # seat 2 draws the Ra tile
    assert (game.phase, game.seat, game.ra_count) == ("auction", 3, 1)
    assert game.legal_moves() == ["pass", "bid 5", "bid 9", "bid 10"]
    play_all(game, "bid 9", "pass")
    assert game.bids == {3: 9, 0: None}
    assert game.legal_moves() == ["pass", "bid 12"]
    game.play("bid 12")
    assert game.seat == 2
    assert game.legal_moves() == ["pass"]  # the 11 is too low, but the pass has to be said
    game.play("pass")
    assert game.bids == {}
    assert game.tiles(1) == {"nile": 1, "gold": 1}
    assert (game.face_up(1), game.face_down(1)) == ({7, 3}, {1})
    assert game.face_up(3) == {10, 9, 5}
    assert game.middle_sun == 12
    assert not game.track
    assert (game.phase, game.seat) == ("turn", 3)  # left of the Ra player, not of the winner


def test_who_invokes_must_bid_if_nobody_else_does() -> None:
    """Even on an empty track; somebody else's bid lifts the duty."""
    game = ReferenceGame(SUNS[2])
    play_all(game, "invoke", "pass")
    assert game.legal_moves() == ["bid 2", "bid 5", "bid 6", "bid 9"]
    game.play("bid 2")
    assert (game.face_up(0), game.face_down(0), game.middle_sun) == ({5, 6, 9}, {1}, 2)
    play_all(game, "invoke", "bid 5")
    assert game.legal_moves() == ["pass", "bid 7", "bid 8"]


def test_a_drawn_auction_without_bids_leaves_everything() -> None:
    """The Ra player may pass too; the track and the suns stay."""
    game = ReferenceGame(SUNS[2])
    play_all(game, "draw nile", "draw ra", "pass")
    assert "pass" in game.legal_moves()
    game.play("pass")
    assert game.track == {"nile": 1}
    assert game.middle_sun == 1
    assert (game.phase, game.seat) == ("turn", 0)


def test_a_full_auction_without_bids_clears_the_track() -> None:
    """On a full track whoever invokes may pass, and the tiles leave the game."""
    game = ReferenceGame(SUNS[2])
    lay_out(game, nile=5, drought=1, god=2)
    play_all(game, "invoke", "pass")
    assert "pass" in game.legal_moves()
    game.play("pass")
    assert not game.track
    assert game.gone == {"nile": 5, "drought": 1, "god": 2}


def test_suns_won_cannot_be_bid_in_the_same_epoch() -> None:
    """A sun taken from the middle lies face down until the next epoch."""
    game = ReferenceGame([[13, 6], [12, 7]])
    play_all(game, "invoke", "pass", "bid 13", "invoke", "bid 6", "pass")
    assert game.face_up(0) == set()
    assert game.face_down(0) == {1, 13}
    assert game.seat == 1
    play_all(game, "invoke", "bid 7", "invoke", "bid 12")  # the last face-up suns
    assert game.epoch == 2
    assert (game.face_up(0), game.face_down(0)) == ({1, 13}, set())
    assert (game.face_up(1), game.middle_sun) == ({6, 7}, 12)
    assert game.seat == 0


# ----------------------------------------------------------------------------------- disasters


def test_a_lot_with_three_disasters() -> None:
    """Two monuments by choice, the only civilization unasked, one flood and then one nile."""
    game = ReferenceGame(SUNS[4])
    give(game, 0, pyramid=1, temple=1, nile=3, flood=1)
    lay_out(game, earthquake=1, unrest=1, drought=1, agriculture=1, sphinx=1)
    play_all(game, "invoke", "pass", "pass", "pass", "bid 2")
    assert (game.phase, game.seat) == ("discard", 0)
    assert game.tiles(0) == {"pyramid": 1, "temple": 1, "sphinx": 1, "nile": 2}
    assert game.legal_moves() == ["discard pyramid", "discard temple", "discard sphinx"]
    game.play("discard temple")
    assert game.legal_moves() == ["discard pyramid", "discard sphinx"]
    game.play("discard sphinx")
    assert game.tiles(0) == {"pyramid": 1, "nile": 2}
    assert (game.phase, game.seat) == ("turn", 1)
    assert all_tiles(game) == STANDARD_BAG


def test_civilizations_are_chosen_before_monuments_by_the_winner() -> None:
    """The winner decides, even without a sun to play on with, and the epoch waits for it."""
    game = ReferenceGame([[13], [12]])
    game.players[0].face_up, game.players[0].face_down = set(), {13}
    game._begin_turn(1)
    give(game, 1, art=1, writing=1, religion=1, palace=2, statue=1)
    lay_out(game, earthquake=1, unrest=1)
    play_all(game, "invoke", "bid 12")
    assert (game.phase, game.seat, game.epoch) == ("discard", 1, 1)
    assert game.legal_moves() == ["discard writing", "discard religion", "discard art"]
    play_all(game, "discard art", "discard writing")
    assert game.legal_moves() == ["discard palace", "discard statue"]
    game.play("discard statue")  # only palaces are left
    assert game.epoch == 2
    assert game.epoch_points == [[-5, 0]]  # one civilization was left, monuments do not count yet
    assert game.tiles(1) == {"palace": 1}


@pytest.mark.parametrize(
    ("held", "lot", "kept"),
    [
        ({"pharaoh": 1}, {"funeral": 1, "pharaoh": 2}, {"pharaoh": 1}),
        ({"pharaoh": 3, "god": 1}, {"funeral": 2}, {"god": 1}),
        ({"flood": 3, "nile": 1}, {"drought": 1}, {"flood": 1, "nile": 1}),
        ({"flood": 1, "nile": 4}, {"drought": 2}, {"nile": 1}),
        ({"nile": 1}, {"drought": 1}, {}),
        ({"art": 1, "writing": 2}, {"unrest": 2}, {}),
        ({"art": 4}, {"unrest": 1}, {"art": 2}),
        ({"palace": 1, "statue": 1}, {"earthquake": 1}, {}),
        ({"gold": 1}, {"earthquake": 1, "unrest": 1, "funeral": 1, "drought": 1}, {"gold": 1}),
    ],
)
def test_losses_without_a_choice_are_not_asked_for(
    held: dict[str, int], lot: dict[str, int], kept: dict[str, int]
) -> None:
    """Two tiles per disaster, new ones included, as many as there are, and nothing else."""
    game = ReferenceGame(SUNS[2])
    give(game, 0, **held)
    lay_out(game, **lot)
    play_all(game, "invoke", "pass", "bid 2")
    assert game.phase == "turn"
    assert game.tiles(0) == kept


# -------------------------------------------------------------------------------------- epochs


def test_the_last_ra_tile_ends_the_epoch_without_an_auction() -> None:
    """Scores are added, fleeting tiles and the track go, lasting tiles stay, the boat is back."""
    game = ReferenceGame(SUNS[2])
    give(game, 0, god=1, gold=1, flood=1, nile=2, art=1, pharaoh=1, palace=1)
    for _ in range(5):
        play_all(game, "draw ra", "pass", "pass")
    assert (game.ra_count, game.epoch) == (5, 1)
    play_all(game, "draw pharaoh", "draw ra")
    assert (game.epoch, game.ra_count, game.phase, game.seat) == (2, 0, "turn", 0)
    assert game.epoch_points == [[5 + 2 + 3 + 3 + 0, -2 - 5]]
    assert game.scores == [23, 3]
    assert game.tiles(0) == {"nile": 2, "pharaoh": 1, "palace": 1}
    assert game.gone == {"god": 1, "gold": 1, "flood": 1, "art": 1, "pharaoh": 1, "ra": 6}
    assert not game.track
    assert all_tiles(game) == STANDARD_BAG


def test_a_total_never_falls_below_zero_but_the_epoch_says_the_raw_points() -> None:
    """The points of an epoch are summed first; only the total is lifted to zero."""
    game = ReferenceGame(SUNS[2], ra_spaces=1)
    give(game, 0, pharaoh=1)
    play_all(game, "draw ra", "draw ra")
    assert game.epoch_points == [[0, -7], [0, -7]]
    assert game.scores == [10, 0]


def test_the_next_epoch_begins_with_the_highest_sun_in_a_players_hand() -> None:
    """The 13 lies in the middle, so the 12 begins."""
    game = ReferenceGame(SUNS[4], ra_spaces=2)
    play_all(game, "invoke", "pass", "pass", "pass", "bid 13")
    play_all(game, "draw nile", "draw nile", "draw ra", "pass", "pass", "pass", "pass", "draw ra")
    assert (game.epoch, game.middle_sun, game.seat) == (2, 13, 1)
    assert game.face_up(0) == {6, 2, 1}


def test_nothing_is_cleared_away_at_the_end() -> None:
    """After the last scoring everything stays as it lies, and nobody has a move."""
    game = ReferenceGame(SUNS[2], epochs=1, ra_spaces=2)
    play_all(game, "draw gold", "invoke", "pass", "bid 3", "draw nile", "draw ra", "pass", "pass")
    assert game.seat == 0
    expected = game.points_if_scored_now()
    game.play("draw", tile="ra")
    assert game.is_over
    assert (game.phase, game.epoch, game.ra_count) == ("over", 1, 2)
    assert game.seat is None
    assert game.legal_moves() == []
    assert game.track == {"nile": 1}
    assert game.tiles(1) == {"gold": 1}
    assert (game.face_up(1), game.face_down(1), game.middle_sun) == ({8, 7, 4}, {1}, 3)
    # Suns 22 against 20 count, for this only epoch is the last one.
    assert game.epoch_points == [expected] == [[-5 + 5, 3 - 5 - 5]]
    assert game.scores == [10, 3]
    with pytest.raises(ValueError, match="not legal"):
        game.play("draw", tile="nile")


def test_face_down_suns_count_in_the_last_scoring() -> None:
    """With the face-up suns alone seat 0 would be ahead; together it is behind."""
    game = ReferenceGame([[9, 2], [8, 5]], epochs=1)
    game.players[1].face_up, game.players[1].face_down = {5}, {8}
    assert game.points_if_scored_now() == [-5 - 5, -5 + 5]


def test_equal_scores_are_ranked_by_the_highest_sun() -> None:
    """Face-down suns count for it too."""
    game = ReferenceGame(SUNS[4])
    for player, score in zip(game.players, (20, 31, 20, 20), strict=True):
        player.score = score
    game.players[3].face_down = {14}
    assert game.ranking() == [1, 3, 0, 2]


# ----------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("move", "tile"),
    [
        ("draw", None),
        ("draw", "scarab"),
        ("draw", "funeral"),
        ("invoke", "nile"),
        ("end", None),
        ("pass", None),
        ("bid 9", None),
        ("take god", None),
        ("take gold", None),
        ("discard art", None),
        ("", None),
    ],
)
def test_an_illegal_move_is_refused_and_changes_nothing(move: str, tile: str | None) -> None:
    """Wrong moves, unknown tiles and tiles that are not in the bag all raise ValueError."""
    game = ReferenceGame(SUNS[2], bag={**STANDARD_BAG, "funeral": 0})
    give(game, 0, god=1, art=3)
    lay_out(game, nile=1, god=1)
    before = copy.deepcopy(vars(game))
    with pytest.raises(ValueError, match=r"legal|draw"):
        game.play(move, tile)
    assert vars(game) == before


def test_impossible_games_are_refused() -> None:
    """Too many players, a sun twice, an unknown tile, too few Ra tiles."""
    with pytest.raises(ValueError, match="2 to 5"):
        ReferenceGame([[2, 3]])
    with pytest.raises(ValueError, match="twice"):
        ReferenceGame([[2, 3], [4, 1]])
    with pytest.raises(ValueError, match="1 to 16"):
        ReferenceGame([[2, 3], [4, 17]])
    with pytest.raises(ValueError, match="scarab"):
        ReferenceGame(SUNS[2], bag={"ra": 30, "scarab": 1})
    with pytest.raises(ValueError, match="dry"):
        ReferenceGame(SUNS[2], bag={"ra": 17, "nile": 9})


# -------------------------------------------------------------------------------- random games


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_end_and_keep_every_tile_and_sun(players: int) -> None:
    """After every move all tiles and suns are somewhere, and moves and table make sense."""
    suns = sorted([1, *(sun for dealt in SUNS[players] for sun in dealt)])
    phases = set()
    for seed in range(12):
        rng = random.Random(f"{players}-{seed}")
        game = ReferenceGame(rng.sample(SUNS[players], players))
        for _ in range(2000):
            if game.is_over:
                break
            phases.add(game.phase)
            play_random_move(game, rng)
            assert all_tiles(game) == STANDARD_BAG
            held = [sun for p in game.players for sun in (*p.face_up, *p.face_down)]
            assert sorted([game.middle_sun, *held]) == suns
            assert sum(game.track.values()) <= 8
            assert game.ra_count <= game.ra_spaces
            assert len(set(game.legal_moves())) == len(game.legal_moves())
            assert bool(game.legal_moves()) != game.is_over
            counters = [game.bag, game.track, game.gone, *(p.tiles for p in game.players)]
            assert all(n > 0 for counter in counters for n in counter.values())
        assert game.is_over
        assert len(game.epoch_points) == 3
        assert sorted(game.ranking()) == list(range(players))
        totals = [10] * players
        for points in game.epoch_points:
            totals = [max(0, t + p) for t, p in zip(totals, points, strict=True)]
        assert game.scores == totals
    assert phases == {"turn", "gods", "auction", "discard"}


def test_a_tiny_variant_ends_and_keeps_every_tile() -> None:
    """One epoch, eleven tiles, two Ra spaces, three auction spaces and two suns each."""
    for seed in range(200):
        rng = random.Random(seed)
        game = ReferenceGame(
            [[2, 5], [3, 4]], epochs=1, ra_spaces=2, auction_spaces=3, bag=TINY_BAG
        )
        for _ in range(200):
            if game.is_over:
                break
            play_random_move(game, rng)
            assert all_tiles(game) == TINY_BAG
            assert sum(game.track.values()) <= 3
        assert game.is_over
        assert game.epoch == len(game.epoch_points) == 1
        assert game.ra_count == 2 or not any(p.face_up for p in game.players)


def test_two_runs_of_the_same_moves_agree() -> None:
    """A copy that is played the same moves and tiles ends in the same state: nothing is random."""
    game = ReferenceGame(SUNS[3])
    twin = copy.deepcopy(game)
    for each in (game, twin):
        rng = random.Random(5)
        while not each.is_over:
            play_random_move(each, rng)
    assert vars(game) == vars(twin)
