"""The Gymnasium environment: one learner among agents, everything reproducible, ready for SB3."""

import copy
import pickle
import random
import runpy
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from random_play import SMALL

import ra_env.agent
import ra_env.picture
from ra_env import Game, IllegalAction, Rules, RulesError, ra_v0
from ra_env.agent import AgentError
from ra_env.batch import random_action
from ra_env.layout import OVER, PHASE, SEAT, State
from ra_env.legality import legal_actions
from ra_env.observation import OBSERVATION_SIZE, observe, view_id
from ra_env.single_agent import RaEnv
from ra_env.vector import RaVectorEnv

OPTIONS: list[dict[str, Any]] = [
    {"seat": "random"},
    {"seat": 1, "reward": "win", "view": "table"},
    {"seat": 0, "reward": "score", "play_forced": False},
    {"seat": "random", "reward": "margin", "view": "table", "play_forced": False},
]


class Chance:
    """Plays any legal action, and keeps what it was asked and what it said."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[int], int, int]] = []

    def act(self, state: State, word: np.uint64) -> int:
        action = int(random_action(legal_actions(state), word))
        self.asked.append((state.tolist(), int(word), action))
        return action


class Forgetful:
    """Ruins the row it is given before it decides. Not nice, but nobody else's game may suffer."""

    def act(self, state: State, word: np.uint64) -> int:
        action = int(random_action(legal_actions(state), word))
        state[:] = 0
        return action


class Stubborn:
    """Gives up tiles, whatever is asked."""

    def act(self, state: State, word: np.uint64) -> int:
        return 53

    def __repr__(self) -> str:
        return "Stubborn()"


class Drawing:
    """Draws whenever it can, and passes otherwise."""

    def act(self, state: State, word: np.uint64) -> int:
        bits = int(legal_actions(state))
        return next(action for action in (0, 3, 1) if bits >> action & 1)


def choose_legal(env: RaEnv, choose: random.Random) -> int:
    return int(choose.choice(np.flatnonzero(env.action_masks()).tolist()))


def play_episode(env: RaEnv, seed: int | None, choices: int = 0) -> list[Any]:
    """Play one episode with random legal actions; returns all that could be noticed."""
    choose = random.Random(choices)
    observation, info = env.reset(seed=seed)
    noticed: list[Any] = [(observation.tobytes(), info["action_mask"].tolist(), info["seat"])]
    done = False
    while not done:
        action = choose_legal(env, choose)
        observation, reward, done, truncated, info = env.step(action)
        assert not truncated
        noticed.append((action, observation.tobytes(), reward, info["action_mask"].tolist()))
    return [*noticed, info["scores"], info["rank"]]


# --- what Gymnasium and Stable-Baselines3 demand -------------------------------------------------


@pytest.fixture
def _no_warnings() -> Iterator[None]:
    """Whatever a checker finds odd fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def made(**options: Any) -> gymnasium.Env[Any, Any]:
    """The environment as users make it, with Gymnasium's passive checker and other wrappers."""
    return gymnasium.make("ra_env/Ra-v0", opponents=Chance(), **options)


@pytest.mark.compiled
@pytest.mark.usefixtures("_no_warnings")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_gymnasium_checks(num_players: int, options: dict[str, Any]) -> None:
    """Gymnasium's own checker, and its passive checker through a whole game."""
    env = made(num_players=num_players, **options)
    check_env(env.unwrapped, skip_render_check=True)
    choose = random.Random(0)
    env.reset(seed=0)
    done = False
    while not done:
        done = env.step(choose_legal(env.unwrapped, choose))[2]


@pytest.mark.compiled
@pytest.mark.usefixtures("_no_warnings")
@pytest.mark.parametrize("options", [{"rules": SMALL}, {"num_players": 2}], ids=["rules", "suns"])
def test_gymnasium_checks_of_variants_and_fixed_deals(options: dict[str, Any]) -> None:
    """The same with other rules and with suns that are not dealt."""
    suns = [[3, 7], [6, 4]] if "rules" in options else [[8, 7, 4, 3], [9, 6, 5, 2]]
    check_env(made(suns=suns, **options).unwrapped, skip_render_check=True)


