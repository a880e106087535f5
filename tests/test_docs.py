"""The documents tell the truth: their tables, examples, links and records are checked here.

A block of a page that starts with ```python is run, and with ```json it is read; a block that must
not be has another word there, like ```text. All Python blocks of a page share one namespace, in
order, and run in an empty folder. A block with `>>>` in it is a doctest: its output is compared.
"""

import doctest
import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import ra_env.game
from ra_env import Game

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
"""The pages whose examples are run."""
LINKING_PAGES = sorted({*PAGES, *ROOT.glob("*.md")})

FENCE = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^()\s]+)\)")
HEADING = re.compile(r"^#+ +(?P<title>.+?) *$", re.MULTILINE)


def load_generator() -> ModuleType:
    """docs/generate.py, which is a script and in no package."""
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = load_generator()


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    line: int
    kind: str
    body: str

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = [
        Block(page, text.count("\n", 0, match.start()) + 1, match["kind"].strip(), match["body"])
        for match in FENCE.finditer(text)
    ]
    fences = text.count("```")
    assert fences == 2 * len(found), f"{page.name}: a block does not begin and end at a line start"
    for block in found:
        is_lookalike = "py" in block.kind.lower() and block.kind != "python"
        assert not is_lookalike, f"{block.place}: {block.kind!r} would not be run; write 'python'"
    return found


def run_examples(page: Path) -> None:
    """Run the Python blocks of a page one after the other in one namespace."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.kind != "python":
            continue
        if ">>>" in block.body:
            run_doctest(block, namespace)
        else:
            # Empty lines before it, so that a traceback names the line of the page.
            code = compile("\n" * block.line + block.body, str(page), "exec")
            exec(code, namespace)


def run_doctest(block: Block, namespace: dict[str, Any]) -> None:
    """Run a block of `>>>` lines and compare what comes out."""
    example = doctest.DocTestParser().get_doctest(
        block.body, {}, block.place, str(block.page), block.line
    )
    example.globs = namespace
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=report.append, clear_globs=False)
    assert not report, "".join(report)


def records(page: Path) -> list[dict[str, Any]]:
    """The game records that a page shows in full. Other JSON only has to be JSON."""
    shown = [json.loads(block.body) for block in blocks(page) if block.kind == "json"]
    return [value for value in shown if "moves" in value]


def anchors(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    titles = [match["title"] for match in HEADING.finditer(without_blocks(page))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def without_blocks(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# --- generated tables ----------------------------------------------------------------------------


def test_generated_tables_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    """What the code says about actions, states, tiles and targets is what the pages say."""
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_every_table_is_shown() -> None:
    """A table that no page asks for is dead code."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [t for t in generate.TABLES if f"<!-- generated: {t} -->" not in text] == []


def test_check_names_the_stale_page_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` fails on an edited table; without it the table is put right."""
    shutil.copy(DOCS / "actions.md", tmp_path)
    shutil.copy(DOCS / "state.md", tmp_path)
    page = tmp_path / "actions.md"
    right = page.read_text(encoding="utf-8")
    wrong = right.replace("| 0 | `draw` |", "| 0 | `drew` |")
    assert wrong != right
    page.write_text(wrong, encoding="utf-8")

    assert generate.main(["--check"], tmp_path) == 1
    printed = capsys.readouterr().err
    assert "actions.md is out of date" in printed
    assert "state.md" not in printed
    assert page.read_text(encoding="utf-8") == wrong

    assert generate.main([], tmp_path) == 0
    assert page.read_text(encoding="utf-8") == right
    assert sorted(path.name for path in tmp_path.iterdir()) == ["actions.md", "state.md"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- generated: acts -->\n<!-- end -->\n", "there is no table 'acts'; tables: actions"),
        ("<!-- generated: state -->\n", "has no '<!-- end -->'"),
        (
            "<!-- generated: state -->\n<!-- generated: tiles -->\n<!-- end -->\n",
            "table 'state' has no '<!-- end -->'",
        ),
    ],
)
def test_wrong_marks_are_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    """A page whose marks are wrong stops the run before any page is written."""
    (tmp_path / "a.md").write_text("<!-- generated: tiles -->\n<!-- end -->\n", encoding="utf-8")
    (tmp_path / "b.md").write_text(text, encoding="utf-8")
    assert generate.main([], tmp_path) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("b.md: ")
    assert message in printed
    assert (tmp_path / "a.md").read_text(encoding="utf-8").count("\n") == 2


# --- examples ------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python example works as it is printed, and prints what the page says."""
    monkeypatch.chdir(tmp_path)
    run_examples(page)


def test_docstring_of_game_is_true() -> None:
    """The first thing that `help(Game)` shows works."""
    result = doctest.testmod(ra_env.game)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\nx = 1\n```\n\n```python\n>>> x + 1\n3\n```\n", AssertionError),
        ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", AssertionError),
        ("```python\nraise KeyError\n```\n", KeyError),
        ("- item\n\n  ```python\n  x = 1\n  ```\n", AssertionError),
        ("```python\nx = 1\n", AssertionError),
        ("```py\nx = 1\n```\n", AssertionError),
    ],
    ids=["output", "assert", "error", "indented", "open", "lookalike"],
)
def test_a_wrong_example_is_noticed(tmp_path: Path, text: str, error: type[Exception]) -> None:
    """The checks above can fail: wrong output, an exception, and blocks that would be missed."""
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(error):
        run_examples(page)


# --- records and links ---------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_shown_records_replay(page: Path) -> None:
    """A record in the documents is a game that can be played, with the results that it names."""
    for record in records(page):
        assert len(Game.from_record(record).moves) == len(record["moves"])


def test_a_finished_game_is_shown() -> None:
    """The page about records shows at least one game to its end."""
    assert any("ranking" in record for record in records(DOCS / "records.md"))


@pytest.mark.parametrize("page", LINKING_PAGES, ids=name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    """Every link to a file or heading of this project finds it."""
    broken = []
    for match in LINK.finditer(without_blocks(page)):
        target = match["target"]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []
