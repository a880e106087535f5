"""`Game`: what it shows, what it refuses, and that it can be copied, taken back and repeated."""

import copy
import doctest
import pickle
import random

import numpy as np
import pytest
from random_play import SMALL, game_in, random_game

import ra_env.game
from ra_env import ACTION_TEXTS, Game, IllegalAction, RecordError, Rules, RulesError, batch
from ra_env.rules import STANDARD_SUNS

DEAL = [[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]]
PHASES = ["turn", "gods", "auction", "discard", "over"]


def everything(game: Game) -> tuple[object, ...]:
    """All that a game is: what it shows, its past and its luck to come."""
    ahead = game.copy()
    luck = [ahead.play("draw") for _ in range(3) if "draw" in ahead.legal_moves()]
    return game.state.tolist(), game.moves, game.rules, game.seed, str(game), luck


# --- beginning -----------------------------------------------------------------------------------


def test_the_examples_in_the_docstrings_are_true() -> None:
    outcome = doctest.testmod(ra_env.game)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_a_fresh_game(num_players: int) -> None:
    game = Game(num_players, seed=1)
    suns = [game.suns(seat)[0] for seat in range(num_players)]
    assert game.num_players == num_players
    assert game.rules == Rules(num_players)
    assert sorted(map(tuple, suns)) == sorted(STANDARD_SUNS[num_players])
    assert game.current_seat == max(range(num_players), key=lambda seat: max(suns[seat]))
    assert (game.epoch, game.phase, game.is_over, game.ra_count) == (1, "turn", False, 0)
    assert game.scores == [10] * num_players
    assert game.epoch_points == []
    assert game.track == {}
    assert sum(game.bag.values()) == 180
    assert game.bag["ra"] == 30
    assert game.middle_sun == 1
    assert (game.auction, game.ra_seat, game.bids) == (None, None, {})
    assert game.legal_moves() == ["draw", "invoke"]
    assert game.legal_actions() == [0, 1]
    assert game.moves == []
    assert all(game.tiles(seat) == {} for seat in range(num_players))
    assert all(game.suns(seat)[1] == [] for seat in range(num_players))


def test_four_players_unless_told_otherwise() -> None:
    assert Game().num_players == 4
    assert Game(rules=Rules(3)).num_players == Game(3, rules=Rules(3)).num_players == 3


def test_the_same_seed_gives_the_same_game(num_players: int) -> None:
    one, other = random_game(num_players, seed=5), random_game(num_players, seed=5)
    assert one == other
    assert one.to_record() == other.to_record()


def test_another_seed_gives_another_game() -> None:
    games = [random_game(4, seed=seed, moves=30) for seed in range(8)]
    assert all(one != other for i, one in enumerate(games) for other in games[:i])


def test_without_a_seed_the_game_names_one_that_repeats_it() -> None:
    games = [Game(4) for _ in range(8)]
    assert len({game.seed for game in games}) == 8
    for game in games:
        again = Game(4, seed=game.seed)
        for _ in range(20):
            action = game.legal_actions()[0]
            assert game.play(action) == again.play(action)
        assert game == again


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1, np.int64(5), np.uint64(2**64 - 1)])
def test_a_seed_is_any_64_bit_number_and_the_same_for_batches(seed: int) -> None:
    game = Game(3, seed=seed)
    states, words = batch.new_games(Rules(3), [seed])
    assert (states[0] == game.state).all()
    while "draw" in game.legal_moves():
        game.play("draw")
        batch.step(states, words, [0])
        assert (states[0] == game.state).all()
    assert game.seed == int(seed)


@pytest.mark.parametrize("seed", [-1, 2**64, 10**5000, 1.0, True, "7", [7], float("nan")], ids=type)
def test_anything_else_is_no_seed(seed: object) -> None:
    with pytest.raises(ValueError, match=r"seed must be a whole number from 0 to 2\*\*64 - 1, not"):
        Game(seed=seed)


def test_suns_fix_the_deal_and_with_it_who_begins() -> None:
    game = Game(4, suns=DEAL, seed=3)
    assert [game.suns(seat)[0] for seat in range(4)] == DEAL
    assert game.current_seat == 1
    assert Game(4, suns=tuple(map(tuple, DEAL)), seed=3) == game


def test_suns_do_not_change_the_luck_of_the_bag() -> None:
    dealt, fixed = Game(4, seed=3), Game(4, seed=3, suns=DEAL)
    for _ in range(5):
        if "draw" in dealt.legal_moves():
            assert dealt.play("draw").split()[1:] == fixed.play("draw").split()[1:]


