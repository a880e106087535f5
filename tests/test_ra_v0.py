"""The PettingZoo environment: what PettingZoo demands, the engine's game unchanged, and saving."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import random
import re
import runpy
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from random_play import SMALL

import ra_env.picture
from ra_env import NUM_ACTIONS, Game, IllegalAction, Rules, ra_v0, single_agent
from ra_env.batch import legal_masks
from ra_env.layout import BAG, BAG_COUNT, MIDDLE_SUN, SCORE, SEAT, STATE_SIZE
from ra_env.observation import OBSERVATION_SIZE, VERSION, describe, observe, view_id
from ra_env.rules import MAX_BAG

ROOT = Path(__file__).resolve().parent.parent

OPTIONS: list[dict[str, Any]] = [
    {},
    {"reward": "win", "view": "table"},
    {"reward": "score", "play_forced": True},
    {"reward": "margin", "view": "table", "play_forced": True},
]
DEALS = {
    2: [[8, 7, 4, 3], [9, 6, 5, 2]],
    3: [[12, 9, 6, 3], [11, 10, 7, 4], [13, 8, 5, 2]],
    4: [[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]],
    5: [[16, 7, 2], [12, 11, 6], [15, 8, 3], [14, 9, 4], [13, 10, 5]],
}


def random_action(env: Any, choose: random.Random) -> int | None:
    """A legal action of the agent on turn; None if its game is over."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    return int(choose.choice(np.flatnonzero(observation["action_mask"]).tolist()))


def play_on(env: Any, moves: int | None = None, seed: int = 0) -> list[Any]:
    """Play random actions, to the end or so many; returns all that could be noticed on the way."""
    choose = random.Random(seed)
    noticed = []
    while env.agents and (moves is None or len(noticed) < moves):
        action = random_action(env, choose)
        env.step(action)
        noticed.append((action, all_of(env)))
    return noticed


def all_of(env: Any) -> list[Any]:
    """Everything that an environment shows at a moment, in a form that can be compared."""
    raw = env.unwrapped
    return [
        raw.state().tolist(),
        raw.agent_selection if raw.agents else None,
        raw.agents.copy(),
        raw.rewards.copy(),
        raw._cumulative_rewards.copy(),
        raw.terminations.copy(),
        raw.truncations.copy(),
        {agent: info["action_mask"].tolist() for agent, info in raw.infos.items()},
        [part.tobytes() for agent in raw.possible_agents for part in raw.observe(agent).values()],
    ]


