"""The heuristic: always legal, a function of the row alone, and a good player.

Good play is shown by positions in which the right move is beyond doubt, and by games against
random players.
"""

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from positions import draw_all, end_epoch, win
from steered import EVEN, RICH_BAG, STEERED, engine_game, random_variant

from agents.heuristic import Heuristic
from agents.heuristic_parameters import PARAMETERS, tuned_parameters
from agents.random import Random
from ra_env import ACTION_TEXTS, Game, Rules, batch
from ra_env.agent import Advisor, BatchAgent, make_agent
from ra_env.layout import BAG, BAG_COUNT, EPOCH_POINTS, HELD, OVER, PHASE, SCORE, SEAT
from ra_env.legality import legal_actions
from ra_env.rules import RA

WORD = np.uint64(0)
SUNS = [[13, 6, 2], [12, 7, 3], [11, 8, 4], [10, 9, 5]]


def move_of(game: Game) -> str:
    """What the heuristic plays."""
    return ACTION_TEXTS[Heuristic().act(game.state, WORD)]


def choices(states: NDArray[np.int16]) -> NDArray[np.int64]:
    """The heuristic's actions for all rows."""
    actions = np.full(len(states), -1, dtype=np.int64)
    Heuristic().act_batch(states, np.zeros(len(states), dtype=np.uint64), actions)
    return actions


def positions_of(rules: Rules, seed: int) -> NDArray[np.int16]:
    """Every position of games played evenly at random and steered to where that seldom comes."""
    return np.concatenate(
        [engine_game(rules, seed, w).rows.copy() for w in (EVEN, *STEERED.values())]
    )


def assert_all_legal(states: NDArray[np.int16]) -> None:
    """Every choice is legal; where the game is over, it is 0."""
    for state, action in zip(states, choices(states), strict=True):
        if state[PHASE] == OVER:
            assert action == 0
        else:
            assert int(legal_actions(state)) >> int(action) & 1


# --- the protocol --------------------------------------------------------------------------------


def test_it_is_found_by_its_name() -> None:
    """The registry knows it; it plays batches and gives advice."""
    agent = make_agent("heuristic")
    assert isinstance(agent, Heuristic)
    assert isinstance(agent, BatchAgent)
    assert isinstance(agent, Advisor)


@pytest.mark.compiled
@pytest.mark.boundscheck
def test_every_choice_is_legal_in_steered_games(num_players: int) -> None:
    """In every position of games that reach full tracks, many gods and lonely seats."""
    assert_all_legal(positions_of(Rules(num_players), seed=num_players))
    assert_all_legal(positions_of(Rules(num_players, bag=RICH_BAG), seed=num_players))


@pytest.mark.compiled
@pytest.mark.boundscheck
def test_every_choice_is_legal_in_variants() -> None:
    """Short tracks, lopsided bags, other suns: no number of the row is taken for granted."""
    rng = random.Random(3)
    for seed in range(40):
        assert_all_legal(positions_of(random_variant(rng), seed))


def test_it_plays_whole_games_to_their_end(num_players: int) -> None:
    """Alone at all seats, through the checked functions of a batch."""
    states, words = batch.new_games(Rules(num_players), range(3))
    while (states[:, PHASE] != OVER).any():
        batch.step(states, words, choices(states))
    assert (states[:, SCORE : SCORE + num_players] > 0).any()


def test_a_batch_decides_as_single_calls_do(num_players: int) -> None:
    """`act_batch` writes what `act` returns, whatever stands in the rows around it."""
    states = engine_game(Rules(num_players), 5, STEERED["long lots"]).rows.copy()
    agent = Heuristic()
    assert [agent.act(state, WORD) for state in states] == choices(states).tolist()


def test_it_reads_the_row_and_nothing_else() -> None:
    """Neither the word, nor earlier calls, nor another object changes a choice; the row stays."""
    states = engine_game(Rules(4), 6, STEERED["long lots"]).rows.copy()
    before = states.copy()
    first, second = choices(states), np.empty(len(states), dtype=np.int64)
    words = np.random.default_rng(0).integers(0, 2**64, len(states), dtype=np.uint64)
    Heuristic().act_batch(states[::-1].copy(), words, second)
    assert (first == second[::-1]).all()
    assert (states == before).all()