@pytest.mark.compiled
@pytest.mark.usefixtures("_no_warnings")
def test_gymnasium_checks_of_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """All render modes. A window is not opened, but what it would show is looked at."""
    pytest.importorskip("PIL", reason="pictures are drawn with Pillow")
    shown: list[np.ndarray] = []
    monkeypatch.setattr(ra_env.picture, "show", shown.append)
    for mode in ("ansi", "rgb_array", "human"):
        check_env(made(num_players=3, render_mode=mode).unwrapped)
    assert shown
    env = made(num_players=3, seat=1, render_mode="ansi")
    env.reset(seed=0)
    text = env.render()
    assert all(name in text for name in ("player_0", "learner", "player_2"))


def test_rendering_without_a_mode_warns_and_gives_nothing() -> None:
    """As everywhere in Gymnasium."""
    env = RaEnv(2, opponents=Chance())
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_stable_baselines_checks(num_players: int, options: dict[str, Any]) -> None:
    """Stable-Baselines3's own checker."""
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="needs ra-env[train]"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(RaEnv(num_players, opponents=Chance(), **options))


def count_wins(model: Any, games: int) -> int:
    """So many games for two, side by side, of a policy against a random player."""
    envs = [RaEnv(2, opponents=Chance()) for _ in range(games)]
    seen = {env: env.reset(seed=1_000_000 + game)[0] for game, env in enumerate(envs)}
    wins = 0
    while seen:
        views, masks = np.array(list(seen.values())), np.array([e.action_masks() for e in seen])
        actions, _ = model.predict(views, action_masks=masks)
        for env, action in zip(list(seen), actions, strict=True):
            seen[env], _, done, _, info = env.step(action)
            if done:
                del seen[env]
                wins += info["rank"] == 0
    return wins


@pytest.fixture
def _one_torch_thread() -> Iterator[None]:
    """Threads that wait for each other make a network this small many times slower."""
    torch = pytest.importorskip("torch", reason="needs ra-env[train]")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.compiled
@pytest.mark.usefixtures("_one_torch_thread")
def test_maskable_ppo_learns_to_beat_random_players() -> None:
    """A short run, on other games than those it is judged by. Who plays at random wins half of the
    games for two. 250 of 400 are 5 standard deviations more, which luck does not explain."""
    contrib = pytest.importorskip("sb3_contrib", reason="needs ra-env[train]")
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env", reason="needs ra-env[train]")
    envs = vec_env.DummyVecEnv([lambda: RaEnv(2, opponents=Chance())] * 8)
    settings = {"n_steps": 128, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 1}
    model = contrib.MaskablePPO("MlpPolicy", envs, **settings, seed=0, device="cpu")
    model.learn(16_384)
    assert count_wins(model, games=400) >= 250


