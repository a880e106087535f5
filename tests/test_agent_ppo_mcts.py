"""Search with a guide: legal, repeatable, and the policy says what is tried first."""

from pathlib import Path

import numpy as np
import pytest

from agents.mcts import MCTS
from agents.policy import PolicyError
from agents.ppo import PPO
from agents.ppo_mcts import PPOMCTS
from ra_env import Game, Rules, batch
from ra_env.actions import NUM_ACTIONS
from ra_env.agent import Advisor, AgentError, make_agent
from ra_env.layout import State
from ra_env.legality import legal_actions

pytestmark = pytest.mark.compiled

WORD = np.uint64(7)


class Liking:
    """A guide that likes one legal action: the last one."""

    def preferences(self, state: State) -> np.ndarray:
        legal = [a for a in range(NUM_ACTIONS) if int(legal_actions(state)) >> a & 1]
        liked = np.full(NUM_ACTIONS, -np.inf)
        liked[legal] = 0.0
        liked[legal[-1]] = 1.0
        return liked


def positions(players: int) -> list[np.ndarray]:
    """Every position of a random game in which there is something to choose."""
    game = Game(players, seed=3)
    rng = np.random.default_rng(3)
    found = []
    while not game.is_over:
        if len(game.legal_actions()) > 1:
            found.append(game.state)
        game.play(int(rng.choice(game.legal_actions())))
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_plays_legal_actions_and_leaves_the_row_alone(players: int) -> None:
    agent = make_agent("ppo-mcts:sims=20")
    assert isinstance(agent, Advisor)
    for state in positions(players)[::5]:
        before = state.copy()
        assert int(legal_actions(state)) >> agent.act(state, WORD) & 1
        assert (state == before).all()


def test_the_same_row_and_word_give_the_same_action_whatever_was_asked_before() -> None:
    rows = positions(4)[::9]
    agent = PPOMCTS(sims=60)
    there = [agent.act(row, WORD) for row in rows]
    back = [agent.act(row, WORD) for row in reversed(rows)]
    assert there == back[::-1] == [PPOMCTS(sims=60).act(row, WORD) for row in rows]


def test_the_guide_says_what_is_tried_first() -> None:
    """Three quarters of the weight lie on the action that it likes; all of it is still 1."""
    agent = PPOMCTS.of(Liking(), sims=2)  # type: ignore[arg-type]  # all that is asked of a guide
    tried = 0
    for state in positions(3)[::4]:
        agent.search(state, WORD)
        last = int(np.flatnonzero(agent.action_visits() >= 0)[-1])
        priors = agent._tree.priors[0]
        assert priors.sum() == pytest.approx(1, abs=1e-5)
        assert priors[last] >= 0.75
        tried += agent.action_visits()[last]
    assert tried == len(positions(3)[::4])


def test_it_is_guided_where_a_tree_is_kept_too() -> None:
    game = Game(2, seed=5)
    agent = PPOMCTS(sims=50, reuse=True)
    for _ in range(3):
        state = game.state
        action = agent.act(state, WORD)
        fresh = PPOMCTS(sims=1)
        fresh.search(state, WORD)
        np.testing.assert_allclose(agent._tree.priors[0], fresh._tree.priors[0], rtol=1e-4)
        game.play(action)


def test_with_many_simulations_what_it_was_told_matters_little() -> None:
    states, _ = batch.new_games(Rules(2, epochs=1), [1])
    wrong = PPOMCTS.of(Liking(), sims=3000)  # type: ignore[arg-type]  # as above
    right = MCTS(sims=3000)
    assert wrong.act(states[0], WORD) == right.act(states[0], WORD)


def test_what_it_cannot_be_made_of_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="there is no policy file"):
        make_agent(f"ppo-mcts:path={tmp_path / 'nothing.safetensors'}")
    with pytest.raises(AgentError, match="sims >= 1"):
        make_agent("ppo-mcts:sims=0")


def test_it_is_guided_by_the_policy_of_its_path() -> None:
    assert isinstance(PPOMCTS(sims=1).policy, PPO)