@pytest.fixture(params=[ra_v0.raw_env, ra_v0.env], ids=["raw", "wrapped"])
def make_env(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The environment without and with PettingZoo's wrappers."""
    maker: Callable[..., Any] = request.param
    return maker


# --- what PettingZoo demands ---------------------------------------------------------------------


@pytest.fixture
def _only_known_warnings() -> Iterator[None]:
    """PettingZoo's tests warn of whatever is odd. Of observations with a mask they always do, apart
    from a list of PettingZoo's own games; everything else fails here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        yield


@pytest.mark.compiled
@pytest.mark.usefixtures("_only_known_warnings")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_api(make_env: Callable[..., Any], num_players: int, options: dict[str, Any]) -> None:
    """PettingZoo's own test of the interface, over a whole game and into the dead steps."""
    api_test(make_env(num_players=num_players, **options), num_cycles=150)


@pytest.mark.compiled
@pytest.mark.usefixtures("_only_known_warnings")
@pytest.mark.parametrize("options", [{"rules": SMALL}, {"suns": DEALS[4]}], ids=["rules", "suns"])
def test_api_of_variants_and_fixed_deals(
    make_env: Callable[..., Any], options: dict[str, Any]
) -> None:
    """The same with other rules and with suns that are not dealt."""
    api_test(make_env(**options), num_cycles=150)


@pytest.mark.compiled
@pytest.mark.usefixtures("_only_known_warnings")
def test_seeds(make_env: Callable[..., Any], num_players: int) -> None:
    """PettingZoo's own test that a seed decides everything."""
    seed_test(lambda: make_env(num_players=num_players), num_cycles=100)


@pytest.mark.compiled
def test_state_and_its_space(num_players: int) -> None:
    """PettingZoo's own tests of `state()`."""
    tests = importlib.import_module("pettingzoo.test.state_test")
    env = ra_v0.env(num_players=num_players)
    tests.test_state_space(env)
    tests.test_state(env, num_cycles=20)


@pytest.mark.compiled
def test_rendering(monkeypatch: pytest.MonkeyPatch, num_players: int) -> None:
    """PettingZoo's own test of all render modes. A window is not opened, but what it would show is
    looked at: a picture after the deal and after every step."""
    pytest.importorskip("PIL", reason="pictures are drawn with Pillow")
    shown: list[np.ndarray] = []
    monkeypatch.setattr(ra_env.picture, "show", shown.append)
    render_test(lambda **mode: ra_v0.env(num_players=num_players, **mode))
    assert len(shown) > 5
    assert all(picture.dtype == np.uint8 and picture.ndim == 3 for picture in shown)


def test_rendering_as_text_names_the_agents() -> None:
    """The table speaks of players as the environment does."""
    env = ra_v0.env(num_players=3, render_mode="ansi")
    env.reset(seed=0)
    assert all(agent in env.render() for agent in env.agents)


def test_rendering_without_a_mode_warns_and_gives_nothing() -> None:
    """As everywhere in PettingZoo."""
    env = ra_v0.raw_env(2)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


@pytest.mark.compiled
def test_performance_benchmark_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """PettingZoo's benchmark gets through; its clock is advanced so that it does not take long."""
    module = importlib.import_module("pettingzoo.test.performance_benchmark")
    ticks = iter(range(0, 1000))
    clock = types.SimpleNamespace(time=lambda: next(ticks) / 20)
    monkeypatch.setattr(module, "time", clock)
    performance_benchmark(ra_v0.env(num_players=2))
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_the_registry_makes_it() -> None:
    """`pettingzoo.make` knows the environment once `ra_env` is imported, with its options."""
    if not hasattr(pettingzoo, "make"):
        pytest.skip(f"PettingZoo {pettingzoo.__version__} has no registry")
    env = pettingzoo.make("aec", "ra_env/ra_v0", num_players=3, view="table")
    env.reset(seed=0)
    assert env.agents == ["player_0", "player_1", "player_2"]
    assert str(env) == "ra_v0"


def test_metadata_is_complete(make_env: Callable[..., Any]) -> None:
    """What PettingZoo's tools ask an environment for."""
    assert make_env(num_players=2).metadata == {
        "name": "ra_v0",
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
        "is_parallelizable": False,
    }


def test_the_docstring_states_the_facts() -> None:
    """The module's docstring is the documentation: its figures are those of the code."""
    page = ra_v0.__doc__
    assert page is not None
    assert f"| Action values | `Discrete({NUM_ACTIONS})` |" in page
    assert f"| Observation shape | `({OBSERVATION_SIZE},)` |" in page
    assert f"all in [-1, {MAX_BAG}] |" in page
    assert f"| State shape | `({STATE_SIZE},)`, int16 |" in page
    for heading in ("Observation", "Actions", "Rewards", "Arguments", "Version history"):
        assert f"\n## {heading}\n" in page


def test_the_page_has_the_docstrings_and_the_observation_as_they_are() -> None:
    """docs/environments.md repeats what the code says, word for word, one heading lower."""
    page = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
    for module in (ra_v0, single_agent):
        text = inspect.cleandoc(module.__doc__ or "")
        assert re.sub(r"^(?=#)", "#", text, flags=re.MULTILINE) in page
    for piece in describe():
        row = (f"`{piece.name}`", piece.start, piece.size, piece.scale, piece.meaning)
        assert f"| {' | '.join(map(str, row))} | {piece.hidden or '-'} |\n" in page
    assert f"version\n{VERSION}." in page


# --- the same game as the engine's ---------------------------------------------------------------


@pytest.mark.parametrize("reward", ["placement", "win", "score", "margin"])
def test_a_game_is_that_of_the_engine(num_players: int, reward: str) -> None:
    """Step by step the same rows, agents, masks and rewards as `Game` with the same seed, and so
    the same record."""
    env = ra_v0.raw_env(num_players, reward=reward)
    env.reset(seed=11)
    game = Game(num_players, seed=11)
    choose = random.Random(1)
    totals = dict.fromkeys(env.agents, 0.0)
    while not game.is_over:
        assert env.agent_selection == f"player_{game.current_seat}"
        for agent in env.agents:
            is_on_turn = agent == env.agent_selection
            legal = game.legal_actions() if is_on_turn else []
            for mask in (env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]):
                assert np.flatnonzero(mask).tolist() == legal
                assert mask.dtype == np.int8
        before = game.scores
        action = choose.choice(game.legal_actions())
        env.step(action)
        game.play(action)
        assert env.state().tolist() == game.state.tolist()
        gains = [now - then for now, then in zip(game.scores, before, strict=True)]
        assert env.rewards == pytest.approx(expected_rewards(game, gains, reward))
        for agent, paid in env.rewards.items():
            totals[agent] += paid
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    if reward == "score":
        assert [10 + total for total in totals.values()] == game.scores
    assert Game.from_record(game.to_record()) == game