@pytest.mark.compiled
@pytest.mark.usefixtures("_one_torch_thread")
def test_the_example_of_training_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It trains for a moment, judges and saves what it has learned."""
    pytest.importorskip("sb3_contrib", reason="needs ra-env[train]")
    example = Path(__file__).resolve().parent.parent / "examples" / "train_maskable_ppo.py"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), "--steps", "1", "--games", "2"])
    runpy.run_path(str(example), run_name="__main__")
    assert "mean reward in 2 games" in capsys.readouterr().out
    assert (tmp_path / "ra_ppo.zip").is_file()


def test_gymnasium_makes_it_by_name_even_without_the_import() -> None:
    """`import ra_env` registers it, and an id with the module in front imports it."""
    code = (
        "import gymnasium\n"
        "class Draws:\n"
        "    def act(self, state, word): return 0\n"
        "env = gymnasium.make('ra_env:ra_env/Ra-v0', num_players=3, opponents=Draws(), seat=2)\n"
        "print(env.unwrapped.rules.num_players, env.spec.id)\n"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert printed.stdout.strip() == "3 ra_env/Ra-v0", printed.stderr


def test_the_vector_environment_has_the_same_name_and_spaces() -> None:
    """So that what is trained on one can be played on the other."""
    one, many = made(num_players=3), gymnasium.make_vec("ra_env/Ra-v0", num_envs=2, num_players=3)
    assert isinstance(many, RaVectorEnv)
    assert many.single_observation_space == one.observation_space
    assert many.single_action_space == one.action_space


# --- the same game as the engine's ---------------------------------------------------------------


@pytest.mark.parametrize("play_forced", [False, True])
def test_a_game_is_that_of_the_engine_and_of_the_other_environment(
    num_players: int, play_forced: bool
) -> None:
    """The actions of learner and opponents, played in `Game` and in the PettingZoo environment with
    the same seed, give the same rows, the learner the same rewards, and so the same record."""
    opponent = Chance()
    env = RaEnv(num_players, opponents=opponent, seat=1, reward="margin", play_forced=play_forced)
    env.reset(seed=8)
    choose = random.Random(8)
    game = Game(num_players, seed=8)
    other = ra_v0.raw_env(num_players, reward="margin", play_forced=play_forced)
    other.reset(seed=8)

    def follow(action: int) -> None:
        """Play an action in the other two, and what is forced after it in `Game`."""
        other.step(action)
        game.play(action)
        while play_forced and len(game.legal_actions()) == 1:
            game.play(game.legal_actions()[0])
        assert other.state().tolist() == game.state.tolist()

    def follow_opponents() -> float:
        """Play what they have said since; returns what the learner earned meanwhile."""
        earned = 0.0
        for row, _, action in opponent.asked:
            assert row == game.state.tolist()
            follow(action)
            earned += other.rewards["player_1"]
        opponent.asked.clear()
        return earned

    earned, done = follow_opponents(), False
    while not done:
        assert game.current_seat == 1
        assert np.flatnonzero(env.action_masks()).tolist() == game.legal_actions()
        assert env.unwrapped._game.state.tolist() == game.state.tolist()
        action = choose_legal(env, choose)
        _, reward, done, _, info = env.step(action)
        follow(action)
        earned += other.rewards["player_1"]
        assert reward == pytest.approx(earned + follow_opponents())
        earned = 0.0
    assert game.is_over
    assert info["scores"] == game.scores
    assert info["rank"] == game.ranking().index(1)
    assert Game.from_record(game.to_record()) == game


@pytest.mark.parametrize("view", ["memory", "table"])
def test_the_learner_sees_what_its_seat_sees(num_players: int, view: str) -> None:
    """Observations and masks are those of the learner's seat, at every decision and at the end."""
    env = RaEnv(num_players, opponents=Chance(), view=view)
    choose = random.Random(0)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        done = False
        while True:
            state = env._game.state
            expected = np.empty(OBSERVATION_SIZE, dtype=np.float32)
            observe(state, env.seat, view_id(view), expected)
            assert observation.tobytes() == expected.tobytes()
            assert info["seat"] == env.seat
            assert (info["action_mask"] == env.action_masks()).all()
            assert info["action_mask"].dtype == np.int8
            assert env.action_masks().dtype == np.bool_
            if done:
                assert state[PHASE] == OVER
                assert not env.action_masks().any()
                break
            assert state[SEAT] == env.seat
            assert env.action_masks().sum() > 1
            observation, _, done, _, info = env.step(choose_legal(env, choose))


def test_rewards_are_the_learners(num_players: int) -> None:
    """Over an episode each reward adds up to what the final table says."""
    for reward in ("placement", "win", "score", "margin"):
        env = RaEnv(num_players, opponents=Chance(), reward=reward)
        for seed in range(3):
            *steps, scores, rank = play_episode(env, seed)
            total = sum(step[2] for step in steps[1:])
            mine = scores[env.seat]
            others = (sum(scores) - mine) / (num_players - 1)
            expected = {
                "placement": 1 - 2 * rank / (num_players - 1),
                "win": float(rank == 0),
                "score": mine - 10,
                "margin": mine - others,
            }
            assert total == pytest.approx(expected[reward])


TINY = Rules(2, epochs=2, ra_spaces=1, bag={"ra": 2, "gold": 1}, suns=((7,), (6,)), middle_sun=5)
"""A Ra tile ends an epoch at once, so an opponent can end it before the learner is asked."""


def test_what_is_earned_before_the_first_decision_is_paid_with_it() -> None:
    """Points of an epoch that ended before the learner was asked are not lost."""
    env = RaEnv(rules=TINY, opponents=Drawing(), seat=1, reward="score", suns=[[7], [6]])
    was_late = False
    for seed in range(20):
        env.reset(seed=seed)
        was_late |= env._game.state.tolist() != Game(rules=TINY, seed=seed).state.tolist()
        total, done = 0.0, False
        while not done:
            action = int(env.action_masks().argmax())
            _, reward, done, _, info = env.step(action)
            total += reward
        assert total == info["scores"][1] - 10
    assert was_late


