"""A fixed yardstick for any policy: the same opponents, seeds and numbers of games for everybody.

So figures of different training methods can be put side by side. The seeds are for measuring what
is finished, not for training or tuning.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rich import box
from rich.table import Table

from benchmarks.contest import run
from benchmarks.match import summary
from benchmarks.plan import Plan, check_agents
from benchmarks.results import versions
from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS

FORMAT: Final = "ra-yardstick/1"
FIELDS: Final = ("random", "heuristic")
"""Who sits at the other seats."""
ITSELF: Final = "itself"
"""A third field, the agent's own copies: shows which score wins when all play alike."""
FIRST_SEED: Final = 5_000_000
GAMES: Final = 2000
"""Games for each number of players and field, rounded up to whole seeds."""
PLAYERS: Final = tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))


def measure(
    agent: str,
    *,
    players: Sequence[int] = PLAYERS,
    games: int = GAMES,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Play the yardstick's games; `progress` is told how many of them are finished."""
    check_agents([agent])
    fields = {**dict(zip(FIELDS, FIELDS, strict=True)), ITSELF: agent}
    plans = [
        (field, Plan.match(agent, name, number, games, FIRST_SEED))
        for number in players
        for field, name in fields.items()
    ]
    total = sum(plan.seeds * plan.games_per_seed for _, plan in plans)
    rows: list[dict[str, Any]] = []
    before = 0
    for field, plan in plans:

        def tell(done: int, _: int, before: int = before) -> None:
            progress(before + done, total)

        outcome = run(plan, processes=processes, progress=tell)
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        if outcome.failures:
            raise RuntimeError(f"{outcome.failures[0].agent} failed: {outcome.failures[0].reason}")
        rows.append(_row(field, summary(outcome)))
        before += plan.seeds * plan.games_per_seed
    return {
        "format": FORMAT,
        "agent": agent,
        "first_seed": FIRST_SEED,
        "rows": rows,
        "versions": versions([agent]),
    }


def _row(field: str, result: dict[str, Any]) -> dict[str, Any]:
    challenger = result["challenger"]
    return {
        "players": result["players"],
        "field": field,
        "games": result["games"],
        "seeds": result["seeds"],
        "win_rate": challenger["win_rate"],
        "ci95": challenger["ci95"],
        "fair_share": result["fair_share"],
        "mean_score": challenger["mean_score"],
        "mean_rank": challenger["mean_rank"],
        "winning_score": result["winning_score"],
        "winning_score_ci95": result["winning_score_ci95"],
    }


def yardstick_table(result: dict[str, Any]) -> Table:
    """The yardstick in the terminal."""
    table = Table(
        title=f"{result['agent']} at one seat, a table of others at the rest",
        caption=f"Brackets and +- are 95 % intervals. Seeds from {result['first_seed']:,} on.",
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
        padding=(0, 1, 0, 0),
    )
    for heading in ("players", "against", "wins", "fair", "score", "winner's score", "games"):
        side = "left" if heading == "against" else "right"
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]  # a literal
    for row in result["rows"]:
        is_self_play = row["field"] == ITSELF
        table.add_row(
            str(row["players"]) if row["field"] == FIELDS[0] else "",
            row["field"],
            "" if is_self_play else share_with_interval(row["win_rate"], row["ci95"]),
            "" if is_self_play else f"{100 * row['fair_share']:.0f} %",
            f"{row['mean_score']:.1f}",
            _mean_with_interval(row["winning_score"], row["winning_score_ci95"]),
            str(row["games"]),
            end_section=is_self_play,
        )
    return table


def share_with_interval(share: float, interval: Sequence[float] | None) -> str:
    """A win rate as people read it: `23.5 % (20.1-27.2)`."""
    text = f"{100 * share:.1f} %"
    return f"{text} ({100 * interval[0]:.1f}-{100 * interval[1]:.1f})" if interval else text


def _mean_with_interval(mean: float, interval: Sequence[float] | None) -> str:
    return f"{mean:.1f} +- {(interval[1] - interval[0]) / 2:.1f}" if interval else f"{mean:.1f}"