def expected_rewards(game: Game, gains: list[int], reward: str) -> dict[str, float]:
    """What each agent should get after a step that brought these gains."""
    last = game.num_players - 1
    ranking = game.ranking()
    if reward == "score":
        paid = [float(gain) for gain in gains]
    elif reward == "margin":
        paid = [gain - (sum(gains) - gain) / last for gain in gains]
    elif not game.is_over:
        paid = [0.0] * game.num_players
    elif reward == "win":
        paid = [float(seat == ranking[0]) for seat in range(game.num_players)]
    else:
        paid = [1 - 2 * ranking.index(seat) / last for seat in range(game.num_players)]
    return {f"player_{seat}": value for seat, value in enumerate(paid)}


@pytest.mark.compiled
def test_masks_are_the_legal_moves_of_the_engine(num_players: int) -> None:
    """Over several games, the mask of the agent on turn is the engine's, and everybody else's is
    empty."""
    env = ra_v0.raw_env(num_players)
    choose = random.Random(2)
    for seed in range(5):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
            engine = legal_masks(env.state().reshape(1, -1))[0]
            assert (masks.pop(env.agent_selection) == engine).all()
            assert not any(mask.any() for mask in masks.values())
            env.step(random_action(env, choose))


@pytest.mark.parametrize("view", ["memory", "table"])
def test_an_agent_sees_what_its_seat_sees(num_players: int, view: str) -> None:
    """On turn or not, an observation is the seat's view of the row, and a new array each time."""
    env = ra_v0.raw_env(num_players, view=view)
    env.reset(seed=5)
    play_on(env, moves=40)
    for seat, agent in enumerate(env.agents):
        expected = np.empty(OBSERVATION_SIZE, dtype=np.float32)
        observe(env.state(), seat, view_id(view), expected)
        first, second = env.observe(agent), env.observe(agent)
        assert first["observation"].tobytes() == expected.tobytes()
        for part in ("observation", "action_mask"):
            assert not np.shares_memory(first[part], second[part])


@pytest.mark.parametrize("view", ["memory", "table"])
def test_nothing_shown_depends_on_what_nobody_knows(num_players: int, view: str) -> None:
    """Another order of the bag changes no observation and no mask, to the bit; in table view other
    contents of the bag and other points of the opponents do not either."""
    env = ra_v0.raw_env(num_players, view=view)
    env.reset(seed=5)
    play_on(env, moves=30)
    snapshot = env.get_state()
    hidden = [dataclasses.replace(snapshot, word=snapshot.word ^ 12345)]
    if view == "table":
        row = snapshot.state.copy()
        row[BAG + 3] -= 1
        row[BAG_COUNT] -= 1
        hidden.append(dataclasses.replace(snapshot, state=row))
    for seat, agent in enumerate(env.agents):
        env.set_state(snapshot)
        seen = env.observe(agent)
        others = hidden.copy()
        if view == "table":
            row = snapshot.state.copy()
            row[SCORE : SCORE + num_players] += 7
            row[SCORE + seat] -= 7
            others.append(dataclasses.replace(snapshot, state=row))
        for other in others:
            env.set_state(other)
            same = env.observe(agent)
            assert all(same[part].tobytes() == seen[part].tobytes() for part in seen)


