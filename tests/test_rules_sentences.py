"""The rules, sentence by sentence, and the worked examples of the rule books.

Each test is one sentence: its docstring says it, its body plays it through `Game`, with the drawn
tiles decided by the test. Seats win tiles in the ordinary way, by auction, so nothing here depends
on how a state is stored.
"""

from collections import Counter
from itertools import permutations

import pytest
from positions import draw_all, end_epoch, pass_all, play_all, win

from ra_env import Game, IllegalAction, Rules, RulesError
from ra_env.scoring import CATEGORIES, category_points

CIVILIZATIONS = ("astronomy", "agriculture", "writing", "religion", "art")
MONUMENTS = (
    *("fortress", "obelisk", "palace", "pyramid"),
    *("temple", "statue", "step_pyramid", "sphinx"),
)
BOX = {
    **{"ra": 30, "god": 8, "pharaoh": 25, "nile": 25, "flood": 12, "gold": 5},
    **dict.fromkeys(CIVILIZATIONS, 5),
    **dict.fromkeys(MONUMENTS, 5),
    **{"funeral": 2, "drought": 2, "unrest": 4, "earthquake": 2},
}
SUN_SETS = {
    2: [[9, 6, 5, 2], [8, 7, 4, 3]],
    3: [[13, 8, 5, 2], [12, 9, 6, 3], [11, 10, 7, 4]],
    4: [[13, 6, 2], [12, 7, 3], [11, 8, 4], [10, 9, 5]],
    5: [[16, 7, 2], [15, 8, 3], [14, 9, 4], [13, 10, 5], [12, 11, 6]],
}


def table(num_players: int, **changes: object) -> Game:
    """A game in which seat 0 owns the highest sun and begins; the sets lie in the order above."""
    rules = Rules(num_players, **changes)  # type: ignore[arg-type]
    return Game(rules=rules, seed=1, suns=rules.suns)


def one_sun_each(num_players: int, **changes: object) -> Game:
    """A game with a single sun a seat: who wins a lot is out until the next epoch."""
    suns = tuple((13 - seat,) for seat in range(num_players))
    return table(num_players, suns=suns, **changes)


def points(game: Game, category: str) -> list[int]:
    """What each seat would score now for one category."""
    index = CATEGORIES.index(category)
    return [int(category_points(game.state, seat, index)) for seat in range(game.num_players)]


# --- the box -------------------------------------------------------------------------------------


def test_the_bag_holds_180_tiles_of_23_kinds(num_players: int) -> None:
    """The bag holds the tiles of the box, 180 in all, whatever the number of players."""
    game = Game(num_players, seed=0)
    assert game.bag == BOX
    assert sum(game.bag.values()) == 180


def test_the_track_has_eight_spaces() -> None:
    """Eight tiles fill the auction track."""
    game = table(4)
    draw_all(game, nile=7)
    assert "draw" in game.legal_moves()
    draw_all(game, nile=1)
    assert "draw" not in game.legal_moves()


def test_everyone_starts_with_ten_points(num_players: int) -> None:
    """Each player starts with 10 points and no tiles."""
    game = Game(num_players, seed=0)
    assert game.scores == [10] * num_players
    assert [game.tiles(seat) for seat in range(num_players)] == [{}] * num_players


def test_the_sun_sets_are_dealt_to_the_seats_at_random(num_players: int) -> None:
    """Each set goes to one seat, face up, in every arrangement; sun 1 lies in the middle."""
    deals: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for seed in range(1500):
        game = Game(num_players, seed=seed)
        deals[tuple(tuple(game.suns(seat)[0]) for seat in range(num_players))] += 1
        assert all(game.suns(seat)[1] == [] for seat in range(num_players))
        assert game.middle_sun == 1
    sets = [tuple(suns) for suns in SUN_SETS[num_players]]
    assert set(deals) == set(permutations(sets))
    expected = 1500 / len(deals)
    assert all(abs(count - expected) < 6 * expected**0.5 for count in deals.values())


@pytest.mark.parametrize(("players", "ra_tiles"), [(2, 6), (3, 8), (4, 9), (5, 10)])
def test_so_many_ra_tiles_end_an_epoch(players: int, ra_tiles: int) -> None:
    """6, 8, 9 or 10 Ra tiles end an epoch of 2, 3, 4 or 5 players."""
    game = table(players)
    for count in range(1, ra_tiles):
        game.play("draw", tile="ra")
        assert (game.epoch, game.ra_count, game.phase) == (1, count, "auction")
        pass_all(game)
    game.play("draw", tile="ra")
    assert (game.epoch, game.ra_count, game.phase) == (2, 0, "turn")


# --- course of play ------------------------------------------------------------------------------


def test_a_game_has_three_epochs(num_players: int) -> None:
    """The game is over after the third epoch."""
    game = table(num_players)
    for epoch in (1, 2, 3):
        assert (game.epoch, game.is_over) == (epoch, False)
        end_epoch(game)
    assert game.is_over
    assert len(game.epoch_points) == 3
    assert game.current_seat is None
    assert game.legal_moves() == []