def test_a_game_without_a_decision_is_dealt_again() -> None:
    """If the opponents end the game before the learner was asked, the next game begins; if they
    always do, that is said."""
    sometimes = Rules(
        2, epochs=1, ra_spaces=1, bag={"ra": 1, "gold": 1}, suns=((7,), (6,)), middle_sun=5
    )
    env = RaEnv(rules=sometimes, opponents=Drawing(), seat=1, suns=[[7], [6]])
    dealt = set()
    for seed in range(10):
        env.reset(seed=seed)
        assert env.action_masks().any()
        dealt.add(env.game_seed == seed)
    assert dealt == {True, False}
    always = Rules(2, epochs=1, ra_spaces=1, bag={"ra": 1}, suns=((7,), (6,)), middle_sun=5)
    env = RaEnv(rules=always, opponents=Drawing(), seat=1, suns=[[7], [6]])
    with pytest.raises(RulesError, match="nothing to decide in 1000 games"):
        env.reset(seed=0)
    with pytest.raises(ResetNeeded):
        env.step(0)


# --- seats and opponents -------------------------------------------------------------------------


def test_a_random_seat_is_every_seat(num_players: int) -> None:
    """About equally often, and another one from game to game."""
    env = RaEnv(num_players, opponents=Chance())
    env.reset(seed=0)
    seats = [env.reset()[1]["seat"] for _ in range(60 * num_players)]
    counts = np.bincount(seats, minlength=num_players)
    assert len(counts) == num_players
    assert counts.min() > 30


def test_a_fixed_seat_is_kept(num_players: int) -> None:
    """In every game."""
    env = RaEnv(num_players, opponents=Chance(), seat=num_players - 1)
    assert {env.reset()[1]["seat"] for _ in range(10)} == {num_players - 1}


def test_opponents_sit_clockwise_from_the_learners_left() -> None:
    """The first of the list sits to the left, whichever seat the learner has."""
    opponents = [Chance(), Chance(), Chance()]
    env = RaEnv(4, opponents=opponents)
    for seed in range(4):
        play_episode(env, seed)
        for place, opponent in enumerate(opponents, start=1):
            assert {row[SEAT] for row, _, _ in opponent.asked} == {(env.seat + place) % 4}
            opponent.asked.clear()