def test_forced_moves_are_played_if_wanted(num_players: int) -> None:
    """With `play_forced` every agent asked has a choice, and the game is the one in which the
    forced moves are played by hand."""
    quick = ra_v0.raw_env(num_players, play_forced=True, reward="score")
    quick.reset(seed=4)
    game = Game(num_players, seed=4)
    choose = random.Random(4)
    forced = 0
    earned = np.zeros(num_players)
    while not quick.terminations[quick.agent_selection]:
        assert len(game.legal_actions()) > 1
        action = choose.choice(game.legal_actions())
        quick.step(action)
        game.play(action)
        while len(game.legal_actions()) == 1:
            game.play(game.legal_actions()[0])
            forced += 1
        assert quick.state().tolist() == game.state.tolist()
        earned += list(quick.rewards.values())
    assert forced > 0
    assert (earned == np.array(game.scores) - 10).all()


def test_a_fixed_deal_leaves_the_luck_of_the_bag(num_players: int) -> None:
    """`suns` decides who has which, and the seed the rest, as in `Game`."""
    env = ra_v0.raw_env(num_players, suns=DEALS[num_players])
    for seed in range(3):
        env.reset(seed=seed)
        game = Game(num_players, seed=seed, suns=DEALS[num_players])
        for _ in range(10):
            assert env.state().tolist() == game.state.tolist()
            env.step(0 if "draw" in game.legal_moves() else game.legal_actions()[0])
            game.play("draw" if "draw" in game.legal_moves() else game.legal_actions()[0])


def test_variants_are_played_by_their_rules() -> None:
    """`rules` in place of a number of players."""
    env = ra_v0.raw_env(rules=SMALL)
    env.reset(seed=0)
    assert env.rules == SMALL
    assert env.state()[MIDDLE_SUN] == 5
    assert env.max_num_agents == 2


# --- the end -------------------------------------------------------------------------------------


def test_at_the_end_everybody_leaves_in_turn(
    make_env: Callable[..., Any], num_players: int
) -> None:
    """All terminate together; each takes one dead step, in which it gets its reward; then there are
    no agents and nothing is left of any."""
    env = make_env(num_players=num_players)
    env.reset(seed=0)
    choose = random.Random(0)
    while not any(env.terminations.values()):
        env.step(random_action(env, choose))
    assert all(env.terminations.values())
    final = env.rewards.copy()
    assert sorted(final.values()) == pytest.approx(np.linspace(-1, 1, num_players))
    left = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert (reward, terminated, truncated) == (final[agent], True, False)
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        left.append(agent)
        env.step(None)
    assert left == env.possible_agents
    parts = (env.rewards, env.terminations, env.truncations, env.infos)
    assert env.agents == []
    assert all(part == {} for part in parts)


def test_a_dead_step_takes_no_action() -> None:
    """Who is out cannot play."""
    env = ra_v0.raw_env(2)
    env.reset(seed=0)
    choose = random.Random(0)
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, choose))
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)


def test_what_last_reports_adds_up_to_all_rewards() -> None:
    """An agent gets what it earned since its last step, also what was earned on others' turns."""
    env = ra_v0.raw_env(4, reward="score")
    env.reset(seed=9)
    choose = random.Random(9)
    totals = dict.fromkeys(env.agents, 0.0)
    scores: list[int] = []
    for agent in env.agent_iter():
        totals[agent] += env.last()[1]
        env.step(random_action(env, choose))
        scores = env.state()[SCORE : SCORE + 4].tolist()
    assert [10 + total for total in totals.values()] == scores


