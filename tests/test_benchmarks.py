"""Tests of the benchmarks: the scripts run and their figures make sense, and the comparison with
the baseline tells a slow-down from noise. Nothing here depends on how fast the machine is."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks import agent_speed, check, peers, throughput, timing
from benchmarks.timing import Timing, Workload
from ra_env import batch, ra_v0
from ra_env.observation import OBSERVATION_SIZE
from ra_env.selfplay import SelfPlay
from ra_env.vector import OneSeat

ROOT = Path(__file__).parent.parent
PLAYERS = {"2", "3", "4", "5"}


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True
    )


def numbers(value: Any) -> Iterator[float]:
    """All numbers in a JSON value."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, int | float):
        yield value


# --- how something is timed ----------------------------------------------------------------------


def test_the_best_repetition_counts_and_preparation_is_not_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = 0.0

    def take(seconds: float) -> None:
        nonlocal clock
        clock += seconds

    durations = iter([50.0, 4.0, 2.0, 3.0])

    def run() -> int:
        take(next(durations))
        return 2

    monkeypatch.setattr(timing, "perf_counter", lambda: clock)
    timings = timing.measure({"a": Workload(run, prepare=lambda: take(100))}, repetitions=3)
    assert timings == {"a": Timing(seconds=1.0, spread=0.5)}
    assert timings["a"].per_second == 1
    assert timings["a"].nanoseconds == 1e9


def test_workloads_are_measured_in_turns() -> None:
    order: list[str] = []

    def workload(name: str) -> Workload:
        def run() -> int:
            order.append(name)
            return 1

        return Workload(run, prepare=lambda: order.append(f"prepare {name}"))

    timing.measure({name: workload(name) for name in "ab"}, repetitions=2)
    assert order == ["prepare a", "a", "prepare b", "b"] * 3


def test_a_failing_process_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        timing.fresh_process("raise SystemExit(3)", tmp_path).run()


def test_a_table_has_aligned_columns() -> None:
    text = timing.table("Title", [("name", "n"), ("a", "1,000")])
    assert text == "Title\n  name      n\n  a     1,000"