def test_rules_ask_for_a_variant() -> None:
    game = Game(rules=SMALL, seed=0)
    assert game.bag == {
        **{"ra": 5, "god": 3, "nile": 2, "flood": 2, "religion": 3, "art": 3, "unrest": 2}
    }
    assert game.middle_sun == 5
    assert sorted(game.suns(seat)[0] for seat in (0, 1)) == [[6, 4], [7, 3]]
    over = random_game(rules=SMALL)
    assert over.is_over
    assert len(over.epoch_points) == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"num_players": 1}, "num_players must be a whole number from 2 to 5, not 1"),
        ({"num_players": "4"}, "num_players must be a whole number from 2 to 5, not '4'"),
        ({"num_players": 3, "rules": Rules(4)}, "num_players is 3, but rules say 4"),
        ({"num_players": 4.0, "rules": Rules(4)}, r"num_players is 4\.0, but rules say 4"),
        ({"rules": 4}, "rules must be a Rules, not 4"),
        ({"rules": {"epochs": 1}}, "rules must be a Rules, not {'epochs': 1}"),
        ({"suns": [[9]]}, "suns are given for 1 seats, but there are 4"),
        ({"suns": [[14, 6, 2], *DEAL[:3]]}, "sun 2 is there twice|not a deal"),
        ({"suns": [[13, 9, 2], [12, 7, 3], [11, 8, 4], [10, 6, 5]]}, "not a deal of the sets"),
        ({"suns": 7}, "must be one list of suns for each seat"),
        ({"suns": DEAL, "rules": SMALL}, "suns are given for 4 seats, but there are 2"),
    ],
    ids=str,
)
def test_a_game_that_cannot_be_is_refused_with_the_reason(
    arguments: dict[str, object], reason: str
) -> None:
    with pytest.raises(RulesError, match=reason):
        Game(**arguments)


# --- what lies on the table ----------------------------------------------------------------------


def test_the_table_follows_an_auction() -> None:
    game = Game(4, suns=DEAL, seed=0)
    game.play("draw", tile="nile")
    game.play("draw", tile="gold")
    assert (game.current_seat, game.track) == (3, {"nile": 1, "gold": 1})
    game.play("invoke")
    assert (game.phase, game.auction, game.ra_seat, game.bids) == ("auction", "voluntary", 3, {})
    game.play("pass")
    game.play("bid 6")
    assert game.bids == {0: None, 1: 6}
    assert game.legal_moves() == ["pass", "bid 7", "bid 12"]
    game.play("bid 7")
    game.play("pass")
    assert (game.phase, game.auction, game.ra_seat, game.bids) == ("turn", None, None, {})
    assert game.current_seat == 0
    assert game.suns(2) == ([12, 3], [1])
    assert game.suns(1) == ([13, 6, 2], [])
    assert game.middle_sun == 7
    assert game.tiles(2) == {"nile": 1, "gold": 1}
    assert game.track == {}
    assert game.points_if_scored_now() == [-5, -5, 3 - 5, -5]
    assert game.scores == [10] * 4


def test_a_game_that_is_over(num_players: int) -> None:
    game = random_game(num_players, seed=2)
    assert game.is_over
    assert (game.phase, game.current_seat, game.epoch) == ("over", None, 3)
    assert game.legal_actions() == []
    assert game.legal_moves() == []
    assert game.chance_outcomes() == {}
    assert len(game.epoch_points) == 3
    assert all(len(points) == num_players for points in game.epoch_points)
    for seat, score in enumerate(game.scores):
        total = 10
        for points in game.epoch_points:
            total = max(total + points[seat], 0)
        assert score == total
    ranked = game.ranking()
    assert sorted(ranked) == list(range(num_players))
    highest = [max(face_up + face_down) for face_up, face_down in map(game.suns, ranked)]
    by_points_then_sun = [
        (game.scores[seat], sun) for seat, sun in zip(ranked, highest, strict=True)
    ]
    assert by_points_then_sun == sorted(by_points_then_sun, reverse=True)


def test_what_a_game_hands_out_is_the_callers_own() -> None:
    game = random_game(4, moves=40)
    before = everything(game)
    game.state[:] = 0
    for handed_out in (game.scores, game.moves, game.legal_actions(), *game.suns(0)):
        handed_out.clear()
    for handed_out in (game.track, game.bag, game.tiles(0), game.bids):
        handed_out.clear()
    assert everything(game) == before