def test_past_points_do_not_matter() -> None:
    """The table of finished epochs is history: only the scores they led to count."""
    states = engine_game(Rules(3), 7, STEERED["long lots"]).rows.copy()
    states = states[states[:, PHASE] != OVER]
    changed = states.copy()
    changed[:, EPOCH_POINTS:HELD] = 7
    assert (choices(states) == choices(changed)).all()


def test_the_choice_is_the_most_preferred_action() -> None:
    """`preferences` has a finite number for each legal action alone, and `act` takes the best."""
    agent = Heuristic()
    for state in engine_game(Rules(4), 8, STEERED["gods are spent at once"]).rows.copy():
        liked = agent.preferences(state)
        legal = int(legal_actions(state))
        assert [a for a in range(len(liked)) if np.isfinite(liked[a])] == [
            a for a in range(len(liked)) if legal >> a & 1
        ]
        assert np.isneginf(liked).sum() == len(liked) - legal.bit_count()
        if legal:
            assert liked.argmax() == agent.act(state, WORD)


def test_other_numbers_make_another_player() -> None:
    """A copy with the tuned numbers plays the same; one that hates gods spends them."""
    names = [parameter.name for parameter in PARAMETERS]
    game = Game(4, suns=SUNS, seed=1)
    win(game, 0, god=1)
    while game.current_seat != 0:
        game.play("draw", tile="nile")
    same = Heuristic.with_parameters(tuned_parameters())
    assert same.act(game.state, WORD) == Heuristic().act(game.state, WORD)
    spender = tuned_parameters()
    spender[:, names.index("god_later")] = -1000.0
    action = Heuristic.with_parameters(spender).act(game.state, WORD)
    assert ACTION_TEXTS[action] == "take nile"


@pytest.mark.parametrize("numbers", [np.zeros((4, 3)), np.full_like(tuned_parameters(), np.nan)])
def test_numbers_of_another_shape_are_refused(numbers: NDArray[np.float64]) -> None:
    """The error says what the table must look like."""
    with pytest.raises(ValueError, match=r"finite numbers of shape \(4, "):
        Heuristic.with_parameters(numbers)


# --- good moves ----------------------------------------------------------------------------------


def test_the_last_sun_takes_what_there_is() -> None:
    """Alone with one sun and one Ra space left, a rich lot is called, not gambled with."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    for _ in range(4):
        win(game, 1, nile=1)
    for _ in range(3):
        win(game, 0, nile=1)
    while game.ra_count < 5:
        game.play("draw", tile="ra")
        game.play("pass")
    draw_all(game, god=2, gold=2, flood=1, art=1, writing=1)
    assert game.suns(1)[0] == []
    assert move_of(game) == "invoke"


def test_alone_with_time_left_it_draws_on() -> None:
    """Nobody can take the lot away and the epoch is far from its end: more tiles are better."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    for _ in range(4):
        win(game, 1, nile=1)
    assert game.suns(1)[0] == []
    draw_all(game, god=1)
    assert move_of(game) == "draw"


def test_a_full_track_is_called_and_bought() -> None:
    """Eight good tiles: the only way on is an auction, and nobody lets it go for nothing."""
    game = Game(4, suns=SUNS, seed=1)
    draw_all(game, god=2, gold=2, flood=2, art=1, writing=1)
    assert move_of(game) == "invoke"
    game.play("invoke")
    while game.phase == "auction":
        game.play(move_of(game))
    assert sum(sum(game.tiles(seat).values()) for seat in range(4)) == 8


