"""Self-play learns what is known to be best: on a game small enough to be solved exactly."""

from collections.abc import Callable

import pytest

from agents.ppo import PPO
from ra_env import Game, Rules
from ra_env.actions import DRAW
from ra_env.selfplay import SelfPlay
from training.learner import SelfPlayPPO
from training.settings import Settings

pytestmark = pytest.mark.compiled

RULES = Rules(
    2,
    epochs=1,
    ra_spaces=1,
    auction_spaces=3,
    bag={"ra": 2, "pharaoh": 2, "gold": 1, "art": 1},
    suns=[[3], [2]],
)
DEALS = ([[3], [2]], [[2], [3]])
Choice = Callable[[Game], int]


def worth(game: Game, seat: int, choice: Choice | None, known: dict[bytes, float]) -> float:
    """What `seat` can expect (won 1, lost -1) against the best play of the other seat.

    It decides as `choice` says; without one it plays as well as possible too.
    """
    key = game.state.tobytes()
    if key not in known:
        if game.is_over:
            known[key] = 1.0 if game.ranking()[0] == seat else -1.0
        elif game.current_seat == seat and choice is not None:
            known[key] = worth_after(game, choice(game), seat, choice, known)
        else:
            best = max if game.current_seat == seat else min
            moves = game.legal_actions()
            known[key] = best(worth_after(game, move, seat, choice, known) for move in moves)
    return known[key]


def worth_after(
    game: Game, action: int, seat: int, choice: Choice | None, known: dict[bytes, float]
) -> float:
    """The same after an action; for a draw the mean over all tiles."""
    outcomes = game.bag if action == DRAW else {None: 1}
    total = 0.0
    for tile, count in outcomes.items():
        if count:
            game.play(action, tile=tile)
            total += count * worth(game, seat, choice, known)
            game.undo()
    return total / sum(outcomes.values())


def loss_to_the_best_reply(agent: PPO) -> float:
    """How much an agent falls short of perfect play against the best reply to it, on average."""
    losses = []
    for deal in DEALS:
        for seat in range(2):
            game = Game(rules=RULES, suns=deal)

            def choice(game: Game) -> int:
                return agent.act(game.state, 0)

            losses.append(worth(game, seat, None, {}) - worth(game, seat, choice, {}))
    return sum(losses) / len(losses)


def test_a_solved_game_is_learnt() -> None:
    settings = Settings(
        decisions=1,
        players=(2,),
        games=256,
        steps=16,
        batch=512,
        hidden=(64, 64),
        learning_rate=2e-3,
        entropy=0.02,
        advice="none",
        opponent_share=0.0,
        threads=1,
        precision="float32",
    )
    learner = SelfPlayPPO(settings)
    learner.games = SelfPlay(RULES, settings.games, seed=0)
    untrained = loss_to_the_best_reply(PPO.of(learner.export()))
    for update in range(60):
        learner.progress = update / 60
        learner.update()
    trained = loss_to_the_best_reply(PPO.of(learner.export()))
    print(f"loss to the best reply: {untrained:.3f} before, {trained:.3f} after")
    assert untrained > 0.2
    assert trained < 0.05