@pytest.mark.parametrize("seat", [-1, 4, 10**5000, 1.0, True, "0", None, [0]], ids=type)
def test_a_seat_that_is_not_there_is_refused(seat: object) -> None:
    game = Game(4, seed=0)
    for look in (game.tiles, game.suns):
        with pytest.raises(ValueError, match=r"there is no seat .*; seats are 0 to 3"):
            look(seat)
    assert game.tiles(np.int64(3)) == {}


def test_the_chances_of_a_draw_are_those_of_the_bag() -> None:
    game = Game(rules=SMALL, seed=0)
    game.play("draw", tile="nile")
    chances = game.chance_outcomes()
    assert chances == {tile: count / 19 for tile, count in game.bag.items()}
    assert sum(chances.values()) == pytest.approx(1)
    game.play("invoke")
    assert game.chance_outcomes() == {}


# --- playing -------------------------------------------------------------------------------------


def test_a_move_is_played_by_text_or_id_and_comes_back_as_a_record_has_it() -> None:
    game = Game(4, suns=DEAL, seed=0)
    assert game.play("invoke") == "1 invoke"
    assert game.play(3) == "2 pass"
    assert game.play(np.int64(11)) == "3 bid 8"
    assert game.play(" BID  9 ") == "0 bid 9"
    assert game.play("pass") == "1 pass"
    assert game.play("draw", tile="nile") == "2 draw nile"
    assert game.moves == ["1 invoke", "2 pass", "3 bid 8", "0 bid 9", "1 pass", "2 draw nile"]


@pytest.mark.parametrize("phase", PHASES)
def test_whatever_is_not_legal_is_refused_and_changes_nothing(phase: str) -> None:
    game = game_in(phase) if phase != "over" else random_game()
    before = everything(game)
    legal = game.legal_actions()
    for action in set(range(len(ACTION_TEXTS))) - set(legal):
        for given in (action, ACTION_TEXTS[action]):
            with pytest.raises(IllegalAction) as refused:
                game.play(given)
            assert repr(ACTION_TEXTS[action]) in str(refused.value)
            for move in game.legal_moves():
                assert move in str(refused.value)
    for unknown in ("", "bid", -1, 54, None, 3.0, True, [], "draw nile"):
        with pytest.raises(IllegalAction):
            game.play(unknown)
    assert everything(game) == before


def test_the_refusal_says_who_and_when() -> None:
    game = Game(4, suns=DEAL, seed=0)
    with pytest.raises(IllegalAction, match=r"seat 1 cannot 'pass' in phase 'turn'; legal: draw, "):
        game.play("pass")
    with pytest.raises(IllegalAction, match=r"'draw' is not possible: the game is over"):
        random_game().play("draw")


@pytest.mark.parametrize(
    ("tile", "reason"),
    [
        ("cat", "unknown tile 'cat'; tiles: ra, god, "),
        ("", "unknown tile ''"),
        (3, "unknown tile 3"),
        (["nile"], r"unknown tile \['nile'\]"),
        (True, "unknown tile True"),
        ("gold", "no gold is left in the bag; left: ra, god, nile, flood, religion, art, unrest"),
    ],
)
def test_a_tile_that_cannot_come_is_refused_and_changes_nothing(tile: object, reason: str) -> None:
    game = Game(rules=SMALL, seed=0)
    before = everything(game)
    with pytest.raises(IllegalAction, match=reason):
        game.play("draw", tile=tile)
    assert everything(game) == before


def test_a_tile_is_for_a_draw_alone() -> None:
    game = Game(rules=SMALL, seed=0)
    before = everything(game)
    with pytest.raises(IllegalAction, match="a tile is for a draw, not for 'invoke'"):
        game.play("invoke", tile="nile")
    assert everything(game) == before


def test_a_tile_can_be_told_until_the_bag_has_none_of_it() -> None:
    game = Game(rules=SMALL, seed=0)
    game.play("draw", tile="nile")
    game.play("draw", tile="nile")
    with pytest.raises(IllegalAction, match="no nile is left in the bag"):
        game.play("draw", tile="nile")


def test_a_draw_uses_up_one_random_number_told_or_not() -> None:
    """Two tiles come in the other order, because we say so; the third is the same all the same."""
    free, told = Game(4, seed=21), Game(4, seed=21)
    first, second, third = (free.play("draw").split()[2] for _ in range(3))
    assert first != second
    told.play("draw", tile=second)
    told.play("draw", tile=first)
    assert told.play("draw").split()[2] == third