def test_the_owner_of_the_highest_sun_begins(num_players: int) -> None:
    """Whoever was dealt the highest sun takes the first turn."""
    for suns in permutations(SUN_SETS[num_players]):
        game = Game(num_players, suns=suns, seed=0)
        assert game.current_seat == max(range(num_players), key=lambda seat: max(suns[seat]))


def test_later_epochs_begin_with_the_highest_sun_as_it_lies_then() -> None:
    """Seat 0 gave the 13 away and seat 2 won it, so seat 2 begins the second epoch."""
    game = table(3)
    play_all(game, "invoke", "pass", "pass", "bid 13")
    play_all(game, "invoke", "bid 4", "pass", "pass")
    assert game.suns(2) == ([11, 10, 7], [13])
    end_epoch(game)
    assert (game.epoch, game.current_seat) == (2, 2)


def test_a_sun_in_the_middle_begins_no_epoch() -> None:
    """With the 13 in the middle the owner of the 12 begins."""
    game = table(3)
    play_all(game, "invoke", "pass", "pass", "bid 13")
    end_epoch(game)
    assert (game.epoch, game.middle_sun, game.current_seat) == (2, 13, 1)


def test_play_goes_clockwise(num_players: int) -> None:
    """After a turn the next seat is on turn, after the last one the first."""
    game = table(num_players)
    for turn in range(7):
        assert game.current_seat == turn % num_players
        draw_all(game, nile=1)


def test_a_seat_without_face_up_sun_gets_no_turn() -> None:
    """Whoever has no face-up sun is skipped."""
    game = one_sun_each(3)
    win(game, 1, nile=1)
    assert game.suns(1) == ([], [1])
    assert game.current_seat == 2
    draw_all(game, nile=1)
    assert game.current_seat == 0
    draw_all(game, nile=1)
    assert game.current_seat == 2


def test_a_seat_without_face_up_sun_is_not_asked_for_a_bid() -> None:
    """Whoever has no face-up sun takes no part in auctions."""
    game = one_sun_each(3)
    win(game, 1, nile=1)
    assert game.current_seat == 2
    play_all(game, "draw ra")
    assert game.current_seat == 0
    game.play("pass")
    assert game.current_seat == 2
    game.play("pass")
    assert game.phase == "turn"


def test_a_seat_without_face_up_sun_cannot_spend_its_god() -> None:
    """A god does not bring a seat without suns back into play."""
    game = one_sun_each(3)
    win(game, 1, god=1)
    draw_all(game, gold=1)
    assert game.tiles(1) == {"god": 1}
    for _ in range(4):
        assert game.current_seat != 1
        draw_all(game, nile=1)


def test_a_last_player_alone_takes_turn_after_turn() -> None:
    """With the only face-up sun a seat draws on, and calls without a rival."""
    game = one_sun_each(3)
    win(game, 0)
    win(game, 1)
    for _ in range(5):
        assert (game.current_seat, game.phase) == (2, "turn")
        draw_all(game, nile=1)
    play_all(game, "draw ra")
    assert (game.current_seat, game.legal_moves()) == (2, ["pass", "bid 11"])
    game.play("pass")
    assert (game.current_seat, game.phase) == (2, "turn")
    play_all(game, "invoke")
    assert game.legal_moves() == ["bid 11"]


# --- a turn: draw --------------------------------------------------------------------------------


def test_a_drawn_tile_goes_to_the_track_and_ends_the_turn() -> None:
    """Any tile but Ra goes from the bag to the auction track, and the turn is over."""
    for tile in BOX:
        if tile == "ra":
            continue
        game = table(4)
        draw_all(game, **{tile: 1})
        assert game.track == {tile: 1}
        assert game.bag.get(tile, 0) == BOX[tile] - 1
        assert (game.current_seat, game.phase) == (1, "turn")


def test_a_ra_tile_moves_the_boat_and_opens_a_drawn_auction() -> None:
    """Ra does not go to the track; everyone may bid for what lies there."""
    game = table(4)
    play_all(game, "draw nile", "draw ra")
    assert (game.phase, game.auction, game.ra_seat) == ("auction", "drawn", 1)
    assert (game.ra_count, game.track) == (1, {"nile": 1})


def test_the_last_ra_tile_ends_the_epoch_at_once() -> None:
    """On the last space no auction is held any more, and the tiles on the track are lost."""
    game = table(2, ra_spaces=1)
    play_all(game, "draw gold", "draw ra")
    assert (game.epoch, game.phase, game.auction) == (2, "turn", None)
    assert game.track == {}
    assert game.tiles(0) == game.tiles(1) == {}


def test_a_full_track_allows_no_draw() -> None:
    """With eight tiles on the track a seat can only invoke, or spend gods."""
    game = table(2)
    win(game, 0, god=1)
    draw_all(game, nile=8)
    assert game.current_seat == 0
    assert game.legal_moves() == ["invoke", "take nile"]
    with pytest.raises(IllegalAction, match="draw"):
        game.play("draw", tile="nile")


