"""Per-seat advantages against a plain reference, and the corners where seats could be mixed up."""

import numpy as np
import pytest

from training.advantages import seat_advantages

SEATS = 5


def advantages(rollout: dict[str, np.ndarray], discount: float, smoothing: float) -> np.ndarray:
    out = np.zeros(rollout["seats"].shape, np.float32)
    seat_advantages(
        rollout["seats"],
        rollout["values"],
        rollout["rewards"],
        rollout["done"],
        rollout["last_values"],
        discount,
        smoothing,
        np.zeros((3, SEATS)),
        out,
    )
    return out


def plain_advantages(
    rollout: dict[str, np.ndarray], discount: float, smoothing: float
) -> np.ndarray:
    """Game by game and seat by seat: cut each row into games, list the seat's decisions with what
    it was paid until its next one, and add up the discounted errors from the definition."""
    steps, rows = rollout["seats"].shape
    out = np.zeros((steps, rows))
    for row in range(rows):
        ends = [t for t in range(steps) if rollout["done"][t, row]]
        starts = [0, *(t + 1 for t in ends)]
        stops = [*(t + 1 for t in ends), steps]
        for start, stop in zip(starts, stops, strict=True):
            is_cut = stop == steps and not (steps and rollout["done"][steps - 1, row])
            for seat in range(SEATS):
                mine = [t for t in range(start, stop) if rollout["seats"][t, row] == seat]
                errors = []
                for i, t in enumerate(mine):
                    until = mine[i + 1] if i + 1 < len(mine) else stop
                    paid = sum(rollout["rewards"][k, row, seat] for k in range(t, until))
                    if i + 1 < len(mine):
                        following = rollout["values"][mine[i + 1], row]
                    else:
                        following = rollout["last_values"][row, seat] if is_cut else 0.0
                    errors.append(paid + discount * following - rollout["values"][t, row])
                for i, t in enumerate(mine):
                    out[t, row] = sum(
                        (discount * smoothing) ** k * error for k, error in enumerate(errors[i:])
                    )
    return out


def random_rollout(seed: int, steps: int, rows: int) -> dict[str, np.ndarray]:
    """Games of different lengths, several a row, with seats that act often, seldom or never."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(SEATS, 0.7))
    return {
        "seats": rng.choice(SEATS, (steps, rows), p=shares),
        "values": rng.normal(size=(steps, rows)).astype(np.float32),
        "rewards": (
            rng.normal(size=(steps, rows, SEATS)) * (rng.random((steps, rows, 1)) < 0.3)
        ).astype(np.float32),
        "done": rng.random((steps, rows)) < 0.15,
        "last_values": rng.normal(size=(rows, SEATS)).astype(np.float32),
    }


@pytest.mark.parametrize("seed", range(20))
def test_advantages_equal_a_plain_reference_on_random_trajectories(seed: int) -> None:
    rollout = random_rollout(seed, steps=40, rows=6)
    for discount, smoothing in ((1.0, 1.0), (1.0, 0.95), (0.9, 0.8), (0.99, 0.0)):
        found = advantages(rollout, discount, smoothing)
        np.testing.assert_allclose(
            found, plain_advantages(rollout, discount, smoothing), rtol=1e-4, atol=1e-4
        )


def empty(steps: int) -> dict[str, np.ndarray]:
    return {
        "seats": np.zeros((steps, 1), np.int64),
        "values": np.zeros((steps, 1), np.float32),
        "rewards": np.zeros((steps, 1, SEATS), np.float32),
        "done": np.zeros((steps, 1), np.bool_),
        "last_values": np.zeros((1, SEATS), np.float32),
    }


def test_a_reward_paid_while_others_decide_reaches_the_seats_last_decision() -> None:
    rollout = empty(4)
    rollout["seats"][:, 0] = [2, 0, 1, 0]
    rollout["rewards"][3, 0, 2] = 7.0
    rollout["done"][3, 0] = True
    assert advantages(rollout, 1.0, 0.0)[:, 0].tolist() == [7.0, 0.0, 0.0, 0.0]


def test_the_next_game_of_a_row_changes_nothing_in_the_one_before() -> None:
    rollout = empty(4)
    rollout["seats"][:, 0] = [0, 1, 0, 1]
    rollout["done"][1, 0] = True
    rollout["rewards"][1, 0, :2] = [1.0, -1.0]
    before = advantages(rollout, 1.0, 1.0)[:2].copy()
    rollout["rewards"][2:, 0] = 100.0
    rollout["values"][2:, 0] = 50.0
    rollout["last_values"][:] = 30.0
    np.testing.assert_array_equal(advantages(rollout, 1.0, 1.0)[:2], before)
    assert before[:, 0].tolist() == [1.0, -1.0]


def test_a_cut_off_game_goes_on_with_what_each_seat_expects_itself() -> None:
    rollout = empty(2)
    rollout["seats"][:, 0] = [0, 1]
    rollout["last_values"][0] = [0.25, 0.5, 0.0, 0.0, 0.0]
    assert advantages(rollout, 1.0, 0.95)[:, 0].tolist() == [0.25, 0.5]


def test_a_seat_that_never_decides_takes_nothing_from_the_others() -> None:
    rollout = empty(3)
    rollout["rewards"][:, 0, 4] = 9.0
    rollout["last_values"][0, 4] = 9.0
    assert not advantages(rollout, 1.0, 0.95).any()
