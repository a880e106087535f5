"""The command line: every command works, teaches, and answers a wrong argument with a right one."""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import doubles
import pytest
from typer.testing import CliRunner

from ra_env import Game
from ra_env.cli import app
from ra_env.record import read_games

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    *("play", "watch", "replay", "match", "tournament"),
    *("train", "evaluate", "agents", "bench"),
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With agents to play with, in plain text, and wide enough for any line."""
    doubles.install(tmp_path / "doubles", monkeypatch)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")


def call(*arguments: str, answers: str = "", code: int = 0) -> Any:
    """Run a command; what it prints is in `stdout` and `stderr`."""
    result = CliRunner().invoke(app, arguments, input=answers)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def words(text: str) -> str:
    """A text without the frames and line breaks of messages."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


# --- help and errors -----------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    """`ra-env` alone teaches too."""
    assert all(f" {command} " in call("--help").stdout for command in COMMANDS)
    assert all(command in call(code=2).output for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    """The help of a command shows how it is called."""
    assert f"ra-env {command}" in words(call(command, "--help").stdout).partition("Usage")[2]
    assert words(call(command, "--help").stdout).count(f"ra-env {command}") >= 2


HEAVY = (
    *("agents", "benchmarks", "training.learner", "training.run"),
    *("torch", "stable_baselines3", "sb3_contrib", "numba", "scipy", "matplotlib"),
)


@pytest.mark.parametrize("arguments", [["--help"], ["match", "--help"], ["train", "--help"]])
def test_help_starts_without_anything_heavy(arguments: list[str]) -> None:
    """Neither what plays, learns or measures is imported, nor packages that only some need. The
    names of training's settings are light, and are there."""
    program = (
        "import sys\n"
        "from ra_env.cli import app\n"
        f"try:\n    app({arguments})\n"
        "except SystemExit:\n    pass\n"
        f"print(sorted({set(HEAVY)} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "fist", "random"], "unknown agent 'fist'; known agents: cheats, dies, first"),
        (["match", "last:skop=1", "random"], "no parameter 'skop'; parameters: skip=0"),
        (
            ["match", "last:skip=x", "random"],
            "'skip' of agent 'last' must be a whole number, not 'x'",
        ),
        (["match", "first", "random", "--players", "6"], "less than or equal to 5"),
        (["match", "first", "random", "--games", "0"], "greater than or equal to 1"),
        (["match", "first", "random", "--on-error", "cry"], "'stop'"),
        (["match", "first", "random", "--time-limit", "0"], "a number of seconds above 0, not 0"),
        (["match", "first", "random", "--time-limit", "nan"], "seconds above 0, not nan"),
        (["match", "first", "random", "--csv", "no/where.csv"], "there is no folder no"),
        (["match", "first", "random", "--picture", "a.gif"], "ending in .png, .svg, .pdf"),
        (["match", "first"], "'FIELD'"),
        (["tournament", "first"], "a tournament needs at least two agents"),
        (["tournament", "first", "first"], "agent 'first' is there twice"),
        (["watch", "first", "last", "random", "--players", "2"], "3 agents are too many for 2"),
        (["play", "--seat", "4"], "there is no seat 4; seats are 0 to 3"),
        (["play", "--against", "first", "--hints", "random"], "'random' cannot give hints"),
        (["replay", "nothing.jsonl"], "nothing.jsonl cannot be read: No such file"),
        (["replays"], "No such command 'replays'"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_argument_is_answered_with_what_is_right(
    arguments: list[str], message: str
) -> None:
    """Exit code 2, a message, no traceback, and no file."""
    result = call(*arguments, code=2)
    assert message in words(result.stderr)
    assert "Traceback" not in result.output
    assert list(Path().iterdir()) == []


# --- single games --------------------------------------------------------------------------------


def test_watching_shows_every_move_and_the_result() -> None:
    """One line a move, the points of each epoch, the ranking; the same seed, the same game."""
    result = call("watch", "first", "random", "--players", "3", "--seed", "5", "--save", "g.jsonl")
    (game,) = read_games("g.jsonl")
    lines = result.stdout.splitlines()
    assert sum(line.startswith("seat ") for line in lines) == len(game.moves)
    assert sum(line.startswith("--- epoch") for line in lines) == 3
    winner = game.ranking()[0]
    assert f"(seat {winner}): {game.scores[winner]} points" in lines[-3]
    again = json.loads(
        call("watch", "first", "random", "--players", "3", "--seed", "5", "--json").stdout
    )
    assert again == game.to_record(agents=["first", "random", "first"])


def test_a_game_of_a_match_can_be_watched() -> None:
    """The seed and the agents of a record give the same game."""
    call("match", "first", "random", "--players", "2", "--games", "2", "--keep-records", "m.jsonl")
    for game, names in zip(
        read_games("m.jsonl"), (["first", "random"], ["random", "first"]), strict=True
    ):
        arguments = ("watch", *names, "--players", "2", "--seed", str(game.seed), "--json")
        assert json.loads(call(*arguments).stdout)["moves"] == game.moves


def test_watching_an_agent_that_fails_names_it() -> None:
    """The game up to there is saved all the same."""
    result = call("watch", "cheats", "first", "--seed", "1", "--save", "g.jsonl", code=1)
    assert "cheats at seat" in result.stderr
    assert "IllegalAction" in result.stderr
    (game,) = read_games("g.jsonl")
    assert game.epoch == 2


def test_a_person_plays_and_leaves() -> None:
    """Answers are moves; `q` leaves, and the game so far is saved."""
    result = call(
        *("play", "--players", "2", "--against", "first", "--seed", "7", "--save", "g.jsonl"),
        *("--hints", "heuristic"),
        answers="draw\n1\nq\n",
    )
    assert "<- best" in result.stdout
    assert "You left the game." in result.stdout
    (game,) = read_games("g.jsonl")
    mine = [move for move in game.moves if move.startswith("0 ")]
    assert [move.split()[1] for move in mine] == ["draw", "draw"]


def test_a_person_plays_to_the_end() -> None:
    """Whoever types 1 again and again finishes a game."""
    result = call(
        *("play", "--players", "2", "--against", "first", "--seat", "1", "--seed", "3"),
        answers="1\n" * 500,
    )
    assert "game over" in result.stdout
    assert re.search(r"^1\. (human|first) \(seat [01]\): \d+ points$", result.stdout, re.M)


def test_replay_shows_and_checks() -> None:
    """A right file is shown and confirmed; in a wrong one the first wrong move is named."""
    call("watch", "first", "--players", "2", "--seed", "1", "--save", "g.jsonl")
    call("watch", "random", "--players", "2", "--seed", "2", "--save", "g.jsonl")
    assert "g.jsonl: 2 games, every move is right" in call("replay", "g.jsonl", "--check").stdout
    first, second = read_games("g.jsonl")
    shown = call("replay", "g.jsonl", "--game", "2").stdout
    assert f"{second.scores[0]} points" in shown
    assert shown.count("\nseat ") == len(second.moves)
    assert "there is no game 3" in words(call("replay", "g.jsonl", "--game", "3", code=2).stderr)
    record = first.to_record()
    record["moves"][1] = "1 bid 9"
    Path("wrong.jsonl").write_text(json.dumps(record) + "\n")
    for arguments in (["--check"], []):
        result = call("replay", "wrong.jsonl", *arguments, code=1)
        assert "move 2 ('1 bid 9')" in result.stderr
    answer = json.loads(call("replay", "wrong.jsonl", "--check", "--json", code=1).stdout)
    assert not answer["ok"]
    assert "move 2" in answer["error"]


def test_replay_goes_step_by_step() -> None:
    """Enter shows the next move, `q` leaves."""
    call("watch", "first", "--players", "2", "--seed", "1", "--save", "g.jsonl")
    result = call("replay", "g.jsonl", "--step", answers="\n\nq\n")
    assert result.stdout.count("enter: next move") == result.stdout.count(", first: ") == 3


# --- comparing -----------------------------------------------------------------------------------


def test_a_match_in_every_form() -> None:
    """JSON, CSV, picture and records of one match agree; the table shows the same figures."""
    arguments = ["match", "last", "random", "--players", "2", "--games", "20", "--seed", "9"]
    files = ["--csv", "m.csv", "--picture", "m.png", "--keep-records", "m.jsonl"]
    summary = json.loads(call(*arguments, *files, "--json").stdout)
    assert summary["games"] == 20
    assert summary["first_seed"] == 9
    rows = list(csv.DictReader(Path("m.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["last", "random"]
    assert float(rows[0]["win_rate"]) == summary["challenger"]["win_rate"]
    assert float(rows[0]["ci95_low"]) == summary["challenger"]["ci95"][0]
    games = list(read_games("m.jsonl"))
    assert len(games) == 20
    wins = sum(
        record["agents"][record["ranking"][0]] == "last"
        for record in map(json.loads, Path("m.jsonl").read_text().splitlines())
    )
    assert wins / 20 == summary["challenger"]["win_rate"]
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")
    assert f"{100 * summary['challenger']['win_rate']:.1f} %" in call(*arguments).stdout


def test_a_tournament_in_every_form_and_in_any_order() -> None:
    """The order of agents does not matter; three agents come out in JSON, CSV, table, picture."""
    arguments = ["--players", "3", "--games", "12"]
    files = ["--csv", "t.csv", "--picture", "t.svg"]
    one = call("tournament", "first", "random", "last", *arguments, *files, "--json").stdout
    other = call("tournament", "random", "last", "first", *arguments, "--json").stdout
    assert one == other
    names = [agent["name"] for agent in json.loads(one)["agents"]]
    rows = list(csv.DictReader(Path("t.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == names
    assert "</svg>" in Path("t.svg").read_text()
    table = call("tournament", "first", "random", "last", *arguments).stdout
    assert all(name in table for name in names)


def test_the_same_command_continues(tmp_path: Path) -> None:
    """A folder of finished games is used again, and another contest is refused."""
    arguments = ["match", "first", "random", "--players", "2", "--out", "m", "--games"]
    small = call(*arguments, "4", "--json").stdout
    kept = Path("m/blocks.jsonl").read_bytes()
    assert call(*arguments, "4", "--json").stdout == small
    call(*arguments, "8", "--json")
    assert Path("m/blocks.jsonl").read_bytes().startswith(kept)
    result = call("match", "last", "random", "--players", "2", "--out", "m", code=2)
    assert "m holds another contest: agents is ['first', 'random'] there" in words(result.stderr)


def test_a_failing_agent_is_reported_with_its_game() -> None:
    """Stop: exit code 1. Skip: the others count, and the failures are in the result."""
    arguments = ["match", "raises", "first", "--players", "2", "--games", "4"]
    result = call(*arguments, code=1)
    assert "agent 'raises' failed at seat" in result.stderr
    assert "KeyError: 'what now?'" in result.stderr
    record = json.loads(result.stderr.splitlines()[1])
    assert Game.from_record(record).epoch == 2
    result = call(*arguments, "--on-error", "skip", "--out", "m", code=1)
    assert "no seed was finished" in result.stderr
    assert all(game.epoch == 2 for game in read_games("m/failures.jsonl"))


@pytest.mark.compiled
def test_an_agent_that_ends_its_process_at_once_is_named() -> None:
    """Before the first game there is no record to show."""
    arguments = ["match", "leaves", "first", "--players", "2", "--games", "4", "--processes", "2"]
    message = "Error: 'leaves' ended the process (3) at its very first decision"
    assert call(*arguments, code=1).stderr.splitlines() == [message]


def test_agents_are_listed_with_their_parameters() -> None:
    """The bundled ones and anybody else's."""
    text = call("agents").stdout
    assert "last: Does what comes last in the list" in text
    assert "    skip=0" in text
    listed = {agent["name"]: agent for agent in json.loads(call("agents", "--json").stdout)}
    assert listed["last"]["parameters"] == {"skip": 0}
    assert listed["last"]["package"] == "doubles-package 1.0"
    assert {"random", "heuristic", "human"} <= listed.keys()


def test_bench_prints_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures of `benchmarks.throughput`, as text and as JSON."""
    from benchmarks import throughput

    monkeypatch.setattr(throughput, "measure_all", lambda quick: {"quick": quick})
    monkeypatch.setattr(throughput, "report", dict)
    monkeypatch.setattr(throughput, "as_text", lambda figures: f"measured {figures}")
    assert call("bench", "--quick").stdout == "measured {'quick': True}\n"
    assert json.loads(call("bench", "--json").stdout) == {"quick": False}


@pytest.mark.compiled
def test_the_example_package_plays_in_every_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`examples/own_agent`, installed with pip, is listed, watched and matched by its name."""
    package = shutil.copytree(ROOT / "examples" / "own_agent", tmp_path / "own_agent")
    site = tmp_path / "site"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"),
            *("--no-deps", "--no-index", "--no-build-isolation", "--target", str(site)),
            str(package),
        ],
        check=True,
    )
    monkeypatch.syspath_prepend(site)
    assert "eager: Invokes Ra as soon as" in call("agents").stdout
    summary = json.loads(
        call("match", "eager:tiles=2", "random", "--players", "2", "--games", "4", "--json").stdout
    )
    assert summary["versions"]["agents"]["eager:tiles=2"] == "my-ra-agent 1.0"
    record = json.loads(call("watch", "eager", "--players", "2", "--seed", "1", "--json").stdout)
    assert "0 invoke" in record["moves"]


def test_the_page_shows_the_example_as_it_is() -> None:
    """What docs/own_agent.md prints is what is in the package."""
    page = (ROOT / "docs" / "own_agent.md").read_text(encoding="utf-8")
    shown = page.partition("```python\n")[2].partition("```")[0]
    package = ROOT / "examples" / "own_agent"
    assert shown in (package / "my_ra_agent.py").read_text(encoding="utf-8")
    assert 'eager = "my_ra_agent:Eager"' in page
    assert 'eager = "my_ra_agent:Eager"' in (package / "pyproject.toml").read_text(encoding="utf-8")