# --- a turn: invoke ------------------------------------------------------------------------------


def test_invoking_is_possible_on_every_turn() -> None:
    """With any number of tiles on the track, also with none."""
    game = table(2)
    for _ in range(8):
        assert "invoke" in game.legal_moves()
        draw_all(game, nile=1)
    assert "invoke" in game.legal_moves()


def test_on_an_empty_track_only_the_middle_sun_is_at_stake() -> None:
    """A call without tiles exchanges a sun for that in the middle."""
    game = table(2)
    play_all(game, "invoke", "pass", "bid 6")
    assert game.tiles(0) == {}
    assert game.suns(0) == ([9, 5, 2], [1])
    assert game.middle_sun == 6


@pytest.mark.parametrize(("tiles", "kind"), [(0, "voluntary"), (7, "voluntary"), (8, "full")])
def test_invoking_opens_a_voluntary_or_a_full_auction(tiles: int, kind: str) -> None:
    """With a full track the auction is full, otherwise voluntary; the boat does not move."""
    game = table(2)
    draw_all(game, nile=tiles)
    game.play("invoke")
    assert (game.auction, game.ra_count) == (kind, 0)


# --- a turn: gods --------------------------------------------------------------------------------


def with_gods(gods: int) -> Game:
    """Two players; seat 0 has so many gods, and seat 1 is on turn."""
    game = table(2)
    win(game, 0, god=gods, pharaoh=gods % 2)
    assert game.current_seat == 1
    return game


def test_a_god_takes_a_tile_from_the_track_and_leaves_the_game() -> None:
    """One god, one tile; neither is on the track, in the bag or spent afterwards."""
    game = with_gods(2)
    draw_all(game, gold=1)
    game.play("take gold")
    assert game.tiles(0) == {"god": 1, "gold": 1}
    assert game.track == {}
    assert game.bag["god"] == BOX["god"] - 2


def test_a_god_cannot_take_a_god() -> None:
    """Any tile of the track can be taken, except gods."""
    game = with_gods(2)
    draw_all(game, god=1)
    assert game.legal_moves() == ["draw", "invoke"]
    draw_all(game, gold=1, nile=1)
    assert game.legal_moves() == ["draw", "invoke", "take nile", "take gold"]


def test_every_other_tile_can_be_taken() -> None:
    """Tiles, monuments and disasters alike."""
    for tile in BOX:
        if tile in ("ra", "god"):
            continue
        game = with_gods(2)
        draw_all(game, **{tile: 1})
        assert game.legal_moves() == ["draw", "invoke", f"take {tile}"]
        game.play(f"take {tile}")
        assert game.track == {}


def test_without_a_god_nothing_can_be_taken() -> None:
    """Only a seat that holds a god may take tiles."""
    game = with_gods(2)
    draw_all(game, gold=1)
    assert "take gold" in game.legal_moves()
    draw_all(game, nile=1)
    assert game.current_seat == 1
    assert game.legal_moves() == ["draw", "invoke"]


def test_several_gods_can_be_spent_in_a_turn() -> None:
    """After each god the seat may spend another or end the turn, and do nothing else."""
    game = with_gods(4)
    draw_all(game, gold=1, art=1, nile=1)
    assert game.current_seat == 0
    game.play("take gold")
    assert (game.phase, game.current_seat) == ("gods", 0)
    assert game.legal_moves() == ["end", "take nile", "take art"]
    game.play("take art")
    assert game.legal_moves() == ["end", "take nile"]
    game.play("end")
    assert (game.phase, game.current_seat) == ("turn", 1)
    assert game.tiles(0) == {"god": 2, "gold": 1, "art": 1}


def test_after_the_last_god_the_turn_can_only_be_ended() -> None:
    """Spending gods is the whole turn: no draw and no call after it."""
    game = with_gods(1)
    draw_all(game, gold=1)
    game.play("take gold")
    assert game.legal_moves() == ["end"]
    game.play("end")
    assert (game.phase, game.current_seat) == ("turn", 1)


def test_gods_can_be_spent_on_a_full_track_which_then_has_room() -> None:
    """A full track does not stop gods, and the next seat can draw again."""
    game = table(2)
    win(game, 0, god=1)
    draw_all(game, nile=8)
    play_all(game, "take nile", "end")
    assert game.legal_moves() == ["draw", "invoke"]


def test_a_disaster_taken_with_a_god_strikes_at_once() -> None:
    """It does not stay in front of the player, and the turn goes on."""
    game = table(2)
    win(game, 0, god=2, pharaoh=3, gold=1)
    draw_all(game, funeral=1)
    assert game.current_seat == 0
    game.play("take funeral")
    assert game.tiles(0) == {"god": 1, "pharaoh": 1, "gold": 1}
    assert (game.phase, game.current_seat, game.track) == ("gods", 0, {})


