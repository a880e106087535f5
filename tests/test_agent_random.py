"""The random agent: legal, fair, the same alone and in a batch."""

from collections import Counter

import numpy as np
import pytest

from agents.random import Random
from ra_env import Game, Rules, batch
from ra_env.agent import BatchAgent, make_agent
from ra_env.layout import OVER, PHASE


def test_it_is_found_by_its_name() -> None:
    """The registry knows the agent, and it can play batches."""
    agent = make_agent("random")
    assert isinstance(agent, Random)
    assert isinstance(agent, BatchAgent)


def test_every_legal_action_is_equally_likely_and_no_other_comes() -> None:
    """Over many words each of the four bids and passes comes about equally often."""
    game = Game(4, seed=7)
    game.play("invoke")
    agent = Random()
    words = np.random.default_rng(0).integers(0, 2**64, 4000, dtype=np.uint64)
    seen = Counter(agent.act(game.state, word) for word in words)
    assert sorted(seen) == game.legal_actions()
    # Each is binomial(4000, 1/4): standard deviation 27, so 150 is more than five of them.
    assert all(abs(count - 1000) < 150 for count in seen.values())


def test_a_batch_plays_as_single_decisions_do(num_players: int) -> None:
    """`act_batch` writes what `act` returns, all through a batch of games, and 0 after the end."""
    agent = Random()
    states, words = batch.new_games(Rules(num_players), range(8))
    choices = words.copy()
    actions = np.empty(len(states), dtype=np.int64)
    while (states[:, PHASE] != OVER).any():
        choices += np.uint64(1)
        agent.act_batch(states, choices, actions)
        for state, choice, action in zip(states, choices, actions, strict=True):
            assert action == agent.act(state, choice)
        batch.step(states, words, actions)  # refuses what is not legal
    agent.act_batch(states, choices, actions)
    assert not actions.any()


def test_words_decide_alone() -> None:
    """The same row and word give the same action; the row stays as it is."""
    state = Game(3, seed=1).state
    before = state.copy()
    agent = Random()
    assert agent.act(state, np.uint64(5)) == agent.act(state, np.uint64(5))
    assert (state == before).all()


def test_an_unknown_parameter_is_refused() -> None:
    """The random agent has nothing to set."""
    with pytest.raises(ValueError, match="has no parameter 'luck'"):
        make_agent("random:luck=1")
