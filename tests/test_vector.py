"""The vector environment does for many games what a plain loop over `Game` does for one.

The plain loop stands below: one game at a time, it plays the learner's action, forced moves and the
opponents' actions until the learner has a choice again, and deals the next game when one is over.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from numpy.typing import NDArray
from test_selfplay import PlainGame, plain_rewards, random_actions

from ra_env import Game, IllegalAction, Rules, RulesError, batch, ra_v0
from ra_env.actions import action_bits_to_list
from ra_env.agent import AgentError
from ra_env.layout import OVER, SEAT, State
from ra_env.legality import legal_actions
from ra_env.observation import OBSERVATION_SIZE, describe, observe, view_id
from ra_env.rewards import REWARDS
from ra_env.rng import below, mix, next_word, seed_word
from ra_env.single_agent import RaEnv
from ra_env.vector import OneSeat, RaVectorEnv

QUICK = Rules(3, epochs=2, ra_spaces=1, auction_spaces=2, bag={"ra": 20, "nile": 4, "flood": 4})
"""A variant in which epochs, and even games, can end before the learner has been on turn."""


class Hashing:
    """Plays what a hash of the position (and of its random word, if wanted) says: any two differ,
    and each plays the same wherever it meets a position."""

    def __init__(self, salt: int, uses_word: bool = False) -> None:
        self.salt, self.uses_word = salt, uses_word
        self.asked: list[int] = []

    def act(self, state: State, word: np.uint64) -> int:
        legal = action_bits_to_list(int(legal_actions(state)))
        salt = self.salt + (int(word) % 2**32 if self.uses_word else 0)
        return legal[crc32(state.tobytes(), salt % 2**32) % len(legal)]


class HashingBatch(Hashing):
    """The same, asked for many games at once and only so. It spoils what it is given."""

    def act(self, state: State, word: np.uint64) -> int:
        raise AssertionError("asked one by one")

    def act_batch(
        self, states: NDArray[np.int16], words: NDArray[np.uint64], out: NDArray[np.int64]
    ) -> None:
        self.asked.append(len(states))
        for i, state in enumerate(states):
            out[i] = Hashing.act(self, state, words[i])
        states[:], words[:] = 0, 0


class PlainTable(PlainGame):
    """One row of the vector environment, game after game, by `Game`."""

    def __init__(self, rules: Rules, seed: int, opponents: list[Any], seat: int | str) -> None:
        self.opponents, self.fixed_seat = opponents, seat
        self.choice = np.uint64(seed_word(~np.uint64(seed)))
        super().__init__(rules, seed)

    def next_choice(self) -> np.uint64:
        self.choice = np.uint64(next_word(self.choice))
        return self.choice

    def begin(self) -> None:
        """The next game, up to the learner's first choice."""
        while True:
            super().begin()
            self.paid = self.game.scores
            self.seat = self.fixed_seat
            if self.fixed_seat == "random":
                self.seat = below(self.next_choice(), self.rules.num_players)
            self.play_on()
            if not self.game.is_over:
                self.seen["points before the first choice"] += self.game.scores != self.paid
                return
            self.seen["game without a choice"] += 1

    def play_on(self) -> None:
        """Forced moves and the opponents', until the learner has a choice or the game is over."""
        while not self.game.is_over:
            legal = self.game.legal_actions()
            place = (self.game.current_seat - self.seat) % self.rules.num_players
            if len(legal) == 1:
                action = legal[0]
            elif place == 0:
                return
            elif self.opponents[place - 1] == "random":
                action = legal[below(self.next_choice(), len(legal))]
            else:
                word = np.uint64(mix(self.next_choice()))
                action = Hashing.act(self.opponents[place - 1], self.game.state, word)
            self.play(action)

    def learner_step(self, action: int, reward: str) -> tuple[float, bool]:
        """What a step of the environment does: the learner's reward, and whether the game ended."""
        if action not in self.game.legal_actions():
            self.seen["illegal"] += 1
            return -1.0, True
        self.play(action)
        self.play_on()
        gained = plain_rewards(self.game, self.paid, reward)[self.seat]
        self.paid = self.game.scores
        return gained, self.game.is_over


