"""The yardstick: fixed games, one line for each table, and the same figures as a match gives."""

import io

import pytest
from rich.console import Console

from benchmarks import yardstick
from benchmarks.contest import run
from benchmarks.match import summary
from benchmarks.plan import Plan
from ra_env.agent import AgentError

pytestmark = pytest.mark.compiled


def test_every_table_has_a_line_with_the_figures_of_a_match() -> None:
    told = []
    result = yardstick.measure(
        "random", players=(2, 3), games=12, progress=lambda done, total: told.append((done, total))
    )
    lines = [(row["players"], row["field"]) for row in result["rows"]]
    assert lines == [(n, f) for n in (2, 3) for f in ("random", "heuristic", "itself")]
    assert told[-1] == (72, 72)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    wanted = summary(run(Plan.match("random", "heuristic", 3, 12, yardstick.FIRST_SEED)))
    line = result["rows"][4]
    assert line["win_rate"] == wanted["challenger"]["win_rate"]
    assert line["ci95"] == wanted["challenger"]["ci95"]
    assert line["winning_score"] == wanted["winning_score"]


def test_the_table_fits_a_terminal() -> None:
    result = yardstick.measure("random", players=(2,), games=4)
    text = io.StringIO()
    Console(file=text, width=80).print(yardstick.yardstick_table(result))
    assert "…" not in text.getvalue()
    assert "heuristic" in text.getvalue()
    assert "Seeds from 5,000,000 on." in text.getvalue()


def test_an_agent_that_does_not_exist_is_named() -> None:
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        yardstick.measure("nobody")