# --- illegal actions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (3, r"action 3 \(pass\) is not legal for seat 0; legal: 0 \(draw\), 1 \(invoke\)"),
        (54, "unknown action id 54; ids are 0 to 53"),
        (-1, "unknown action id -1"),
        (None, "not None"),
        (1.0, "not 1.0"),
        (True, "not True"),
        (np.array([0, 1]), "not array"),
    ],
)
def test_the_raw_environment_raises_and_stays_as_it_was(action: Any, message: str) -> None:
    """Whatever cannot be played is named, and nothing has changed."""
    env = ra_v0.raw_env(4, suns=[[13, 6, 2], [12, 7, 3], [11, 8, 4], [10, 9, 5]])
    env.reset(seed=0)
    before = all_of(env), env.get_state().word
    with pytest.raises(IllegalAction, match=message):
        env.step(action)
    assert (all_of(env), env.get_state().word) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8])
def test_an_action_may_be_any_kind_of_integer(kind: Callable[[int], Any]) -> None:
    """Whatever a policy computes."""
    env = ra_v0.raw_env(2)
    env.reset(seed=0)
    env.step(kind(1))
    assert env.state()[SEAT] in (0, 1)
    with pytest.raises(IllegalAction):
        env.step(kind(1))


def test_the_wrapped_environment_ends_the_game(num_players: int) -> None:
    """As PettingZoo users know it: -1 for who played it, 0 for the others, and everybody is out."""
    env = ra_v0.env(num_players=num_players)
    env.reset(seed=0)
    play_on(env, moves=20)
    culprit = env.agent_selection
    illegal = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    env.step(illegal)
    assert env.rewards == {agent: -1 if agent == culprit else 0 for agent in env.agents}
    assert all(env.terminations.values())
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        assert (reward, terminated) == (-1 if agent == culprit else 0, True)
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        env.step(None)
    assert env.agents == []
    env.reset(seed=0)
    assert len(play_on(env)) > 20


def test_the_wrapped_environment_checks_bounds_and_order() -> None:
    """An action that is none fails, and so does what comes before `reset`."""
    env = ra_v0.env(num_players=2)
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agent_selection
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(54)


# --- seeds ---------------------------------------------------------------------------------------


def test_a_seed_decides_this_game_and_those_after_it(make_env: Callable[..., Any]) -> None:
    """`reset()` goes on to other games, the same ones after the same seed."""

    def starts(seed: int) -> list[list[int]]:
        env = make_env(num_players=4)
        env.reset(seed=seed)
        rows = [env.state().tolist()]
        for game in range(3):
            play_on(env, moves=game)
            env.reset()
            for _ in range(5):
                env.step(0 if env.infos[env.agent_selection]["action_mask"][0] else 3)
            rows.append(env.state().tolist())
        return rows

    first = starts(1)
    assert starts(1) == first
    assert starts(2) != first
    assert len({tuple(row) for row in first}) == 4


def test_without_a_seed_games_differ() -> None:
    """Two environments that nobody has seeded do not play the same."""
    seeds = set()
    for _ in range(4):
        env = ra_v0.raw_env(2)
        env.reset()
        seeds.add(env.game_seed)
    assert len(seeds) == 4


def test_the_seed_of_a_game_is_named() -> None:
    """`game_seed` is enough to have the same game again, here and in `Game`."""
    env = ra_v0.env(num_players=3)
    env.reset(seed=1)
    env.reset()
    seed = env.game_seed
    row = env.state().tolist()
    env.reset(seed=seed)
    assert env.state().tolist() == row == Game(3, seed=seed).state.tolist()


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    """And the game under way goes on."""
    env = ra_v0.raw_env(2)
    env.reset(seed=0)
    before = all_of(env)
    with pytest.raises(ValueError, match="seed must be"):
        env.reset(seed=seed)
    assert all_of(env) == before


# --- copying and saving --------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["deepcopy", "pickle"],
)
@pytest.mark.parametrize("moves", [0, 1, 75, 10_000])
def test_a_copy_goes_on_alike_and_on_its_own(
    make_env: Callable[..., Any], duplicate: Callable[[Any], Any], moves: int
) -> None:
    """In mid-game, at the start and at the end: the copy plays the same, the original stays."""
    env = make_env(num_players=3, reward="score")
    env.reset(seed=6)
    play_on(env, moves)
    before = all_of(env)
    other = duplicate(env)
    assert all_of(other) == before
    there = play_on(other, seed=1)
    assert all_of(env) == before
    assert play_on(env, seed=1) == there
    env.reset()
    other.reset()
    assert all_of(env) == all_of(other)