def seen_by(state: State, seat: int, view: str) -> NDArray[np.float32]:
    out = np.empty(OBSERVATION_SIZE, np.float32)
    observe(state, seat, view_id(view), out)
    return out


def play_along(
    table: int | Rules, count: int, steps: int, illegal: float = 0.0, **settings: Any
) -> Counter[str]:
    """Random learners in `OneSeat` and in the plain loop, compared at each step."""
    rng = np.random.default_rng(0)
    games = OneSeat(table, count, **settings)
    observations, masks = games.reset(4)
    rules, opponents = games.tables[0], games.opponents
    if not isinstance(opponents, list):
        opponents = [opponents] * (rules.num_players - 1)
    plain = [PlainTable(rules, int(seed), opponents, games.seat) for seed in games.seeds]
    for _ in range(steps):
        for i, row in enumerate(plain):
            assert games.states[i].tolist() == row.game.state.tolist()
            assert games.words[i] == row.word
            assert games.seats[i] == row.seat == row.game.current_seat
            assert np.flatnonzero(masks[i]).tolist() == row.game.legal_actions()
            assert (observations[i] == seen_by(row.game.state, row.seat, games.view)).all()
        actions = random_actions(masks, rng)
        wild = rng.random(count) < illegal
        actions[wild] = rng.integers(54, size=wild.sum())
        observations, masks, rewards, done = games.step(actions)
        ended = games.endings(done)
        assert ended.games.tolist() == np.flatnonzero(done).tolist()
        for i, row in enumerate(plain):
            wanted, is_over = row.learner_step(int(actions[i]), games.reward)
            assert rewards[i] == pytest.approx(wanted)
            assert done[i] == is_over
            if is_over:
                n = ended.games.tolist().index(i)
                was_legal = row.game.is_over
                place = row.game.ranking().index(row.seat) if was_legal else rules.num_players - 1
                missing = [0] * (5 - rules.num_players)
                assert ended.seats[n] == row.seat
                assert ended.scores[n].tolist() == row.game.scores + missing
                assert ended.ranks[n] == place
                assert ended.illegal[n] == (not was_legal)
                final = seen_by(row.game.state, row.seat, games.view)
                assert (ended.observations[n] == final).all()
                row.seen["end"] += 1
                row.begin()
    return sum((row.seen for row in plain), Counter[str]())


# --- the plain loop and the batch ----------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.boundscheck
@pytest.mark.parametrize("reward", REWARDS)
def test_random_opponents_as_plain_games(num_players: int, reward: str) -> None:
    """Learners at random seats among random opponents: the same games and rewards as one by one."""
    assert play_along(num_players, 8, 120, reward=reward)["end"] > 0


@pytest.mark.compiled
@pytest.mark.parametrize("seat", ["random", 0, 3])
def test_agents_as_plain_games(seat: int | str) -> None:
    """Different opponents, clockwise from the learner's left, wherever it sits."""
    opponents = [HashingBatch(1), "random", Hashing(2, uses_word=True)]
    assert play_along(4, 8, 80, opponents=opponents, seat=seat, view="table")["end"] > 0


@pytest.mark.parametrize("opponents", ["random", Hashing(3)])
def test_quick_games_as_plain_games(opponents: Any) -> None:
    """A game that ends before the learner's first choice does not count, and points that come
    before it are paid after it. Illegal actions end a game with -1."""
    seen = play_along(QUICK, 40, 10, illegal=0.05, opponents=opponents, reward="score")
    assert set(seen) >= {"end", "illegal"}
    assert seen["game without a choice"] > 0
    assert seen["points before the first choice"] > 0


