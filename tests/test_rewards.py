"""Rewards are what their names say, for every seat, and paid exactly when points are scored."""

import random

import numpy as np
import pytest
from random_play import SMALL, random_game

from ra_env import Game
from ra_env.layout import SCORE
from ra_env.rewards import REWARDS, reward, reward_id
from ra_env.rules import MAX_PLAYERS

POINTS_ONLY = ("score", "margin")


def scores_of(game: Game) -> np.ndarray:
    return game.state[SCORE : SCORE + MAX_PLAYERS].copy()


def paid(game: Game, before: np.ndarray, name: str) -> list[float]:
    """What the engine pays each seat for the step that led here."""
    kind = reward_id(name)
    return [reward(game.state, before, seat, kind) for seat in range(game.num_players)]


def by_definition(game: Game, before: np.ndarray, name: str) -> list[float]:
    """The same in the words of the definition, from the ranking and the scores."""
    last = game.num_players - 1
    if name in ("placement", "win"):
        if not game.is_over:
            return [0.0] * game.num_players
        place = {seat: place for place, seat in enumerate(game.ranking())}
        if name == "win":
            return [float(place[seat] == 0) for seat in range(game.num_players)]
        return [1 - 2 * place[seat] / last for seat in range(game.num_players)]
    gains = [score - int(old) for score, old in zip(game.scores, before, strict=False)]
    if name == "score":
        return [float(gain) for gain in gains]
    return [gain - (sum(gains) - gain) / last for gain in gains]


@pytest.mark.parametrize("name", REWARDS)
def test_rewards_are_what_they_are_defined_as(name: str, num_players: int) -> None:
    """After every step of a game, against a plain second definition."""
    choose = random.Random(3)
    game = Game(num_players, seed=3)
    payments = 0
    while not game.is_over:
        before = scores_of(game)
        game.play(choose.choice(game.legal_actions()))
        now = paid(game, before, name)
        assert now == pytest.approx(by_definition(game, before, name))
        payments += any(now)
    assert payments == (3 if name in POINTS_ONLY else 1)


@pytest.mark.parametrize("name", ["placement", "margin"])
def test_zero_sum_rewards_add_up_to_zero(name: str, num_players: int) -> None:
    """What one seat wins the others lose, whatever the game."""
    for seed in range(5):
        game = random_game(num_players, seed)
        start = np.full(MAX_PLAYERS, 10, dtype=np.int16)
        assert sum(paid(game, start, name)) == pytest.approx(0)


def test_placement_goes_in_equal_steps_from_first_to_last(num_players: int) -> None:
    """The winner gets +1, the last -1, and the others what lies evenly between."""
    game = random_game(num_players, seed=1)
    rewards = paid(game, scores_of(game), "placement")
    assert [rewards[seat] for seat in game.ranking()] == pytest.approx(
        np.linspace(1, -1, num_players)
    )


def test_exactly_one_seat_wins(num_players: int) -> None:
    """Even with equal points: the highest sun decides."""
    for seed in range(5):
        game = random_game(num_players, seed)
        assert sorted(paid(game, scores_of(game), "win")) == [0.0] * (num_players - 1) + [1.0]


def test_points_over_the_game_are_the_final_scores() -> None:
    """`score` adds up to the points at the end, less the 10 that everybody begins with."""
    game = Game(rules=SMALL, seed=0)
    total = np.zeros(2)
    while not game.is_over:
        before = scores_of(game)
        game.play(game.legal_actions()[0])
        total += paid(game, before, "score")
    assert (total == np.array(game.scores) - 10).all()


def test_an_unknown_reward_is_named_and_the_known_ones_listed() -> None:
    """A wrong name is told what there is."""
    with pytest.raises(
        ValueError, match=r"unknown reward 'points'; rewards: placement, win, score, margin"
    ):
        reward_id("points")