def test_a_choice_forced_by_a_god_comes_before_the_next_god() -> None:
    """The player chooses what an unrest destroys, then may go on spending gods."""
    game = table(2)
    win(game, 0, god=2, art=2, writing=2)
    draw_all(game, unrest=1)
    game.play("take unrest")
    assert (game.phase, game.current_seat) == ("discard", 0)
    assert game.legal_moves() == ["discard writing", "discard art"]
    play_all(game, "discard art", "discard writing")
    assert game.legal_moves() == ["end"]
    assert game.tiles(0) == {"god": 1, "art": 1, "writing": 1}


# --- auctions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["draw ra", "invoke"])
def test_bidding_goes_clockwise_from_the_left_of_the_ra_player(how: str) -> None:
    """Everyone is asked once, the Ra player last."""
    game = table(5)
    draw_all(game, nile=2)
    play_all(game, how)
    asked = []
    while game.phase == "auction":
        asked.append(game.current_seat)
        game.play("pass" if "pass" in game.legal_moves() else game.legal_moves()[0])
    assert asked == [3, 4, 0, 1, 2]


def test_a_bid_is_a_face_up_sun_above_all_bids_before() -> None:
    """Each bid has to be higher; own suns that are too low cannot be bid."""
    game = table(4)
    play_all(game, "draw ra")
    assert game.legal_moves() == ["pass", "bid 3", "bid 7", "bid 12"]
    game.play("bid 7")
    assert game.legal_moves() == ["pass", "bid 8", "bid 11"]
    game.play("bid 11")
    assert game.legal_moves() == ["pass"]
    game.play("pass")
    assert game.legal_moves() == ["pass", "bid 13"]
    assert game.bids == {1: 7, 2: 11, 3: None}


def test_a_sun_won_in_this_epoch_cannot_be_bid() -> None:
    """Suns that lie face down are not among the bids."""
    game = table(2)
    play_all(game, "invoke", "pass", "bid 9", "invoke", "bid 2")
    assert game.legal_moves() == ["pass", "bid 3", "bid 4", "bid 7", "bid 8"]
    game.play("pass")
    assert game.suns(0) == ([6, 5], [9, 1])
    play_all(game, "draw ra", "pass")
    assert game.legal_moves() == ["pass", "bid 5", "bid 6"]


def test_the_ra_player_must_bid_in_a_voluntary_auction_without_bids() -> None:
    """Whoever invokes of their own accord has to bid if nobody else has."""
    game = table(2)
    play_all(game, "invoke", "pass")
    assert game.legal_moves() == ["bid 2", "bid 5", "bid 6", "bid 9"]


def test_somebody_elses_bid_frees_the_ra_player() -> None:
    """After another bid the Ra player of a voluntary auction may pass."""
    game = table(2)
    play_all(game, "invoke", "bid 3")
    assert game.legal_moves() == ["pass", "bid 5", "bid 6", "bid 9"]


def test_everybody_else_may_pass() -> None:
    """The others may pass in a voluntary auction, and the Ra player in the other kinds."""
    game = table(3)
    game.play("invoke")
    assert "pass" in game.legal_moves()
    game = table(2)
    play_all(game, "draw ra", "pass")
    assert "pass" in game.legal_moves()
    game = table(2)
    draw_all(game, nile=8)
    play_all(game, "invoke", "pass")
    assert "pass" in game.legal_moves()


def test_the_highest_bidder_takes_the_track_and_the_middle_sun_face_down() -> None:
    """The sun that was bid becomes the middle sun, and losing bids go back."""
    game = table(4)
    play_all(game, "draw nile", "draw gold", "draw ra")
    play_all(game, "bid 9", "bid 13", "pass", "pass")
    assert game.tiles(0) == {"nile": 1, "gold": 1}
    assert game.track == {}
    assert game.suns(0) == ([6, 2], [1])
    assert game.middle_sun == 13
    assert game.suns(3) == ([10, 9, 5], [])
    assert (game.bids, game.auction, game.ra_seat) == ({}, None, None)


def test_without_bids_a_drawn_auction_changes_nothing() -> None:
    """If everybody passes after a drawn Ra, tiles and suns stay where they are."""
    game = table(3)
    play_all(game, "draw nile", "draw ra", "pass", "pass", "pass")
    assert game.track == {"nile": 1}
    assert game.middle_sun == 1
    assert [game.suns(seat) for seat in range(3)] == [(suns, []) for suns in SUN_SETS[3]]


def test_without_bids_a_drawn_auction_on_a_full_track_cannot_be() -> None:
    """Ra comes by a draw, for which the track must have room; so seven tiles stay at most."""
    game = table(2)
    draw_all(game, nile=7)
    play_all(game, "draw ra", "pass", "pass")
    assert game.track == {"nile": 7}


def test_without_bids_the_tiles_of_a_full_track_leave_the_game() -> None:
    """If everybody passes in a full auction, the track is emptied for good."""
    game = table(3)
    draw_all(game, nile=5, drought=2, god=1)
    play_all(game, "invoke", "pass", "pass", "pass")
    assert game.track == {}
    assert game.bag == Counter(BOX) - Counter(nile=5, drought=2, god=1)
    assert [game.tiles(seat) for seat in range(3)] == [{}, {}, {}]
    assert game.middle_sun == 1