@pytest.mark.compiled
@pytest.mark.parametrize("opponents", ["random", [HashingBatch(5, uses_word=True)] * 2])
def test_threads_change_nothing(opponents: Any) -> None:
    """The same seed gives the same games on one thread and on two."""
    tables = [3] if isinstance(opponents, list) else [2, 3, 4, 5]
    one, two = (OneSeat(tables, 256, opponents=opponents, threads=threads) for threads in (1, 2))
    (_, masks), _ = one.reset(7), two.reset(7)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(60):
        actions = random_actions(masks, rng)
        step, same = one.step(actions), two.step(actions)
        for first, second in zip(step, same, strict=True):
            assert (first == second).all()
        assert (one.states == two.states).all()
        masks, ends = step.masks, ends + int(step.done.sum())
    assert ends > 0


@pytest.mark.compiled
def test_agents_decide_for_all_waiting_games_at_once() -> None:
    """One agent named for two seats is asked for the games of both together, never game by game."""
    agent = HashingBatch(1)
    games = OneSeat(3, 64, opponents=[agent, agent])
    _, masks = games.reset(0)
    agent.asked.clear()
    games.step(masks.argmax(axis=1))
    assert agent.asked[0] > 32
    assert agent.asked == sorted(agent.asked, reverse=True)


@pytest.mark.compiled
def test_mixed_tables() -> None:
    """Several numbers of players in one environment, learners at all of their seats."""
    games = OneSeat([2, 3, 4, 5], 400)
    _, masks = games.reset(1)
    assert games.num_players.tolist() == [2, 3, 4, 5] * 100
    for players in range(2, 6):
        assert set(games.seats[games.num_players == players].tolist()) == set(range(players))
    rng = np.random.default_rng(0)
    for _ in range(50):
        masks = games.step(random_actions(masks, rng)).masks
        assert (masks == batch.legal_masks(games.states)).all()
        assert (games.states[:, SEAT] == games.seats).all()


@pytest.mark.compiled
def test_random_opponents_are_no_better_than_a_random_learner(num_players: int) -> None:
    """Among equals the mean placement is zero: within four standard errors of it."""
    games = OneSeat(num_players, 512)
    _, masks = games.reset(2)
    rng = np.random.default_rng(3)
    won: list[float] = []
    for _ in range(150):
        _, masks, rewards, done = games.step(random_actions(masks, rng))
        won += rewards[done].tolist()
    assert len(won) > 500
    assert abs(np.mean(won)) < 4 * np.std(won) / len(won) ** 0.5


# --- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"opponents": ["random"]}, ValueError, "1 opponents are given for a table of 3 players"),
        ({"opponents": 7}, AgentError, "an opponent is an agent or its name, not 7"),
        ({"opponents": Hashing}, AgentError, "an opponent is an agent or its name, not <class"),
        ({"opponents": "nobody"}, AgentError, "unknown agent 'nobody'"),
        ({"seat": 3}, ValueError, "seat must be 'random' or a seat from 0 to 2, not 3"),
        ({"seat": -1}, ValueError, "seat must be 'random' or a seat from 0 to 2, not -1"),
        ({"seat": True}, ValueError, "seat must be 'random' or a seat from 0 to 2, not True"),
        ({"seat": "left"}, ValueError, "seat must be 'random' or a seat from 0 to 2, not 'left'"),
        ({"num_envs": 0}, ValueError, "num_games must be a whole number from 1, not 0"),
        ({"reward": "points"}, ValueError, "unknown reward 'points'"),
        ({"rules": Rules(4)}, RulesError, "num_players is 3, but rules say 4"),
        ({"rules": 3}, RulesError, "rules must be a Rules, not 3"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    """Settings that cannot be are refused by name."""
    with pytest.raises(error, match=message):
        RaVectorEnv(**{"num_envs": 2, "num_players": 3, **settings})


def test_a_seat_must_be_at_every_table() -> None:
    """A fixed seat, or a list of opponents, has to fit all tables of a mix."""
    with pytest.raises(ValueError, match="a seat from 0 to 1, not 2"):
        OneSeat([3, 2], 4, seat=2)
    with pytest.raises(ValueError, match="2 opponents are given for a table of 2 players"):
        OneSeat([3, 2], 4, opponents=["random", "random"])


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0, 54], IllegalAction, "unknown action 54; ids are 0 to 53"),
        ([-1, 0], IllegalAction, "unknown action -1; ids are 0 to 53"),
        ([0], ValueError, "one whole number for each of 2 games"),
        ([0.5, 0], ValueError, "one whole number for each of 2 games"),
    ],
)
def test_wrong_actions_change_nothing(actions: Any, error: type[Exception], message: str) -> None:
    """What is no action at all is refused, and no game is touched."""
    games = OneSeat(2, 2)
    games.reset(0)
    before = games.states.copy()
    with pytest.raises(error, match=message):
        games.step(actions)
    assert (games.states == before).all()
    games.step([0, 0])