def test_the_last_bidder_pays_no_more_than_needed() -> None:
    """After passes the Ra player has the rich lot for any sun, and takes the lowest."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    draw_all(game, god=2, gold=2, flood=1, art=1)
    seat = game.current_seat
    game.play("invoke")
    game.play("pass")
    assert game.current_seat == seat
    lowest = min(game.suns(seat or 0)[0])
    assert move_of(game) == f"bid {lowest}"


def test_a_lot_of_disasters_is_left_to_others() -> None:
    """Whoever owns what they destroy does not bid for three disasters."""
    game = Game(3, suns=[[13, 8, 5, 2], [12, 9, 6, 3], [11, 10, 7, 4]], seed=1)
    win(game, 1, art=1, writing=1, religion=1, pharaoh=3)
    draw_all(game, unrest=2, funeral=1)
    while game.current_seat != 0:
        game.play("draw", tile="earthquake")
    game.play("draw", tile="ra")
    assert game.current_seat == 1
    assert move_of(game) == "pass"


def test_a_god_goes_for_the_first_civilization() -> None:
    """Before the last Ra tile a first civilization is worth 5, a nile without a flood nothing."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    win(game, 0, god=2)
    while game.ra_count < 5:
        game.play("draw", tile="ra")
        while game.phase == "auction":
            game.play("pass")
    draw_all(game, art=1, nile=1)
    while game.current_seat != 0:
        game.play("draw", tile="nile")
    liked = Heuristic().preferences(game.state)
    assert liked[ACTION_TEXTS.index("take art")] > liked[ACTION_TEXTS.index("take nile")]
    game.play("take art")
    assert move_of(game) == "end"


def test_an_only_civilization_is_kept_and_a_double_given_up() -> None:
    """Unrest takes doubles first: they bring nothing."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    win(game, 0, art=2, writing=2, religion=1)
    win(game, 0, unrest=1)
    given_up = set()
    while game.phase == "discard":
        given_up.add(move_of(game))
        game.play(move_of(game))
    assert given_up == {"discard art", "discard writing"}


def test_a_set_of_monuments_survives_an_earthquake() -> None:
    """Single monuments go before one of three equal ones."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    end_epoch(game)
    end_epoch(game)
    win(game, 0, pyramid=3, temple=1, statue=1, sphinx=1)
    win(game, 0, earthquake=1)
    while game.phase == "discard":
        assert move_of(game) != "discard pyramid"
        game.play(move_of(game))
    assert game.tiles(0)["pyramid"] == 3


def test_the_end_of_the_game_is_played_for_points() -> None:
    """With one tile kind left that brings nothing, a drawn Ra finds no bidder who would lose by
    the smaller sun it gets."""
    rules = Rules(2, epochs=1, ra_spaces=2, bag={"ra": 2}, suns=((9, 5), (8, 7)), middle_sun=1)
    game = Game(rules=rules, seed=0)
    game.play("draw", tile="ra")
    while game.phase == "auction":
        assert move_of(game) == "pass"
        game.play("pass")


# --- strength ------------------------------------------------------------------------------------


def wins_against_random(num_players: int, seeds: range) -> NDArray[np.float64]:
    """How often the heuristic wins on each seed, over all seats in turn."""
    heuristic, chance = Heuristic(), Random()
    won = np.zeros((num_players, len(seeds)))
    for seat in range(num_players):
        states, words = batch.new_games(Rules(num_players), seeds)
        picks = words.copy()
        actions, others = np.zeros((2, len(states)), dtype=np.int64)
        while (states[:, PHASE] != OVER).any():
            picks += np.uint64(1)
            heuristic.act_batch(states, picks, actions)
            chance.act_batch(states, picks, others)
            batch.step(states, words, np.where(states[:, SEAT] == seat, actions, others))
        scores = states[:, SCORE : SCORE + num_players]
        won[seat] = scores.argmax(axis=1) == seat
    return won.mean(axis=0)


@pytest.mark.compiled
def test_it_beats_random_players(num_players: int) -> None:
    """Even three standard errors below the measured rate it wins nine games of ten."""
    rate = wins_against_random(num_players, range(60))
    assert rate.mean() - 3 * rate.std() / np.sqrt(len(rate)) > 0.9


def test_the_bag_matters() -> None:
    """Alone with one Ra space left, it draws from a bag without Ra danger and calls before it."""
    game = Game(2, suns=[[9, 6, 5, 2], [8, 7, 4, 3]], seed=1)
    for _ in range(4):
        win(game, 1, nile=1)
    for _ in range(3):
        win(game, 0, nile=1)
    while game.ra_count < 5:
        game.play("draw", tile="ra")
        game.play("pass")
    draw_all(game, gold=1, flood=1)
    safe, risky = game.state, game.state
    for state, ra in ((safe, 1), (risky, 60)):
        state[BAG + RA] = ra
        state[BAG_COUNT] = state[BAG:].sum()
    assert ACTION_TEXTS[Heuristic().act(safe, WORD)] == "draw"
    assert ACTION_TEXTS[Heuristic().act(risky, WORD)] == "invoke"