@pytest.mark.parametrize("winner", [0, 1, 2, 3])
def test_play_goes_on_left_of_the_ra_player_whoever_won(winner: int) -> None:
    """The turn after an auction does not depend on who won it."""
    game = table(4)
    draw_all(game, nile=1)
    assert game.current_seat == 1
    win(game, winner)
    assert (game.phase, game.current_seat) == ("turn", 2)


def test_a_winner_who_has_to_choose_does_not_change_whose_turn_it_is() -> None:
    """Seat 3 wins and gives tiles up, but play goes on left of seat 1, who called."""
    game = table(4)
    draw_all(game, art=1, writing=1, religion=1, god=1, unrest=1)
    assert game.current_seat == 1
    win(game, 3)
    assert (game.phase, game.current_seat) == ("discard", 3)
    play_all(game, "discard art", "discard writing")
    assert (game.phase, game.current_seat) == ("turn", 2)


def test_after_an_auction_seats_without_suns_are_skipped_too() -> None:
    """The first one left of the Ra player who has a face-up sun goes on."""
    game = one_sun_each(4)
    win(game, 1)
    assert game.current_seat == 2
    win(game, 3)
    assert game.current_seat == 0


def test_the_epoch_ends_when_nobody_has_a_face_up_sun() -> None:
    """With the last sun spent the epoch is scored, wherever the boat stands."""
    game = one_sun_each(2)
    win(game, 0, gold=1)
    assert (game.epoch, game.epoch_points) == (1, [])
    win(game, 1, art=1)
    assert (game.epoch, game.phase) == (2, "turn")
    assert game.epoch_points == [[3 - 5, 0]]


# --- disasters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("owned", "lot", "left"),
    [
        ({"pharaoh": 5}, {"funeral": 1}, {"pharaoh": 3}),
        ({"pharaoh": 5}, {"funeral": 2}, {"pharaoh": 1}),
        ({"pharaoh": 1}, {"funeral": 1}, {}),
        ({"flood": 3, "nile": 2}, {"drought": 1}, {"flood": 1, "nile": 2}),
        ({"flood": 1, "nile": 3}, {"drought": 1}, {"nile": 2}),
        ({"nile": 3}, {"drought": 1}, {"nile": 1}),
        ({"flood": 1, "nile": 1}, {"drought": 2}, {}),
        ({"art": 4}, {"unrest": 1}, {"art": 2}),
        ({"art": 1, "writing": 1}, {"unrest": 1}, {}),
        ({"art": 2, "writing": 2}, {"unrest": 3}, {}),
        ({"sphinx": 3}, {"earthquake": 1}, {"sphinx": 1}),
        ({"sphinx": 1, "temple": 3}, {"earthquake": 2}, {}),
        ({"gold": 2, "god": 1}, {"funeral": 1, "drought": 1, "unrest": 1, "earthquake": 1}, None),
    ],
)
def test_a_disaster_removes_two_matching_tiles_or_as_many_as_there_are(
    owned: dict[str, int], lot: dict[str, int], left: dict[str, int] | None
) -> None:
    """Funerals take pharaohs, droughts floods and then niles, unrests civilizations and earthquakes
    monuments. What leaves no choice is not asked for: owning no more than must go, or one kind."""
    game = table(2)
    win(game, 0, **owned)
    win(game, 0, **lot)
    assert game.phase == "turn"
    assert game.tiles(0) == (owned if left is None else left)


def test_disasters_strike_only_the_one_who_took_them() -> None:
    """The other seats keep all of their tiles."""
    game = table(2)
    win(game, 1, pharaoh=2, nile=2, art=1, sphinx=1)
    win(game, 0, funeral=1, drought=1, unrest=1, earthquake=1)
    assert game.tiles(1) == {"pharaoh": 2, "nile": 2, "art": 1, "sphinx": 1}


def test_the_tiles_of_a_lot_come_before_its_disasters() -> None:
    """First everything that was won is taken, then the disasters strike it too."""
    game = table(2)
    win(game, 0, pharaoh=1, funeral=1, gold=1)
    assert game.tiles(0) == {"gold": 1}


def test_disasters_leave_the_game() -> None:
    """They do not stay with the player, on the track or in the bag."""
    game = table(2)
    win(game, 0, unrest=2, earthquake=1)
    assert game.tiles(0) == {}
    assert game.track == {}
    assert (game.bag["unrest"], game.bag["earthquake"]) == (2, 1)


def test_the_winner_chooses_one_tile_at_a_time_civilizations_first() -> None:
    """All civilizations that must go are chosen before the monuments, by the winner alone."""
    game = table(3)
    win(game, 2, art=1, writing=1, religion=2, palace=2, statue=1, sphinx=1)
    assert game.current_seat == 0
    win(game, 2, unrest=1, earthquake=1)
    assert (game.phase, game.current_seat) == ("discard", 2)
    assert game.legal_moves() == ["discard writing", "discard religion", "discard art"]
    game.play("discard religion")
    assert game.legal_moves() == ["discard writing", "discard religion", "discard art"]
    game.play("discard art")
    assert game.legal_moves() == ["discard palace", "discard statue", "discard sphinx"]
    play_all(game, "discard palace", "discard sphinx")
    assert game.tiles(2) == {"writing": 1, "religion": 1, "palace": 1, "statue": 1}
    assert (game.phase, game.current_seat) == ("turn", 0)