@pytest.mark.compiled
@pytest.mark.parametrize("moves", [0, 1, 75])
def test_a_snapshot_brings_everything_back(
    make_env: Callable[..., Any], num_players: int, moves: int
) -> None:
    """Rows, luck, rewards, masks and the games after this one; here and in a new environment that
    was never reset."""
    env = make_env(num_players=num_players, reward="margin", play_forced=True)
    env.reset(seed=6)
    play_on(env, moves)
    snapshot = env.get_state()
    before = all_of(env)
    rest = play_on(env, seed=1)
    env.reset()
    following = all_of(env)
    for later in (env, make_env(num_players=num_players, reward="margin", play_forced=True)):
        later.set_state(pickle.loads(pickle.dumps(snapshot)))
        assert all_of(later) == before
        assert play_on(later, seed=1) == rest
        later.reset()
        assert all_of(later) == following


def test_a_snapshot_does_not_change_when_the_game_goes_on() -> None:
    """It can be set back any number of times."""
    env = ra_v0.env(num_players=2)
    env.reset(seed=0)
    play_on(env, moves=30)
    snapshot = env.get_state()
    before = all_of(env)
    for seed in range(3):
        play_on(env, seed=seed)
        env.set_state(snapshot)
        assert all_of(env) == before


def test_a_snapshot_among_the_dead_steps(make_env: Callable[..., Any]) -> None:
    """When some agents have left already, they are gone after it too."""
    env = make_env(num_players=4)
    env.reset(seed=0)
    choose = random.Random(0)
    while len(env.agents) > 2:
        env.step(random_action(env, choose))
    snapshot = env.get_state()
    rest = play_on(env)
    env.set_state(snapshot)
    assert env.agents == ["player_2", "player_3"]
    assert play_on(env) == rest
    last = env.get_state()
    env.reset(seed=1)
    env.set_state(last)
    assert env.agents == []


def test_wrappers_forget_what_they_saw_before(num_players: int) -> None:
    """The mask that PettingZoo's wrapper remembers is of another position: the action legal in the
    position set back is played, and an iteration goes on."""
    env = ra_v0.env(num_players=num_players)
    env.reset(seed=0)
    snapshot = env.get_state()
    env.step(1)
    env.last()  # the wrapper now remembers that of draw and invoke nothing is legal
    env.set_state(snapshot)
    env.step(0)
    assert not any(env.terminations.values())
    for _ in env.agent_iter(max_iter=3):
        env.set_state(snapshot)


def test_other_luck_can_be_given(make_env: Callable[..., Any]) -> None:
    """A search that may not know the bag's order sets the position back with a word of its own."""
    env = make_env(num_players=2)
    env.reset(seed=0)
    snapshot = env.get_state()
    drawn = set()
    for word in range(20):
        env.set_state(dataclasses.replace(snapshot, word=word))
        assert env.state().tolist() == snapshot.state.tolist()
        env.step(0)
        drawn.add(tuple(env.state()[BAG:]))
    assert len(drawn) > 3


def test_no_snapshot_before_the_first_game() -> None:
    """There is nothing to save yet."""
    with pytest.raises(ValueError, match="call reset"):
        ra_v0.raw_env(2).get_state()


