"""The command line `ra-env`: one function for each command.

The composition root: this module alone may import agents, training and benchmarks, and each only in
the command that uses it, so that the others start fast. A wrong argument is answered with what is
right, exit code 2, and no traceback.
"""

import json
import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

try:
    import typer
except ImportError:
    raise SystemExit(
        "the command line needs some more packages: pip install 'ra-env[cli]'"
    ) from None

from training.options import with_settings

if TYPE_CHECKING:
    from benchmarks.plan import Plan
    from ra_env.agent import Agent
    from ra_env.game import Game
    from training.settings import Settings

app = typer.Typer(
    name="ra-env",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="""The auction game Ra for 2 to 5 players: play it, watch agents, compare them.

    Agents are given by name, with parameters if they have some: `heuristic`,
    `mcts:sims=1000,c=1.2`, or the path of a policy file. `ra-env agents` lists them.

    Start with `ra-env play`, or with `ra-env match heuristic random`.
    """,
)


def main() -> None:
    """Run the command line."""
    app()


class OnError(str, Enum):
    """What happens when an agent fails."""

    stop = "stop"
    skip = "skip"


# --- options that several commands have ----------------------------------------------------------

Players = Annotated[int, typer.Option(min=2, max=5, help="Players at the table.")]
GameSeed = Annotated[
    int | None,
    typer.Option(min=0, max=2**64 - 1, help="Seed of the game; a random one if not given."),
]
FirstSeed = Annotated[int, typer.Option("--seed", min=0, help="First seed; others follow it.")]
Save = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Add the game's record to this file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]
Delay = Annotated[float, typer.Option(min=0.0, help="Seconds between moves, on a terminal.")]
Step = Annotated[bool, typer.Option("--step", help="Wait for the enter key after each move.")]
Games = Annotated[int, typer.Option(min=1, help="Games to play; rounded up to whole seeds.")]
Processes = Annotated[
    int, typer.Option(min=1, help="Processes that play. The result does not depend on it.")
]
UntilClear = Annotated[
    bool, typer.Option("--until-clear", help="Stop as soon as the answer is clear.")
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="End an agent that takes longer for a decision."),
]
OnErrorOption = Annotated[
    OnError,
    typer.Option(help="When an agent fails: stop, or skip the seed and go on."),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep finished games here; the same command continues."),
]
KeepRecords = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the records of all games.")
]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a CSV table.")]
Picture = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw a picture: .png, .svg or .pdf.")
]


# --- single games --------------------------------------------------------------------------------


@app.command()
def play(
    players: Players = 4,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="An opponent; repeat it for several. [heuristic]"),
    ] = None,
    seat: Annotated[int, typer.Option(min=0, max=4, help="Where you sit.")] = 0,
    hints: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Show what this agent thinks of each move.")
    ] = None,
    seed: GameSeed = None,
    save: Save = None,
) -> None:
    """Play yourself, against agents.

    Type the number of a move or its text; `?` helps, `q` leaves.

        ra-env play --players 3 --hints heuristic

        ra-env play --against heuristic --against random --seed 7 --save games.jsonl
    """
    from agents.human import Human, QuitGame, make_advisor
    from benchmarks.files import check_folders
    from benchmarks.plan import check_agents
    from benchmarks.play import AgentFailed, moves_of
    from ra_env.game import Game
    from ra_env.terminal import draw, result_lines, told

    with _explained():
        if seat >= players:
            raise ValueError(f"there is no seat {seat}; seats are 0 to {players - 1}")
        names = _seated(against or ["heuristic"], players - 1)
        agents = [_agent(name) for name in names]
        check_agents([] if hints is None else [hints])
        advisor = None if hints is None else make_advisor(hints)
        check_folders(save)
        game = Game(players, seed=_seed(seed))
    names.insert(seat, "human")
    agents.insert(seat, Human(draw=lambda state: "\n" + draw(state, names), advisor=advisor))
    print(f"Seed {game.seed}. You are seat {seat}.")
    try:
        for lines in told(game, moves_of(game, agents), names):
            print(*lines, sep="\n")
        print("", draw(game.state, names), "", *result_lines(game, names), sep="\n")
    except KeyboardInterrupt:
        print("\nYou left the game.")
    except AgentFailed as failed:
        if not isinstance(failed.__cause__, QuitGame):
            _fail(f"{names[failed.seat]} at seat {failed.seat} failed: {failed.reason}")
        print("You left the game.")
    finally:
        _save(save, game, names)