def test_reset_comes_first() -> None:
    """There is nothing to step before it."""
    with pytest.raises(ResetNeeded, match="call reset"):
        OneSeat(2, 2).step([0, 0])


class Cheat:
    """An agent that ends a turn that it is not allowed to end."""

    def act(self, state: State, word: np.uint64) -> int:
        return 2

    def __repr__(self) -> str:
        return "Cheat()"


def test_an_opponent_that_fails_is_named() -> None:
    """Its illegal action is its own fault; the games cannot go on until they begin anew."""
    games = OneSeat(2, 8, opponents=Cheat(), seat=0)
    with pytest.raises(IllegalAction, match=r"opponent Cheat\(\) failed: action 2 \(end\) is not"):
        games.reset(0)
    with pytest.raises(ResetNeeded):
        games.step([0] * 8)


def test_no_options() -> None:
    """`reset` has no options, so it does not take any."""
    env = RaVectorEnv(2, 2)
    env.reset(seed=0, options={})
    with pytest.raises(ValueError, match="takes no options"):
        env.reset(options={"reset_mask": np.array([True, False])})


# --- Gymnasium -----------------------------------------------------------------------------------


def play(env: Any, steps: int, seed: int = 0) -> Iterator[tuple[Any, ...]]:
    """Step an environment with random legal actions."""
    rng = np.random.default_rng(seed)
    _, infos = env.reset(seed=seed)
    for _ in range(steps):
        masks = infos["action_mask"]
        result = env.step(random_actions(masks, rng))
        infos = result[-1]
        yield result


@pytest.mark.compiled
def test_spaces_and_types(num_players: int) -> None:
    """Observations lie in their space, arrays have the types that Gymnasium asks for, the mask
    names legal actions of the action space, and nothing is truncated."""
    env = RaVectorEnv(6, num_players)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.observation_space.shape == (6, OBSERVATION_SIZE)
    assert env.single_action_space == gymnasium.spaces.Discrete(54)
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert (infos["action_mask"] == env.action_masks()).all()
    for observations, rewards, terminations, truncations, infos in play(env, 100):
        assert env.observation_space.contains(observations)
        assert rewards.shape == terminations.shape == truncations.shape == (6,)
        assert rewards.dtype == np.float32
        assert terminations.dtype == truncations.dtype == np.bool_
        assert not truncations.any()
        assert (infos["action_mask"] == env.action_masks()).all()
        assert (infos["action_mask"] == batch.legal_masks(env.games.states)).all()
        assert env.action_space.contains(env.action_masks().argmax(axis=1))
        assert (infos["seat"] == env.games.seats).all()
    env.close()