BAD_SNAPSHOTS: list[tuple[dict[str, Any], str]] = [
    ({"state": [1, 2, 3]}, "state must be a row of 188 int16 numbers"),
    ({"state": np.zeros(STATE_SIZE)}, "int16"),
    ({"state": np.zeros(STATE_SIZE, np.int16)}, "is not a position of the game: num_players"),
    ({"state": Game(3, seed=0).state}, "state is of another game"),
    ({"state": Game(rules=Rules(2, epochs=2), seed=0).state}, "state is of another game"),
    ({"word": -1}, "word must be from 0"),
    ({"word": "x"}, "word must be a whole number"),
    ({"game_seed": 2**64}, "game_seed must be from 0"),
    ({"generator": {}}, "generator of the snapshot cannot be used"),
    ({"agents": ("player_0", "player_7")}, "agents must be some of"),
    ({"agents": ("player_1", "player_0")}, "agents must be some of"),
    ({"agents": ("player_0",)}, "must be given for each of"),
    ({"rewards": {}}, "rewards must be given for each of"),
    ({"agent_selection": "player_9"}, "agent_selection must be one of"),
]


@pytest.mark.parametrize(("changes", "message"), BAD_SNAPSHOTS, ids=lambda value: str(value)[:40])
def test_a_snapshot_that_does_not_fit_changes_nothing(
    make_env: Callable[..., Any], changes: dict[str, Any], message: str
) -> None:
    """Every part of it is checked, and the error names it."""
    env = make_env(num_players=2)
    env.reset(seed=0)
    play_on(env, moves=10)
    before = all_of(env)
    with pytest.raises(ValueError, match=message):
        env.set_state(dataclasses.replace(env.get_state(), **changes))
    with pytest.raises(ValueError, match="comes from get_state"):
        env.set_state(changes)
    assert all_of(env) == before


def test_a_finished_game_cannot_have_living_agents() -> None:
    """A snapshot has to agree with itself."""
    env = ra_v0.raw_env(2)
    env.reset(seed=0)
    running = env.get_state()
    choose = random.Random(0)
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, choose))
    with pytest.raises(ValueError, match="the game is over, but"):
        env.set_state(dataclasses.replace(running, state=env.state()))


# --- wrong options -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 6}, "num_players must be a whole number from 2 to 5, not 6"),
        ({"num_players": 3, "rules": Rules(4)}, "num_players is 3, but rules say 4"),
        ({"rules": 4}, "rules must be a Rules"),
        ({"reward": "points"}, "unknown reward 'points'; rewards: placement"),
        ({"view": "all"}, "unknown view 'all'; views: memory, table"),
        ({"render_mode": "svg"}, "unknown render mode 'svg'; render modes: ansi, rgb_array"),
        ({"num_players": 2, "suns": [[1, 2], [3, 4]]}, "sun 1 is there twice"),
        ({"num_players": 2, "suns": [[9, 8, 7, 6], [5, 4, 3, 2]]}, "not a deal of the sets"),
    ],
)
def test_wrong_options_are_named(
    make_env: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    """And what is allowed is said."""
    with pytest.raises(ValueError, match=message):
        make_env(**options)


def test_an_unknown_agent_is_named() -> None:
    """And the ones there are."""
    env = ra_v0.raw_env(2)
    env.reset(seed=0)
    with pytest.raises(KeyError, match=r"no agent 'player_2'; agents: player_0, player_1"):
        env.observe("player_2")


def test_four_players_unless_said_otherwise() -> None:
    """As in `Game`."""
    assert ra_v0.raw_env().max_num_agents == 4


# --- examples ------------------------------------------------------------------------------------


def test_the_example_of_random_play_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It names every player's reward and shows the final table."""
    runpy.run_path(str(ROOT / "examples" / "random_play.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert all(f"player_{seat}: " in printed for seat in range(4))
    assert "game over" in printed


@pytest.mark.compiled
def test_the_example_of_saving_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It tries every first action and is back at the start afterwards."""
    runpy.run_path(str(ROOT / "examples" / "save_and_restore.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "draw: mean reward" in printed
    assert "invoke: mean reward" in printed
    assert "back at the start: True" in printed


# --- the package ---------------------------------------------------------------------------------


def test_importing_the_package_brings_nothing_heavy() -> None:
    """Learning, drawing and windows are loaded by who uses them."""
    heavy = ("torch", "stable_baselines3", "PIL", "tkinter", "matplotlib", "agents", "rich")
    code = f"import sys, ra_env; print([m for m in {heavy!r} if m in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert printed.stdout.strip() == "[]", printed.stderr