@app.command()
def watch(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT...", help="Who plays; repeated to fill the table.")
    ],
    players: Players = 4,
    seed: GameSeed = None,
    delay: Delay = 0.8,
    step: Step = False,
    save: Save = None,
    as_json: Json = False,
) -> None:
    """Watch agents play, move by move.

    The same seed and agents give the game of a match or tournament.

        ra-env watch heuristic random --players 4 --seed 7

        ra-env watch heuristic --players 2 --json > game.json
    """
    from benchmarks.files import check_folders
    from benchmarks.play import AgentFailed, moves_of
    from ra_env.game import Game

    with _explained():
        names = _seated(agents, players)
        seated = [_agent(name) for name in names]
        check_folders(save)
        game = Game(players, seed=_seed(seed))
    moves = moves_of(game, seated)
    try:
        if as_json:
            for _ in moves:
                pass
            print(json.dumps(game.to_record(agents=names)))
        else:
            print(f"Seed {game.seed}.")
            _show(game, moves, names, delay, step)
    except AgentFailed as failed:
        _fail(f"{names[failed.seat]} at seat {failed.seat} failed: {failed.reason}")
    finally:
        _save(save, game, names)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of game records.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file to show.")] = 1,
    check: Annotated[
        bool, typer.Option("--check", help="Show nothing; check every move of every game.")
    ] = False,
    delay: Delay = 0.8,
    step: Step = False,
    as_json: Json = False,
) -> None:
    """Show a recorded game move by move, or check a whole file.

    Either way every move and every score is replayed; the first that is wrong is named, and the
    exit code is 1.

        ra-env replay games.jsonl --game 3 --step

        ra-env replay games.jsonl --check --json
    """
    from ra_env.errors import RecordError
    from ra_env.game import Game
    from ra_env.notation import parse_move
    from ra_env.record import read_games, read_records

    try:
        if check or as_json:
            count = sum(1 for _ in read_games(file))
            right = f"{file}: {_games(count)}, every move is right"
            print(json.dumps({"file": str(file), "games": count, "ok": True}) if as_json else right)
            return
        records = [record for _, record in read_records(file)]
        if game > len(records):
            held = _games(len(records))
            raise typer.BadParameter(f"{file} has {held}, so there is no game {game}")
        record = records[game - 1]
        played = Game.from_record(record)
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}") from None
    except RecordError as error:
        if as_json:
            print(json.dumps({"file": str(file), "ok": False, "error": str(error)}))
        _fail(str(error))
    names = record.get("agents") or [f"player {i}" for i in range(played.num_players)]
    shown = Game(rules=played.rules, seed=played.seed, suns=_deal(played))
    moves = (shown.play(move.action, tile=move.tile) for move in map(parse_move, played.moves))
    _show(shown, moves, names, delay, step)


# --- comparing -----------------------------------------------------------------------------------


@app.command()
def match(
    challenger: Annotated[str, typer.Argument(metavar="CHALLENGER", help="Sits at one seat.")],
    field: Annotated[str, typer.Argument(metavar="FIELD", help="Sits at all other seats.")],
    players: Players = 4,
    games: Games = 1000,
    seed: FirstSeed = 0,
    until_clear: UntilClear = False,
    processes: Processes = 1,
    time_limit: TimeLimit = None,
    on_error: OnErrorOption = OnError.stop,
    out: Out = None,
    keep_records: KeepRecords = None,
    as_json: Json = False,
    csv: CsvFile = None,
    picture: Picture = None,
) -> None:
    """One agent against a table of copies of another.

    Every seed is played with the challenger at each seat in turn. Intervals are 95 %.

        ra-env match heuristic random --players 4 --games 2000

        ra-env match mcts:sims=300 heuristic --players 2 --until-clear --processes 2 --json
    """
    from benchmarks.plan import Plan

    with _explained():
        plan = Plan.match(challenger, field, players, games, seed)
    _contest(
        plan,
        until_clear=until_clear,
        processes=processes,
        time_limit=time_limit,
        on_error=on_error.value,
        out=out,
        keep_records=keep_records,
        as_json=as_json,
        csv=csv,
        picture=picture,
    )


@app.command()
def tournament(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Two agents or more.")],
    players: Players = 4,
    games: Games = 1000,
    seed: FirstSeed = 0,
    until_clear: UntilClear = False,
    processes: Processes = 1,
    time_limit: TimeLimit = None,
    on_error: OnErrorOption = OnError.stop,
    out: Out = None,
    keep_records: KeepRecords = None,
    as_json: Json = False,
    csv: CsvFile = None,
    picture: Picture = None,
) -> None:
    """All agents at mixed tables, rated by their finishing orders.

    Every seed is played in several arrangements, with each agent at each seat equally often. The
    order of the agents on the command line does not matter.

        ra-env tournament heuristic random mcts:sims=100 --players 3 --games 600

        ra-env tournament heuristic random --out runs/cup --picture cup.png --csv cup.csv
    """
    from benchmarks.plan import Plan

    with _explained():
        plan = Plan.tournament(agents, players, games, seed)
    _contest(
        plan,
        until_clear=until_clear,
        processes=processes,
        time_limit=time_limit,
        on_error=on_error.value,
        out=out,
        keep_records=keep_records,
        as_json=as_json,
        csv=csv,
        picture=picture,
    )


def _contest(plan: "Plan", **wishes: Any) -> None:
    from benchmarks.command import Wishes, play_and_report, prepare

    wanted = Wishes(**wishes)
    with _explained():
        store = prepare(plan, wanted)
    raise typer.Exit(play_and_report(plan, wanted, store))


# --- training -----------------------------------------------------------------------------------