@pytest.mark.compiled
def test_arrays_belong_to_whoever_gets_them() -> None:
    """Nothing that was handed out changes later, and changing it does no harm."""
    env = RaVectorEnv(8, 2)
    copies, originals = [], []
    for observations, rewards, done, truncated, infos in play(env, 60):
        arrays = [observations, rewards, done, truncated, infos["action_mask"], infos["seat"]]
        originals += arrays
        copies += [array.copy() for array in arrays]
    assert all((a == b).all() for a, b in zip(originals, copies, strict=True))
    legal = env.action_masks()
    infos["action_mask"][:] = 0
    env.action_masks()[:] = False
    assert (env.action_masks() == legal).all()
    assert legal.any(axis=1).all()


@pytest.mark.compiled
def test_as_gymnasiums_own_vector_environment(num_players: int) -> None:
    """`SyncVectorEnv` over the single-agent environment, resetting in the same step, gives the same
    up to the end of each game: observations, rewards, ends, and infos of the same shape."""
    settings: dict[str, Any] = {"num_players": num_players, "opponents": Hashing(1), "seat": 1}
    ours = RaVectorEnv(4, **settings)
    theirs = SyncVectorEnv([lambda: RaEnv(**settings)] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    seeds = [3, 1, 4, 15]
    (observations, infos), (wanted, wanted_infos) = (e.reset(seed=seeds) for e in (ours, theirs))
    assert (observations == wanted).all()
    running = np.ones(4, bool)
    rng = np.random.default_rng(0)
    while running.any():
        masks = np.where(running[:, None], infos["action_mask"], wanted_infos["action_mask"])
        assert (masks == wanted_infos["action_mask"]).all()
        actions = random_actions(masks, rng)
        fits = np.where(running, actions, infos["action_mask"].argmax(axis=1))
        observations, *arrays, infos = ours.step(fits)
        wanted, *wanted_arrays, wanted_infos = theirs.step(actions)
        for array, same in zip(arrays, wanted_arrays, strict=True):
            assert array[running] == pytest.approx(same[running])
        ended = running & arrays[1]
        running &= ~ended
        assert (observations[running] == wanted[running]).all()
        assert set(infos) >= set(wanted_infos)
        for i in np.flatnonzero(ended):
            assert (infos["final_obs"][i] == wanted_infos["final_obs"][i]).all()
            final, same = infos["final_info"], wanted_infos["final_info"]
            assert set(final) >= {*same} - {"action_mask", "_action_mask"}
            for key in ("seat", "rank", "illegal_action"):
                assert final[key][i] == same[key][i]
            assert final["scores"][i, :num_players].tolist() == same["scores"][i]
            for key in ("final_obs", "final_info"):
                assert type(infos[key]) is type(wanted_infos[key])
                assert infos[f"_{key}"][i]


@pytest.mark.compiled
def test_same_step_autoreset() -> None:
    """When a game ends, the step brings the new game's first observation beside the final one; the
    results are there for the games that ended and for no others."""
    env = RaVectorEnv(4, rules=Rules(2, epochs=1))
    over = next(piece.start + OVER for piece in describe() if piece.name == "phase")
    ends = 0
    for observations, rewards, done, _, infos in play(env, 120):
        assert ("final_obs" in infos) == ("final_info" in infos) == done.any()
        if not done.any():
            assert not rewards.any()
            continue
        ends += int(done.sum())
        final = infos["final_info"]
        assert [obs is not None for obs in infos["final_obs"]] == done.tolist()
        marks = [
            infos["_final_obs"],
            infos["_final_info"],
            *(final[k] for k in final if k[0] == "_"),
        ]
        assert all((mark == done).all() for mark in marks)
        assert (rewards[done] == 1 - 2 * final["rank"][done]).all()
        assert not rewards[~done].any()
        for i in np.flatnonzero(done):
            assert infos["final_obs"][i][over] == 1
            assert observations[i][over] == 0
            mine, other = final["scores"][i, [final["seat"][i], 1 - final["seat"][i]]]
            assert mine >= other if final["rank"][i] == 0 else mine <= other
    assert ends > 0


def test_an_illegal_action_ends_its_game_alone() -> None:
    """The learner gets -1 and is last; the other games go on."""
    env = RaVectorEnv(3, 5)
    _, infos = env.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    actions[1] = infos["action_mask"][1].argmin()
    _, rewards, terminations, _, infos = env.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, True, False]
    assert infos["final_info"]["illegal_action"].tolist() == [False, True, False]
    assert infos["final_info"]["rank"][1] == 4