def test_a_choice_ends_when_only_one_kind_is_left() -> None:
    """After the last sphinx only temples could go, so one goes without asking."""
    game = table(2)
    win(game, 0, sphinx=1, temple=4)
    win(game, 0, earthquake=1)
    assert game.phase == "discard"
    game.play("discard sphinx")
    assert game.tiles(0) == {"temple": 3}
    assert game.phase == "turn"


def test_monuments_are_chosen_even_if_civilizations_leave_no_choice() -> None:
    """What is carried out without asking does not skip the question after it."""
    game = table(2)
    win(game, 0, art=1, sphinx=1, temple=1, palace=1)
    win(game, 0, unrest=1, earthquake=1)
    assert game.tiles(0) == {"sphinx": 1, "temple": 1, "palace": 1}
    assert game.legal_moves() == ["discard palace", "discard temple", "discard sphinx"]


def test_two_equal_disasters_of_a_lot_add_up() -> None:
    """Two unrests destroy four civilizations, chosen one after the other."""
    game = table(2)
    win(game, 0, art=3, writing=3)
    win(game, 0, unrest=2)
    play_all(game, "discard art", "discard art", "discard writing", "discard art")
    assert game.tiles(0) == {"writing": 2}
    assert game.phase == "turn"


def test_a_winner_without_suns_still_chooses_and_the_epoch_waits() -> None:
    """The last sun was bid, but the disaster is settled before the epoch is scored."""
    game = one_sun_each(2)
    win(game, 0)
    draw_all(game, art=1, writing=1, religion=1, unrest=1)
    play_all(game, "invoke", "bid 12")
    assert (game.phase, game.current_seat, game.epoch) == ("discard", 1, 1)
    play_all(game, "discard art", "discard writing")
    assert game.epoch == 2
    assert game.epoch_points == [[-5, 0]]


def test_the_books_example_of_a_lot_with_three_disasters() -> None:
    """Two monuments of choice; the only civilization unasked; one flood and then one nile."""
    game = table(4)
    win(game, 1, pyramid=1, temple=1, nile=2, flood=1)
    win(game, 1, earthquake=1, unrest=1, drought=1, agriculture=1, nile=1, sphinx=1)
    assert (game.phase, game.current_seat) == ("discard", 1)
    assert game.tiles(1) == {"nile": 2, "pyramid": 1, "temple": 1, "sphinx": 1}
    assert game.legal_moves() == ["discard pyramid", "discard temple", "discard sphinx"]
    play_all(game, "discard pyramid", "discard sphinx")
    assert game.tiles(1) == {"nile": 2, "temple": 1}


# --- scoring -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gods", "golds"), [(1, 0), (0, 1), (3, 4)])
def test_gods_bring_2_and_golds_3_points(gods: int, golds: int) -> None:
    """2 points for each god, 3 for each gold."""
    game = table(2)
    win(game, 0, god=gods, gold=golds)
    assert points(game, "god") == [2 * gods, 0]
    assert points(game, "gold") == [3 * golds, 0]


@pytest.mark.parametrize(
    ("pharaohs", "expected"),
    [
        ((4, 3, 3, 4), [5, -2, -2, 5]),
        ((1, 2, 3, 0), [0, 0, 5, -2]),
        ((2, 2, 2, 2), [0, 0, 0, 0]),
        ((0, 0, 0), [0, 0, 0]),
        ((0, 0, 1), [-2, -2, 5]),
        ((2, 2, 1), [5, 5, -2]),
        ((3, 3), [0, 0]),
        ((3, 2), [5, -2]),
        ((0, 1, 1, 2, 2), [-2, 0, 0, 5, 5]),
    ],
)
def test_most_pharaohs_bring_5_and_fewest_cost_2(
    pharaohs: tuple[int, ...], expected: list[int]
) -> None:
    """Every tied player in full; nothing when all are equal, also with two players. The books'
    example is 4, 3, 3, 4."""
    game = table(len(pharaohs))
    for seat, count in enumerate(pharaohs):
        win(game, seat, pharaoh=count)
    assert points(game, "pharaoh") == expected


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [({"flood": 1, "nile": 3}, 4), ({"flood": 2}, 2), ({"nile": 4}, 0), ({}, 0)],
)
def test_niles_need_a_flood(tiles: dict[str, int], expected: int) -> None:
    """Niles and floods 1 each with at least one flood, otherwise nothing: the books' examples."""
    game = table(2)
    win(game, 0, **tiles)
    assert points(game, "nile") == [expected, 0]


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ({}, -5),
        ({"art": 1}, 0),
        ({"art": 4, "writing": 1}, 0),
        ({"astronomy": 3, "agriculture": 2, "writing": 2}, 5),
        ({"astronomy": 3, "agriculture": 2, "writing": 2, "art": 1}, 10),
        (dict.fromkeys(CIVILIZATIONS, 1), 15),
        ({**dict.fromkeys(CIVILIZATIONS, 1), "art": 3}, 15),
    ],
)
def test_different_civilizations_count_and_none_costs_5(
    tiles: dict[str, int], expected: int
) -> None:
    """None -5; 3, 4, 5 different ones 5, 10, 15; duplicates nothing, as in the books' example."""
    game = table(2)
    win(game, 0, **tiles)
    assert points(game, "civilization") == [expected, -5]