def test_only_draws_use_up_luck() -> None:
    """The third tile is the same whether or not an auction came before it."""
    calm, busy = Game(4, seed=21, suns=DEAL), Game(4, seed=21, suns=DEAL)
    for move in ("invoke", "pass", "pass", "bid 10", "pass"):
        busy.play(move)
    for _ in range(3):
        assert calm.play("draw").split()[2] == busy.play("draw").split()[2]


# --- taking back, copying, keeping ---------------------------------------------------------------


def test_undo_leads_back_to_the_start_through_every_position(num_players: int) -> None:
    game = Game(num_players, seed=9)
    choose = random.Random(9)
    past = []
    while not game.is_over:
        past.append((game.state.tolist(), game.moves))
        game.play(choose.choice(game.legal_actions()))
    over = game.copy()
    for state, moves in reversed(past):
        move = game.undo()
        assert move == over.moves[len(moves)]
        assert (game.state.tolist(), game.moves) == (state, moves)
    with pytest.raises(IllegalAction, match="there is no move to take back"):
        game.undo()
    assert game == Game(num_players, seed=9)


def test_undo_gives_the_luck_back() -> None:
    game = Game(4, seed=4)
    tile = game.play("draw")
    game.undo()
    assert game.play("draw") == tile


@pytest.mark.parametrize("copied", [Game.copy, copy.copy, copy.deepcopy])
def test_a_copy_and_its_original_do_not_know_each_other(copied) -> None:
    game = random_game(4, moves=40)
    before = everything(game)
    other = copied(game)
    assert type(other) is Game
    assert other == game
    assert everything(other) == before
    other.play(other.legal_actions()[0])
    assert other != game
    assert everything(game) == before
    after = everything(other)
    game.play(game.legal_actions()[-1])
    game.undo()
    game.undo()
    game.play(game.legal_actions()[-1])
    assert everything(other) == after


def test_what_was_taken_back_and_played_anew_stays_out_of_a_copys_past() -> None:
    """The original goes back and on another way; the copy still goes back the old way."""
    game = Game(4, seed=0, suns=DEAL)
    start = game.state
    game.play("draw", tile="nile")
    other = game.copy()
    game.undo()
    game.play("invoke")
    assert other.undo() == "1 draw nile"
    assert (other.state == start).all()
    assert other.to_record()["suns"] == DEAL


@pytest.mark.parametrize("moves", [0, 1, 60, None])
def test_a_game_survives_pickling(moves: int | None) -> None:
    game = random_game(3, moves=moves)
    back = pickle.loads(pickle.dumps(game))
    assert back == game
    assert everything(back) == everything(game)
    while back.moves:
        assert back.undo() == game.undo()
    assert back == game


def test_equality_is_about_rules_deal_and_moves() -> None:
    game = Game(4, seed=0, suns=DEAL)
    assert game == Game(4, seed=1, suns=DEAL)
    assert game != Game(4, seed=0, suns=DEAL[::-1])
    assert game != Game(rules=Rules(4, epochs=2), seed=0, suns=DEAL)
    one, other = game.copy(), game.copy()
    one.play("draw", tile="nile")
    other.play("draw", tile="gold")
    assert one != other
    assert game != "a game"
    assert (game == 7) is False


def test_a_game_has_no_hash_because_it_changes() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Game(seed=0))


def test_repr_says_which_game_and_where() -> None:
    game = random_game(4, seed=3, moves=2)
    assert repr(game) == f"<Game of 4, seed 3, after 2 moves: epoch 1, {game.phase}>"


# --- records -------------------------------------------------------------------------------------


def test_a_record_names_the_agents_if_told() -> None:
    game = Game(2, seed=0)
    assert "agents" not in game.to_record()
    assert game.to_record(agents=("ppo", "random"))["agents"] == ["ppo", "random"]
    for agents in (["ppo"], ["a", "b", "c"], "ab", 7, [1, 2], {"a": 1, "b": 2}):
        with pytest.raises(RecordError, match="'agents' must be a list of 2 names"):
            game.to_record(agents=agents)


def test_a_game_comes_back_from_its_record_with_its_luck(num_players: int) -> None:
    for moves in (0, 1, 50, None):
        game = random_game(num_players, seed=6, moves=moves)
        assert everything(Game.from_record(game.to_record())) == everything(game)
