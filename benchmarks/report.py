"""Summaries of matches and tournaments for people: tables in a terminal, and CSV."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table

from benchmarks.files import write_whole
from ra_env.scoring import CATEGORIES

Summary = dict[str, Any]


def match_report(summary: Summary) -> RenderableType:
    """A match in the terminal."""
    challenger, field = summary["challenger"], summary["field"]
    copies = summary["players"] - 1
    table = _agent_table(
        f"{challenger['name']} against {copies} x {field['name']}", [challenger, field], []
    )
    sentences = [
        f"{challenger['name']} wins {_share(challenger['win_rate'])} of games "
        f"{_interval(challenger['ci95'], _share)}; its fair share is "
        f"{_share(summary['fair_share'])}: {_VERDICTS[summary['verdict']]}.",
        f"On the same seeds it scores {summary['score_difference']:+.1f} points "
        f"{_interval(summary['score_difference_ci95'], _signed)} compared with the field.",
        *_closing(summary),
    ]
    return Group(table, *sentences)


def tournament_report(summary: Summary) -> RenderableType:
    """A tournament in the terminal."""
    agents = summary["agents"]
    rating = [
        ("rating", lambda agent: f"{agent['rating']:+.0f}"),
        ("95 %", lambda agent: _interval(agent["rating_ci95"], "{:+.0f}".format)),
    ]
    table = _agent_table(f"{summary['players']} players, mixed tables", agents, rating)
    return Group(table, "", _pair_table(summary["pairs"]), *_closing(summary))


def to_csv(summary: Summary) -> str:
    """One line for each agent."""
    agents = summary.get("agents") or [summary["challenger"], summary["field"]]
    rows = [
        {
            "players": summary["players"],
            "games": summary["games"],
            "seeds": summary["seeds"],
            "first_seed": summary["first_seed"],
            **_flat(agent),
        }
        for agent in agents
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_csv(path: Path, summary: Summary) -> None:
    """Write the CSV of a summary, whole or not at all."""
    write_whole(path, to_csv(summary).encode())


def _flat(agent: Summary) -> Summary:
    """An agent's figures, each in a column of its own."""
    row: Summary = {}
    for key, value in agent.items():
        if key.endswith("ci95"):
            low, high = value or (None, None)
            row |= {f"{key}_low": low, f"{key}_high": high}
        elif key == "places":
            row |= {f"place_{place}": share for place, share in enumerate(value, start=1)}
        elif key == "points":
            row |= {f"points_{category}": points for category, points in value.items()}
        else:
            row[key] = value
    return row


# --- tables --------------------------------------------------------------------------------------

_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th")
_VERDICTS = {
    "stronger": "clearly stronger",
    "weaker": "clearly weaker",
    "not clear": "no clear difference",
}


def _agent_table(
    title: str, agents: Sequence[Summary], first: Sequence[tuple[str, Any]]
) -> RenderableType:
    players = len(agents[0]["places"])
    columns = [
        *first,
        ("wins", lambda agent: _share(agent["win_rate"])),
        ("95 %", lambda agent: _interval(agent["ci95"], _share)),
        ("score", lambda agent: f"{agent['mean_score']:.1f}"),
        ("95 %", lambda agent: _interval(agent["score_ci95"], "{:.1f}".format)),
        ("place", lambda agent: f"{agent['mean_rank']:.2f}"),
    ]
    places = _table("")
    for place in range(players):
        places.add_column(f"{_ORDINALS[place]} %", justify="right")
    for category in CATEGORIES:
        places.add_column(category, justify="right")
    main = _table(title)
    for heading, _ in columns:
        main.add_column(heading, justify="right")
    for agent in agents:
        main.add_row(agent["name"], *(show(agent) for _, show in columns))
        places.add_row(
            agent["name"],
            *(f"{100 * share:.1f}" for share in agent["places"]),
            *(f"{agent['points'][category]:.1f}" for category in CATEGORIES),
        )
    return Group(main, "", places)


def _pair_table(pairs: Sequence[Summary]) -> Table:
    table = _table("")
    for heading in ("other", "placed before it", "95 %", "points more", "95 %"):
        table.add_column(heading, justify="right")
    for pair in pairs:
        table.add_row(
            pair["agent"],
            pair["other"],
            "-" if pair["ahead"] is None else _share(pair["ahead"]),
            _interval(pair["ahead_ci95"], _share),
            f"{pair['score_difference']:+.1f}",
            _interval(pair["score_difference_ci95"], _signed),
        )
    return table


def _table(title: str) -> Table:
    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", padding=0)
    table.add_column("agent", overflow="fold")
    return table


def _closing(summary: Summary) -> list[str]:
    """What was played, and what was not."""
    seeds = "one seed" if summary["seeds"] == 1 else f"{summary['seeds']} seeds"
    lines = [
        f"Mean winning score {summary['winning_score']:.1f} "
        f"{_interval(summary['winning_score_ci95'], '{:.1f}'.format)}. "
        f"{summary['games']} games with {seeds} from {summary['first_seed']} on.",
    ]
    if summary["failures"]:
        failed = len({record["seed"] for record in summary["failures"]})
        lines.append(f"Left out because an agent failed: {failed} of the seeds.")
    if summary["stopped_when_clear"]:
        lines.append("Stopped early: the answer is clear.")
    elif summary["intervals"] == "anytime":
        lines.append("Not clear yet after all games.")
    if summary["interrupted"]:
        lines.append("Interrupted: these are the games that were finished.")
    return lines


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _signed(number: float) -> str:
    return f"{number:+.1f}"


def _interval(interval: Sequence[float] | None, show: Any) -> str:
    """An interval in brackets; without units, which stand before it."""
    if interval is None:
        return "(one seed: unknown)"
    low, high = (show(end).removesuffix(" %") for end in interval)
    return f"({low} to {high})"