@pytest.mark.parametrize(("kinds", "expected"), list(enumerate([0, 1, 2, 3, 4, 5, 6, 10, 15])))
def test_different_monuments_in_the_last_epoch(kinds: int, expected: int) -> None:
    """1 point a kind up to 6 kinds, 10 for 7, 15 for 8."""
    game = table(2, epochs=1)
    win(game, 0, **dict.fromkeys(MONUMENTS[:kinds], 1))
    assert points(game, "monument") == [expected, 0]


@pytest.mark.parametrize(("count", "expected"), [(1, 0), (2, 0), (3, 5), (4, 10), (5, 15)])
@pytest.mark.parametrize("monument", MONUMENTS)
def test_equal_monuments_in_the_last_epoch(monument: str, count: int, expected: int) -> None:
    """3, 4, 5 equal ones 5, 10, 15, beside the point for the kind."""
    game = table(2, epochs=1)
    win(game, 1, **{monument: count})
    assert points(game, "monument") == [0, 1 + expected]


def test_the_books_example_of_monuments() -> None:
    """4 pyramids, 3 temples, 2 fortresses, 1 sphinx: 4 + 10 + 5 = 19."""
    game = table(2, epochs=1)
    win(game, 0, pyramid=4, temple=3)
    win(game, 0, fortress=2, sphinx=1)
    assert points(game, "monument") == [19, 0]


@pytest.mark.parametrize(
    ("suns", "expected"),
    [
        # Totals 17, 25, 21 and 17: the books' example.
        (((10, 5, 2), (13, 9, 3), (12, 8, 1), (7, 6, 4)), [-5, 5, 0, -5]),
        (((10, 2), (9, 3), (8, 4)), [0, 0, 0]),
        (((10, 9), (16, 3), (1, 2)), [5, 5, -5]),
        (((10, 2), (9, 3)), [0, 0]),
        (((10, 3), (9, 2)), [5, -5]),
    ],
)
def test_the_highest_total_of_suns_brings_5_and_the_lowest_costs_5(
    suns: tuple[tuple[int, ...], ...], expected: list[int]
) -> None:
    """In the last epoch; ties in full, nothing when all are equal."""
    game = table(len(suns), epochs=1, suns=suns, middle_sun=11)
    assert points(game, "sun") == expected


def test_suns_count_face_up_and_face_down() -> None:
    """The 14 that seat 1 has just won lies face down and puts it ahead."""
    game = table(2, epochs=1, suns=((9, 5), (8, 4)), middle_sun=14)
    assert points(game, "sun") == [5, -5]
    play_all(game, "invoke", "bid 4")
    game.play("pass")
    assert game.suns(1) == ([8], [14])
    assert points(game, "sun") == [-5, 5]


def test_monuments_and_suns_count_after_the_last_epoch_only() -> None:
    """Three palaces and the higher suns are worth nothing twice, and 6 and 5 points then."""
    game = table(2)
    win(game, 0, palace=3, art=1)
    end_epoch(game)
    assert points(game, "monument") == points(game, "sun") == [0, 0]
    end_epoch(game)
    assert game.epoch_points == [[0, -5], [-5, -5]]
    assert points(game, "monument") == [6, 0]
    end_epoch(game)
    # Seat 0 gave the 2 for the 1: 21 against 22.
    assert game.epoch_points[2] == [-5 + 6 - 5, -5 + 5]


def test_an_epochs_points_are_summed_before_they_are_added() -> None:
    """3 points, then 6 for golds and -7: that is 2, not zero and then 6."""
    game = table(2)
    win(game, 0, pharaoh=1)
    end_epoch(game)
    assert game.scores == [10, 3]
    win(game, 1, gold=2)
    end_epoch(game)
    assert game.epoch_points[1] == [5 - 5, 6 - 5 - 2]
    assert game.scores == [10, 2]


def test_a_total_below_zero_becomes_zero() -> None:
    """3 points and -7 make 0; the epoch's points are told as they were."""
    game = table(2)
    win(game, 0, pharaoh=1)
    end_epoch(game)
    end_epoch(game)
    assert game.epoch_points == [[0, -7], [0, -7]]
    assert game.scores == [10, 0]


# --- between epochs ------------------------------------------------------------------------------