@app.command()
@with_settings
def train(
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the run. [runs/ and the time it begins]"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out from its checkpoint.")
    ] = False,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file of settings; options go first.")
    ] = None,
    final_games: Annotated[
        int, typer.Option(min=1, help="Games in each line of the table at the end.")
    ] = 400,
    changes: dict[str, Any] = {},  # noqa: B006 - with_settings fills it; nobody changes it
) -> None:
    """Train an agent by self-play, and measure it.

    One network learns to play at 2 to 5 players, from every seat that it has. Ctrl-C saves and
    stops.

        ra-env train

        ra-env train --minutes 30 --players 4 --out runs/four

        ra-env train --resume --out runs/four --minutes 60
    """
    from time import strftime

    with _explained():
        if resume and (out is None or config is not None):
            raise ValueError("--resume goes on with the run in --out DIR, and takes no --config")
        settings = _training_settings(config, changes)
        _need_training()
        from training.command import train_and_report
        from training.run import begin, warm_up
        from training.run import resume as go_on

        folder = Path("runs") / strftime("%Y-%m-%d-%H%M%S") if out is None else out
        run = go_on(folder, changes) if resume else begin(settings, folder)
    typer.echo("Getting compiled code ready; after an installation this takes a minute or two.")
    warm_up(run)
    raise typer.Exit(train_and_report(run, final_games))


@app.command()
def evaluate(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="A policy file, or any agent.")],
    players: Annotated[
        list[int] | None,
        typer.Option(min=2, max=5, help="Players at the table; repeat it. [2 to 5]"),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games in each line; fewer are less sure. [2000]")
    ] = None,
    processes: Processes = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the result as JSON too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure an agent with the yardstick: fixed opponents, seeds and numbers of games.

    So that ways of training can be compared. docs/leaderboard.md collects the results.

        ra-env evaluate runs/mine/policy.safetensors --processes 2

        ra-env evaluate ppo --players 4 --out ppo.json
    """
    from benchmarks.command import evaluate_and_report
    from benchmarks.files import check_folders
    from benchmarks.plan import check_agents

    with _explained():
        check_agents([agent])
        check_folders(out)
    raise typer.Exit(evaluate_and_report(agent, players, games, processes, out, as_json))


def _training_settings(config: Path | None, changes: dict[str, Any]) -> "Settings":
    """Defaults, then the file, then the options."""
    from training.settings import Settings

    values = {} if config is None else Settings.from_toml(config).to_dict()
    return Settings.from_dict(values | changes)


def _need_training() -> None:
    try:
        import sb3_contrib  # noqa: F401 - only whether it is there
    except ImportError:
        _fail("training needs some more packages: pip install 'ra-env[train]', or make train")


# --- about this installation ---------------------------------------------------------------------


@app.command()
def agents(as_json: Json = False) -> None:
    """List the agents and their parameters.

    ra-env agents
    """
    from benchmarks.agent_list import describe_agents

    found = describe_agents()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for agent in found:
        print(f"{agent['name']}: {agent['description']}")
        for name, default in agent["parameters"].items():
            print(f"    {name}={default}")
    print("\nYour own agent in this list: docs/own_agent.md")


@app.command()
def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Rough figures in a short time.")] = False,
    as_json: Json = False,
) -> None:
    """Measure the speed of the engine on this machine.

    ra-env bench --quick
    """
    from benchmarks.throughput import as_text, measure_all, report

    figures = report(measure_all(quick))
    print(json.dumps(figures, indent=2) if as_json else as_text(figures))


# --- helpers -------------------------------------------------------------------------------------


@contextmanager
def _explained() -> Iterator[None]:
    """What is wrong with an argument becomes a message about usage."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from None


def _fail(message: str) -> NoReturn:
    """Say what went wrong and leave."""
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(1)


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


def _seed(seed: int | None) -> int:
    return secrets.randbits(32) if seed is None else seed


def _seated(names: Sequence[str], seats: int) -> list[str]:
    """One name for each seat: those given, and from the first again while seats are free."""
    if len(names) > seats:
        raise ValueError(f"{len(names)} agents are too many for {seats} seats")
    return [names[i % len(names)] for i in range(seats)]


def _agent(name: str) -> "Agent":
    from benchmarks.plan import check_agents
    from ra_env.agent import make_agent

    check_agents([name])
    return make_agent(name)


def _save(path: Path | None, game: "Game", names: Sequence[str]) -> None:
    from ra_env.record import append_game

    if path is not None:
        append_game(path, game.to_record(agents=names))
        typer.echo(f"Added to {path}.", err=True)


def _show(
    game: "Game", moves: Iterable[str], names: Sequence[str], delay: float, step: bool
) -> None:
    from ra_env.terminal import Leave, pause_for, pause_for_key, show_game

    wait = pause_for(delay if sys.stdout.isatty() else 0)
    try:
        show_game(game, moves, names, pause_for_key if step else wait)
    except (Leave, KeyboardInterrupt):
        print()


def _deal(game: "Game") -> list[list[int]]:
    """The suns of each seat at the start."""
    suns: list[list[int]] = game.to_record()["suns"]
    return suns


if __name__ == "__main__":
    main()