# --- throughput ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """What the real script prints."""
    done = run_script("benchmarks.throughput", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


@pytest.mark.compiled
def test_throughput_prints_every_figure_as_one_json_object(figures: dict[str, Any]) -> None:
    assert set(figures["random_play"]) == PLAYERS
    assert set(figures["random_play_threads_2"]) == PLAYERS
    assert set(figures["threads_2_ratio"]) == PLAYERS
    assert set(figures["batch_step"]) == {"checked", "unchecked"}
    sizes = {str(size) for size in throughput.BATCH_SIZES}
    assert all(set(rates) == sizes for rates in figures["batch_step"].values())
    single = {"copy_ns", "copy_steps", "copy_from_python_ns", "game_play"}
    single |= {
        "cold_start_s",
        "warm_start_s",
        "import_s",
        "import_game_s",
        "threads_2_ratio_reference",
    }
    single |= {"batch_step_observe", "self_play", "vector_env"}
    single |= {"heuristic_games", "heuristic_match"}
    assert all(isinstance(figures[name], float) for name in single)
    assert set(figures["batch_step_observe_ratio"]) == {"random_play", "batch_step"}
    assert set(figures["mcts"]) == {"simulations", "nodes"}


@pytest.mark.compiled
def test_throughput_figures_are_positive_and_agree(figures: dict[str, Any]) -> None:
    assert all(
        number > 0 for name in figures.keys() - {"spread"} for number in numbers(figures[name])
    )
    assert all(number >= 0 for number in numbers(figures["spread"]))
    one, two = figures["random_play"]["4"], figures["random_play_threads_2"]["4"]
    assert figures["threads_2_ratio"]["4"] == pytest.approx(two / one)
    assert figures["copy_steps"] == pytest.approx(figures["copy_ns"] * one / 1e9)
    ratio, observed = figures["batch_step_observe_ratio"], figures["batch_step_observe"]
    assert ratio["random_play"] == pytest.approx(one / observed)
    masks_alone = figures["batch_step"]["unchecked"]["1024"]
    assert ratio["batch_step"] == pytest.approx(masks_alone / observed)


@pytest.mark.compiled
def test_throughput_shows_its_figures_as_text(figures: dict[str, Any]) -> None:
    text = throughput.as_text(figures)
    assert f"{figures['random_play']['4']:,.0f}" in text
    assert f"{figures['batch_step']['unchecked']['1024']:,.0f}" in text
    assert f"{figures['copy_ns']:.1f} ns" in text
    assert f"{figures['warm_start_s']:.2f} s" in text
    assert f"{figures['batch_step_observe_ratio']['random_play']:.2f}" in text
    assert f"{figures['vector_env']:,.0f} /s" in text
    assert f"{figures['mcts']['nodes']:,.0f} /s" in text


def test_random_play_counts_the_steps_of_whole_games() -> None:
    workload = throughput.random_play(2, games=8)
    assert all(8 * 40 < workload.run() < 8 * 200 for _ in range(3))


def test_the_script_of_batch_steps_is_legal_and_can_be_repeated() -> None:
    """Checked steps raise at the first illegal action, and without a fresh start there is one."""
    workload = throughput.batch_step(4, check=True)
    for _ in range(2):
        workload.prepare()
        assert 0 < workload.run() <= 4 * throughput.SCRIPT_LENGTH
    with pytest.raises(ValueError, match="not legal"):
        workload.run()


def test_observed_steps_are_as_many_as_steps_with_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same script, and each call asks for observations."""
    step, asked = batch.step, []

    def watched(*arrays: Any, **options: Any) -> None:
        asked.append(options["observations"].shape)
        step(*arrays, **options)

    masks_alone = throughput.batch_step(4, check=False)
    observed = throughput.batch_step_observe(4)
    monkeypatch.setattr(batch, "step", watched)
    for _ in range(2):
        observed.prepare()
        steps = observed.run()
    monkeypatch.undo()
    masks_alone.prepare()
    assert steps == masks_alone.run()
    assert asked == [(4, OBSERVATION_SIZE)] * (2 * throughput.SCRIPT_LENGTH)


def test_the_other_workloads_count_their_units() -> None:
    assert throughput.copy_state(rows=2, passes=3).run() == 6
    assert throughput.copy_state_from_python(copies=5).run() == 5
    games = throughput.game_play(games=1)
    games.prepare()
    assert 100 < games.run() < 400


@pytest.mark.parametrize("workload", [agent_speed.vector_env, agent_speed.self_play])
def test_scripts_of_learners_are_legal_and_can_be_repeated(
    workload: Callable[[int], Workload], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same steps from the same start, and some game ends in them."""
    seen: list[list[Any]] = []
    play, vector_play = SelfPlay.step, OneSeat.step

    def watched(self: SelfPlay, actions: Any) -> Any:
        rewards, done = play(self, actions)
        seen[-1].append((self.states.copy(), done.copy()))
        return rewards, done

    def vector_watched(self: OneSeat, actions: Any) -> Any:
        step = vector_play(self, actions)
        assert not (step.done & self._final_illegal).any()
        seen[-1].append((self.states.copy(), step.done))
        return step

    made = workload(200)
    monkeypatch.setattr(SelfPlay, "step", watched)
    monkeypatch.setattr(OneSeat, "step", vector_watched)
    for _ in range(2):
        seen.append([])
        made.prepare()
        seen[-1].clear()
        assert made.run() == agent_speed.STEPS * 200
    for first, second in zip(*seen, strict=True):
        assert (first[0] == second[0]).all()
    assert any(done.any() for _, done in seen[0])


def test_agents_count_their_games_simulations_and_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    games = agent_speed.heuristic_games(3)
    assert [games.run(), games.run()] == [3, 3]
    match = agent_speed.heuristic_match(seeds=2)
    assert [match.run(), match.run()] == [8, 8]
    monkeypatch.setattr(agent_speed, "SIMULATIONS", 40)
    assert agent_speed.mcts("simulations").run() == 40
    assert 40 <= agent_speed.mcts("nodes").run() <= 2 * 40 + 1


# --- the comparison with the baseline ------------------------------------------------------------

REFERENCES = ("reference/compiled", "reference/python", "reference/start")
BEFORE = check.read_baseline(check.BASELINE)["ratios"]


def timings_of(ratios: Mapping[str, float], machine: float = 1.0) -> dict[str, Timing]:
    """A doctored measurement with these ratios, on a machine that takes so many times as long."""
    references = {name: Timing(machine, 0.0) for name in REFERENCES}
    references["reference/compiled_threads_2"] = Timing(machine / 2, 0.0)
    found = {
        name: Timing(ratio * references[check.reference_of(name)].seconds, 0.0)
        for name, ratio in ratios.items()
    }
    return references | found


def check_with(monkeypatch: pytest.MonkeyPatch, *measurements: dict[str, Timing]) -> int:
    """The exit code of a check that measures this, again and again if it wants to."""
    left = list(measurements)
    monkeypatch.setattr(
        check, "measure_all", lambda quick: left.pop(0) if len(left) > 1 else left[0]
    )
    return check.main([])


@pytest.mark.compiled
def test_every_figure_has_a_place_in_the_baseline() -> None:
    measured = [name for name in throughput.workloads(quick=True) if "reference/" not in name]
    assert set(BEFORE) == {*measured, "cold_start", "warm_start", "import", "import_game"}


@pytest.mark.parametrize("machine", [1.0, 3.0])
def test_the_same_ratios_are_no_slow_down_on_any_machine(
    machine: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_with(monkeypatch, timings_of(BEFORE, machine)) == 0
    assert "Slower than the baseline: nothing." in capsys.readouterr().out


@pytest.mark.parametrize("sign", [1, -1])
def test_noise_is_accepted(
    sign: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All figures off by nine tenths of what is tolerated."""
    noisy = {
        name: ratio * (1 + 0.9 * check.TOLERANCES[check.reference_of(name)]) ** sign
        for name, ratio in BEFORE.items()
    }
    assert check_with(monkeypatch, timings_of(noisy)) == 0
    output = capsys.readouterr().out
    assert "Slower than the baseline: nothing." in output
    assert "Faster" not in output


@pytest.mark.parametrize("name", BEFORE)
def test_a_slow_down_of_any_figure_is_noticed_and_named(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = {**BEFORE, name: BEFORE[name] * 1.6}
    assert check_with(monkeypatch, timings_of(slow)) == 1
    assert f"Slower than the baseline: {name} (1.60 times).\n" in capsys.readouterr().out


def test_a_fifth_more_time_in_compiled_code_is_a_slow_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = {**BEFORE, "random_play/4": BEFORE["random_play/4"] * 1.2}
    assert check_with(monkeypatch, timings_of(slow)) == 1


def test_what_is_slow_only_once_is_noise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = {**BEFORE, "game_play": BEFORE["game_play"] * 2}
    assert check_with(monkeypatch, timings_of(slow), timings_of(BEFORE)) == 0
    assert "Measuring again, as these look slower: game_play" in capsys.readouterr().err


def test_what_became_faster_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = {**BEFORE, "copy": BEFORE["copy"] / 2}
    assert check_with(monkeypatch, timings_of(fast)) == 0
    assert "Faster: copy (0.50 times)." in capsys.readouterr().out


def test_figures_without_a_counterpart_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {name: ratio for name, ratio in BEFORE.items() if name != "copy"} | {"new": 1.0}
    assert check_with(monkeypatch, timings_of(changed)) == 0
    output = capsys.readouterr().out
    assert "Not in the baseline: new." in output
    assert "Not measured: copy." in output


def test_two_threads_are_not_judged_without_a_second_core(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    busy = timings_of({**BEFORE, "random_play_threads_2/4": 1000.0})
    busy["reference/compiled_threads_2"] = busy["reference/compiled"]
    assert check_with(monkeypatch, busy) == 0
    assert "random_play_threads_2/4" in capsys.readouterr().out.partition("Not measured:")[2]


def test_update_stores_what_the_next_check_compares_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "baseline.json"
    monkeypatch.setattr(check, "measure_all", lambda quick: timings_of({"copy": 0.5}))
    assert check.main(["--update", "--baseline", str(path)]) == 0
    assert check.read_baseline(path)["ratios"] == {"copy": 0.5}
    assert check.read_baseline(path)["machine"] == timing.machine()
    assert check.main(["--baseline", str(path)]) == 0
    monkeypatch.setattr(check, "measure_all", lambda quick: timings_of({"copy": 0.6}))
    assert check.main(["--baseline", str(path)]) == 1


def test_an_update_that_fails_leaves_the_old_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "baseline.json"
    check.write_baseline(path, {"copy": 0.5})

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        check.write_baseline(path, {"copy": 0.7})
    assert check.read_baseline(path)["ratios"] == {"copy": 0.5}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "cannot be read"),
        ("{", "not JSON"),
        ("[]", "not a baseline of format"),
        ('{"format": "ra-benchmark/2"}', "not a baseline of format"),
        ('{"format": "ra-benchmark/1", "machine": {}}', "must be a positive number"),
        ('{"format": "ra-benchmark/1", "machine": {}, "ratios": {"copy": 0.0}}', "positive number"),
        ('{"format": "ra-benchmark/1", "machine": {}, "ratios": {"copy": NaN}}', "positive number"),
        ('{"format": "ra-benchmark/1", "ratios": {"copy": 0.5}}', "must say where"),
    ],
)
def test_a_broken_baseline_is_refused_with_the_reason(
    text: str | None, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "baseline.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as exit_:
        check.main(["--baseline", str(path)])
    assert exit_.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.compiled
def test_the_real_check_compares_every_figure() -> None:
    """Rough figures: whether they are slower is left open."""
    done = run_script("benchmarks.check", "--quick")
    assert done.returncode in (0, 1), done.stderr
    assert "Slower than the baseline:" in done.stdout
    assert all(name in done.stdout for name in BEFORE)
    assert "Not in the baseline" not in done.stdout


# --- peers ---------------------------------------------------------------------------------------

OPEN_SPIEL = {f"open_spiel/{game}" for game in ("hearts", "crazy_eights", "goofspiel")}
CONNECT_FOUR = {"connect_four_v3/raw", "connect_four_v3/wrapped"}
OURS = {f"ra_env/{players}" for players in PLAYERS} | {"ra_v0/raw", "ra_v0/wrapped"}


@pytest.mark.compiled
def test_peers_prints_ratios_to_ours_and_names_what_is_missing() -> None:
    done = run_script("benchmarks.peers", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    names = set(OURS)
    for module, package, peers_ in (
        ("pyspiel", "open_spiel", OPEN_SPIEL),
        ("pygame", "pygame-ce", CONNECT_FOUR),
    ):
        is_there = find_spec(module) is not None
        assert is_there == (f"{package} is missing" not in done.stderr)
        names |= peers_ if is_there else set()
    steps, ratios = figures["ns_per_step"], figures["ratio"]
    assert set(steps) == set(ratios) == names
    assert all(number > 0 for number in (*steps.values(), *ratios.values()))
    for name in names:
        assert ratios[name] == pytest.approx(steps[name] / steps[peers.ours(name)])
        assert name in peers.as_text(figures)


def test_each_peer_is_compared_with_its_like() -> None:
    assert peers.ours("open_spiel/hearts") == peers.ours("ra_env/2") == "ra_env/4"
    assert peers.ours("connect_four_v3/raw") == "ra_v0/raw"
    assert peers.ours("connect_four_v3/wrapped") == "ra_v0/wrapped"


@pytest.mark.parametrize("wrapped", [False, True])
def test_episodes_count_the_steps_of_players_alone(wrapped: bool) -> None:
    """Two episodes of two players; at the end each leaves with a step that does not count."""
    counted = peers.aec_episodes(ra_v0, wrapped, 2, num_players=2).run()
    assert 2 * 40 < counted < 2 * 200


@pytest.mark.parametrize(
    ("module", "package", "left_out"),
    [("pyspiel", "open_spiel", OPEN_SPIEL), ("pygame", "pygame-ce", CONNECT_FOUR)],
)
def test_without_a_library_the_others_are_measured(
    module: str,
    package: str,
    left_out: set[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    measured: list[str] = []

    def measure(found: Mapping[str, Workload], repetitions: int) -> dict[str, Timing]:
        measured.extend(found)
        return {name: Timing(1.0, 0.0) for name in found}

    monkeypatch.setattr(peers, "measure", measure)
    peers.main(["--quick"])
    assert set(measured) >= OURS
    assert not left_out & set(measured)
    assert f"{package} is missing" in capsys.readouterr().err