def test_seeds() -> None:
    """The same seed gives the same games; without one, luck goes on as the last seed decides."""
    one, two = RaVectorEnv(3, 4), RaVectorEnv(3, 4)
    first, second = one.reset(seed=1)[0], one.reset()[0]
    assert (first != second).any(axis=1).all()
    assert (two.reset(seed=1)[0] == first).all()
    assert (two.reset()[0] == second).all()
    assert (two.reset(seed=2)[0] != first).any(axis=1).all()
    two.reset(seed=[7, 8, 9])
    assert two.games.seeds.tolist() == [7, 8, 9]


@pytest.mark.compiled
def test_made_by_name() -> None:
    """`gymnasium.make_vec` makes it, and Gymnasium's wrappers work with it."""
    env = gymnasium.make_vec("ra_env/Ra-v0", num_envs=5, num_players=[2, 3], seat=0)
    assert isinstance(env.unwrapped, RaVectorEnv)
    returns = np.zeros(5)
    recorded = RecordEpisodeStatistics(env)
    for _, rewards, done, _, infos in play(recorded, 150):
        returns += rewards
        if done.any():
            assert infos["episode"]["r"][done] == pytest.approx(returns[done])
            returns[done] = 0
    assert recorded.episode_count > 0
    listed = DictInfoToList(env)
    _, infos = listed.reset(seed=1)
    assert [info["seat"] for info in infos] == [0] * 5


# --- every way to play a game --------------------------------------------------------------------


@pytest.mark.compiled
def test_one_game_through_every_interface(num_players: int) -> None:
    """The same seed and the same players: `Game`, PettingZoo, Gymnasium and the vector environment
    play the same moves, and pay the same rewards."""
    seat, learner, opponent = num_players - 1, Hashing(1), Hashing(2)
    game = Game(num_players, seed=11)
    aec = ra_v0.raw_env(num_players, reward="margin")
    settings: dict[str, Any] = {"opponents": opponent, "seat": seat, "reward": "margin"}
    single = RaEnv(num_players, **settings)
    vector = RaVectorEnv(1, num_players, **settings)
    for env in (aec, single):
        env.reset(seed=11)
    vector.reset(seed=[11])
    paid: dict[str, list[float]] = {"aec": [], "single": [], "vector": []}
    while not game.is_over:
        state, legal = game.state, game.legal_actions()
        is_learner = game.current_seat == seat
        action = (learner if is_learner else opponent).act(state, np.uint64(0))
        if is_learner and len(legal) > 1:
            assert (vector.games.states[0] == state).all()
            paid["single"].append(single.step(action)[1])
            paid["vector"].append(float(vector.step(np.array([action]))[1][0]))
        game.play(action)
        aec.step(action)
        paid["aec"].append(aec.rewards[f"player_{seat}"])
        assert (aec.state() == game.state).all()
    points = [score - 10 for score in game.scores]
    margin = points[seat] - (sum(points) - points[seat]) / (num_players - 1)
    assert [sum(rewards) for rewards in paid.values()] == pytest.approx([margin] * 3, abs=1e-4)
    assert paid["single"] == pytest.approx(paid["vector"])
    end = vector.games.endings(np.array([True]))
    assert (vector.games._final_states[0] == game.state).all()
    assert end.scores[0, :num_players].tolist() == game.scores
    assert Game.from_record(game.to_record()).scores == game.scores