def test_opponents_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the entry points, mixed with objects as one likes."""

    class Entry:
        name = "chance"

        @staticmethod
        def load() -> type[Chance]:
            return Chance

    monkeypatch.setattr(ra_env.agent, "entry_points", lambda group: [Entry])
    assert len(play_episode(RaEnv(3, opponents="chance"), 0)) > 10
    assert len(play_episode(RaEnv(3, opponents=["chance", Chance()]), 0)) > 10
    with pytest.raises(AgentError, match="unknown agent 'best'; known agents: chance"):
        RaEnv(3, opponents="best")


def test_an_opponent_cannot_touch_the_game() -> None:
    """It decides on a copy of the row."""
    env = RaEnv(3, opponents=Forgetful())
    assert play_episode(env, 5) == play_episode(RaEnv(3, opponents=Chance()), 5)


def test_an_opponent_that_plays_what_it_may_not_is_named() -> None:
    """The episode cannot go on then; the next one can."""
    env = RaEnv(2, opponents=Stubborn(), seat=0, suns=[[9, 6, 5, 2], [8, 7, 4, 3]])
    env.reset(seed=0)
    with pytest.raises(IllegalAction, match=r"opponent Stubborn\(\) failed: action 53 .* seat 1"):
        env.step(0)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    assert env.action_masks().any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": 4}, "seat must be 'random' or a seat from 0 to 3, not 4"),
        ({"seat": -1}, "seat from 0 to 3, not -1"),
        ({"seat": "first"}, "not 'first'"),
        ({"seat": True}, "not True"),
        ({"opponents": []}, "0 opponents are given for 3 other seats"),
        ({"opponents": [Stubborn()] * 4}, "4 opponents are given for 3 other seats"),
        ({"opponents": 7}, "an opponent is an agent or its name, not 7"),
        ({"opponents": [Stubborn(), None, Stubborn()]}, "its name, not None"),
        ({"opponents": Stubborn}, "an opponent is an agent or its name, not <class"),
        ({"reward": "points"}, "unknown reward 'points'"),
        ({"view": "all"}, "unknown view 'all'"),
        ({"render_mode": "svg"}, "unknown render mode 'svg'"),
        ({"num_players": 1}, "num_players must be a whole number from 2 to 5, not 1"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    """And what is allowed is said."""
    with pytest.raises(ValueError, match=message):
        RaEnv(**{"num_players": 4, "opponents": Stubborn(), **options})


# --- actions -------------------------------------------------------------------------------------


def test_an_illegal_action_ends_the_episode() -> None:
    """-1, the last place, no further actions; and a new game can begin."""
    env = RaEnv(3, opponents=Chance(), reward="win")
    env.reset(seed=0)
    before = env._game.state.tolist()
    illegal = int(env.action_masks().argmin())
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["rank"], info["illegal_action"]) == (2, True)
    assert not env.action_masks().any()
    assert not info["action_mask"].any()
    assert env._game.state.tolist() == before
    with pytest.raises(ResetNeeded):
        env.step(0)
    assert play_episode(env, 0)


@pytest.mark.parametrize("action", [54, -1, 1.0, None, True])
def test_what_is_no_action_raises_and_changes_nothing(action: Any) -> None:
    """Outside the action space there is nothing to learn, only a mistake to be found."""
    env = RaEnv(2, opponents=Chance())
    env.reset(seed=0)
    before = env._game.state.tolist()
    with pytest.raises(IllegalAction):
        env.step(action)
    assert env._game.state.tolist() == before
    env.step(int(env.action_masks().argmax()))


def test_no_step_before_the_first_game_and_after_the_last() -> None:
    """`reset` comes first."""
    env = RaEnv(2, opponents=Chance())
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    assert not env.action_masks().any()
    play_episode(env, 0)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)


# --- seeds and copies ----------------------------------------------------------------------------


def test_a_seed_decides_everything(num_players: int) -> None:
    """Deal, seats and all luck of the opponents, in this game and in those after it."""
    env, other = (RaEnv(num_players, opponents=Chance()) for _ in range(2))
    first = [play_episode(env, seed) for seed in (3, None, None)]
    assert [play_episode(other, seed) for seed in (3, None, None)] == first
    assert len({str(episode) for episode in first}) == 3
    assert play_episode(env, 4) != first[0]


def test_a_seed_is_the_game_of_that_seed() -> None:
    """The same suns and tiles as `Game(seed=...)`, whoever plays."""
    env = RaEnv(2, opponents=Drawing(), seat=0)
    for seed in range(5):
        env.reset(seed=seed)
        game = Game(2, seed=seed)
        while game.current_seat == 1 or len(game.legal_actions()) == 1:
            game.play(Drawing().act(game.state, np.uint64(0)))
        assert env._game.state.tolist() == game.state.tolist()
        assert env.game_seed == seed


def test_the_words_of_the_opponents_are_all_different() -> None:
    """Each decision has luck of its own."""
    opponent = Chance()
    env = RaEnv(5, opponents=opponent)
    for seed in range(5):
        play_episode(env, seed)
    words = [word for _, word, _ in opponent.asked]
    assert len(set(words)) == len(words) > 200


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    """Named, before anything is dealt."""
    with pytest.raises(ValueError, match="seed must be"):
        RaEnv(2, opponents=Chance()).reset(seed=seed)


@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["deepcopy", "pickle"],
)
def test_a_copy_in_mid_game_goes_on_alike(duplicate: Any) -> None:
    """With the same luck of the bag and of the opponents, and independent of the original."""
    env = RaEnv(3, opponents=Chance())
    env.reset(seed=2)
    choose = random.Random(2)
    for _ in range(10):
        env.step(choose_legal(env, choose))
    other = duplicate(env)

    def rest(table: RaEnv) -> list[Any]:
        luck, steps, done = random.Random(0), [], False
        while not done:
            observation, reward, done, _, _ = table.step(choose_legal(table, luck))
            steps.append((observation.tobytes(), reward))
        return [*steps, *play_episode(table, None)]

    assert rest(other) == rest(env)


def test_the_page_states_the_facts() -> None:
    """The module's docstring is the documentation: its figures are those of the code."""
    page = sys.modules[RaEnv.__module__].__doc__
    assert page is not None
    env = RaEnv(2, opponents=Chance())
    assert f"`{env.action_space}`" in page
    low, high = env.observation_space.low.min(), env.observation_space.high.max()
    assert f"`Box({low:.0f}, {high:.0f}, ({OBSERVATION_SIZE},), float32)`" in page