def test_pharaohs_niles_and_monuments_stay_and_the_rest_leaves_the_game() -> None:
    """Gods, golds, floods and civilizations are kept for one epoch only."""
    for tile in BOX:
        if tile in ("ra", "funeral", "drought", "unrest", "earthquake"):
            continue
        game = table(2)
        win(game, 0, **{tile: 2})
        end_epoch(game)
        stays = tile in ("pharaoh", "nile", *MONUMENTS)
        assert game.tiles(0) == ({tile: 2} if stays else {})
        assert game.bag[tile] == BOX[tile] - 2


def test_tiles_still_on_the_track_leave_the_game() -> None:
    """They go neither to a player nor back into the bag."""
    game = table(2)
    draw_all(game, nile=3, gold=1)
    end_epoch(game)
    assert game.track == {}
    assert game.bag == Counter(BOX) - Counter(nile=3, gold=1, ra=6)


def test_the_middle_sun_stays_and_all_others_turn_face_up() -> None:
    """The suns stay where they were won, usable again; the boat goes back."""
    game = table(2)
    play_all(game, "invoke", "pass", "bid 6", "invoke", "bid 9", "pass")
    assert game.suns(0) == ([5, 2], [6, 1])
    assert game.middle_sun == 9
    end_epoch(game)
    assert game.suns(0) == ([6, 5, 2, 1], [])
    assert game.suns(1) == ([8, 7, 4, 3], [])
    assert (game.middle_sun, game.ra_count) == (9, 0)


def test_nothing_is_cleared_after_the_last_epoch() -> None:
    """Once the game is over, the table shows what was scored."""
    game = table(2, epochs=1)
    win(game, 0, gold=1, art=1)
    draw_all(game, nile=1)
    end_epoch(game)
    assert game.is_over
    assert game.tiles(0) == {"gold": 1, "art": 1}
    assert game.track == {"nile": 1}
    assert game.suns(0) == ([9, 6, 5], [1])


# --- the end -------------------------------------------------------------------------------------


def test_the_highest_total_wins() -> None:
    """The ranking goes by points."""
    game = table(3, epochs=1)
    win(game, 1, gold=4, god=2, art=1)
    win(game, 2, gold=1, art=1)
    end_epoch(game)
    assert game.scores[1] > game.scores[2] > game.scores[0]
    assert game.ranking() == [1, 2, 0]


def test_among_equals_the_highest_sun_wins() -> None:
    """Equal points and equal totals of suns: the 9 beats the 8."""
    for suns in ([[9, 2], [8, 3]], [[8, 3], [9, 2]]):
        rules = Rules(2, epochs=1, suns=((9, 2), (8, 3)))
        game = Game(rules=rules, suns=suns, seed=0)
        end_epoch(game)
        assert game.scores == [5, 5]
        assert game.ranking() == sorted((0, 1), key=lambda seat: -max(suns[seat]))


def test_a_face_down_sun_breaks_a_tie_too() -> None:
    """Seat 1 won the 10 in this epoch; with equal points it beats the face-up 9."""
    game = table(2, epochs=1, suns=((9, 5), (8, 3)), middle_sun=10)
    win(game, 1)
    assert game.suns(1) == ([8], [10])
    win(game, 0, gold=2, god=2)  # 10 points, for the suns are 5 behind against 5 ahead
    end_epoch(game)
    assert game.scores == [10, 10]
    assert game.ranking() == [1, 0]


def test_the_bag_cannot_run_dry() -> None:
    """Five players draw every other tile first; then only Ra tiles come, and the last ends it."""
    game = table(5)
    for tile, count in BOX.items():
        for _ in range(count if tile != "ra" else 0):
            if "draw" not in game.legal_moves():
                game.play("invoke")
                pass_all(game)
            game.play("draw", tile=tile)
    game.play("invoke")
    while game.phase == "auction":
        game.play(game.legal_moves()[0])
    while not game.is_over:
        assert game.bag == {"ra": game.bag["ra"]}
        game.play("draw")
        pass_all(game)
    assert game.bag == {}


def test_a_bag_that_could_run_dry_is_refused() -> None:
    """Every epoch of a variant must be able to end by Ra."""
    with pytest.raises(RulesError, match="ra"):
        Rules(5, bag={**BOX, "ra": 29})


# --- who knows what ------------------------------------------------------------------------------


def test_the_order_of_the_bag_is_not_on_the_table() -> None:
    """Games with other luck to come show exactly the same table."""
    games = [Game(4, suns=SUN_SETS[4], seed=seed) for seed in range(20)]
    assert all((game.state == games[0].state).all() for game in games)
    assert len({game.play("draw") for game in games}) > 1


def test_everything_else_is_open() -> None:
    """Tiles and suns of every seat, also face down, the track, the boat and the middle sun."""
    game = table(3)
    win(game, 1, nile=1, gold=1)
    draw_all(game, art=1)
    assert game.tiles(1) == {"nile": 1, "gold": 1}
    assert game.suns(1) == ([12, 9, 6], [1])
    assert (game.track, game.ra_count, game.middle_sun) == ({"art": 1}, 0, 3)
    assert game.bag == Counter(BOX) - Counter(nile=1, gold=1, art=1)
