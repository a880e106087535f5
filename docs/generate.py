"""Write the tables that the code knows best into the pages of this folder.

    python docs/generate.py            rewrite what is out of date
    python docs/generate.py --check    change nothing; exit 1 and name what is out of date

A page marks where a table goes, and what stands between the marks is replaced:

    <!-- generated: actions -->
    <!-- end -->

A new table is one function that returns Markdown, and one entry in `TABLES`.
"""

import argparse
import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from agents.policy import BUNDLED_FILE, PolicyError, load_policy
from ra_env import actions, layout, observation, rules
from ra_env.files import whole_file
from training.settings import Settings, help_texts

DOCS: Final = Path(__file__).resolve().parent
ROOT: Final = DOCS.parent
LEADERBOARD: Final = DOCS / "leaderboard"
"""What `ra-env evaluate --out` has written, a file for each agent."""

_MARKED: Final = re.compile(
    r"^<!-- generated: (?P<name>.*?) -->\n(?P<body>.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL
)
_OPENING: Final = re.compile(r"^<!-- generated: .*-->$", re.MULTILINE)


class PageError(ValueError):
    """A page asks for what cannot be given."""


# --- the tables ----------------------------------------------------------------------------------


def action_table() -> str:
    """The 54 actions."""
    rows = [
        (action, f"`{text}`", *_phase_and_meaning(action))
        for action, text in enumerate(actions.ACTION_TEXTS)
    ]
    return to_markdown(("id", "text", "phase", "what the seat does"), rows)


def _phase_and_meaning(action: int) -> tuple[str, str]:
    if action >= actions.FIRST_DISCARD:
        return "discard", f"give up one {_tile_name(action - actions.DISCARD_TILE)} tile"
    if action >= actions.FIRST_TAKE:
        return "turn, gods", f"spend a god on one {_tile_name(action - actions.TAKE)} tile"
    if action >= actions.FIRST_BID:
        return "auction", f"bid sun {action - actions.BID}"
    return {
        actions.DRAW: ("turn", "draw a tile from the bag"),
        actions.INVOKE: ("turn", "invoke Ra: call an auction"),
        actions.END: ("gods", "end the turn after spending gods"),
        actions.PASS: ("auction", "make no bid"),
    }[action]


def _tile_name(tile: int) -> str:
    return rules.TILE_NAMES[tile].replace("_", " ")


def state_table() -> str:
    """The row of a state, field by field."""
    rows = [(f"`{f.name}`", f.offset, f.size, f.meaning) for f in layout.FIELDS]
    return to_markdown(("field", "offset", "size", "meaning"), rows)


def tile_table() -> str:
    """The tile kinds, their ids and how many are in the bag."""
    rows = [
        (tile, f"`{name}`", _family(tile), count)
        for tile, (name, count) in enumerate(zip(rules.TILE_NAMES, rules.STANDARD_BAG, strict=True))
    ]
    total = ("", "**all**", "", f"**{sum(rules.STANDARD_BAG)}**")
    return to_markdown(("id", "tile", "family", "in the bag"), [*rows, total])


def _family(tile: int) -> str:
    if rules.FIRST_CIVILIZATION <= tile < rules.END_CIVILIZATION:
        return "civilization"
    if rules.FIRST_MONUMENT <= tile < rules.END_MONUMENT:
        return "monument"
    return "disaster" if tile >= rules.FUNERAL else "-"


def player_table() -> str:
    """What depends on the number of players."""
    rows = [
        (
            players,
            rules.STANDARD_RA_SPACES[players],
            len(suns[0]),
            " / ".join(" ".join(map(str, seat_suns)) for seat_suns in suns),
        )
        for players, suns in rules.STANDARD_SUNS.items()
    ]
    return to_markdown(("players", "Ra spaces", "suns each", "sun sets"), rows)


def setting_table() -> str:
    """The settings of `Rules`, with the standard game and the limits."""
    spaces = rules.STANDARD_RA_SPACES
    for_players = f"{_listed(spaces.values())} for {_listed(spaces)} players"
    by_number = "[by number of players](rules.md#what-you-need)"
    tiles = f"[{sum(rules.STANDARD_BAG)} tiles](rules.md#what-you-need)"
    rows = {
        "num_players": ("", f"{rules.MIN_PLAYERS} to {rules.MAX_PLAYERS}"),
        "epochs": (
            rules.MAX_EPOCHS,
            f"1 to {rules.MAX_EPOCHS}; monuments and suns are scored after the last one",
        ),
        "ra_spaces": (for_players, f"1 to {rules.MAX_RA_SPACES}"),
        "auction_spaces": (rules.MAX_AUCTION_SPACES, f"1 to {rules.MAX_AUCTION_SPACES}"),
        "bag": (
            tiles,
            f"any numbers of the {rules.NUM_TILES} kinds, at most {rules.MAX_BAG} tiles in all, "
            "with at least `epochs * ra_spaces` Ra tiles, so that the bag cannot run dry",
        ),
        "suns": (
            by_number,
            "one set for each seat, equally many suns in each, at least one; all different, "
            f"1 to {rules.MAX_SUN}",
        ),
        "middle_sun": (1, f"1 to {rules.MAX_SUN}, different from all others"),
    }
    cells = [(f"`{field.name}`", *rows[field.name]) for field in fields(rules.Rules)]
    return to_markdown(("setting", "standard", "allowed"), cells)


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def module_table() -> str:
    """The modules of `ra_env`, from the top layer down, and the first sentences of each."""
    layers = _layers()
    rows = [
        (len(layers) - above, f"`{path.relative_to(ROOT).as_posix()}`", _first_sentences(path))
        for above, names in enumerate(layers)
        for path in map(_module_path, names)
    ]
    return to_markdown(("layer", "module", "what it knows"), rows)


def _layers() -> list[list[str]]:
    """The modules by the import contract, the top layer first."""
    # Python 3.10 cannot read TOML by itself; this list is simple enough.
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contract = re.search(r"^layers = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    if contract is None:
        raise PageError("pyproject.toml has no list of layers")
    return [re.findall(r"\w+", names) for names in re.findall(r'"(.+?)"', contract[1])]


def _module_path(name: str) -> Path:
    module = ROOT / "ra_env" / f"{name}.py"
    return module if module.exists() else ROOT / "ra_env" / name / "__init__.py"


def _first_sentences(path: Path) -> str:
    """The first paragraph of a module's docstring that is neither heading nor table."""
    try:
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    except (OSError, SyntaxError) as error:
        raise PageError(f"{path.relative_to(ROOT)} cannot be read: {error}") from None
    paragraphs = [part.strip() for part in text.split("\n\n")]
    prose = [part for part in paragraphs if part and part[0] not in "#|-`"]
    return " ".join(prose[0].split()).replace("|", "\\|") if prose else ""


def observation_table() -> str:
    """The pieces of an observation."""
    rows = [
        (f"`{p.name}`", p.start, p.size, p.scale, p.meaning, p.hidden or "-")
        for p in observation.describe()
    ]
    heads = ("piece", "place", "numbers", "scale", "meaning", "hidden in table view")
    return to_markdown(heads, rows)


def training_table() -> str:
    """The settings of a training run, with their defaults."""
    defaults = Settings().to_dict()
    rows = [(f"`{n}`", f"`{json.dumps(defaults[n])}`", text) for n, text in help_texts().items()]
    return to_markdown(("setting", "default", "meaning"), rows)


def leaderboard_table() -> str:
    """The results of the yardstick: wins against a table of heuristics, best at four first."""
    entries = []
    for path in sorted(LEADERBOARD.glob("*.json")):
        result = _read_result(path)
        lines = {row["players"]: row for row in result["rows"] if row["field"] == "heuristic"}
        cells = [_wins(lines[players]) if players in lines else "-" for players in range(2, 6)]
        link = f"[`{result['agent']}`](leaderboard/{path.name})"
        entries.append((-lines[4]["win_rate"] if 4 in lines else 0.0, (link, *cells)))
    heads = ("agent", *(f"{players} players" for players in range(2, 6)))
    return to_markdown(heads, [cells for _, cells in sorted(entries)])


def bundled_results_table() -> str:
    """The yardstick of the bundled policy, line by line."""
    result = _read_result(LEADERBOARD / "ppo.json")
    rows = []
    for row in result["rows"]:
        is_self_play = row["field"] == "itself"
        low, high = row["winning_score_ci95"]
        rows.append(
            (
                row["players"],
                row["field"],
                "-" if is_self_play else _wins(row),
                "-" if is_self_play else f"{row['fair_share']:.0%}".replace("%", " %"),
                f"{row['mean_score']:.1f}",
                f"{row['winning_score']:.1f} ({low:.1f} to {high:.1f})",
                row["games"],
            )
        )
    heads = ("players", "against", "wins", "fair share", "its score", "winning score", "games")
    return to_markdown(heads, rows)


def bundled_facts_table() -> str:
    """What the file of the bundled policy says of itself."""
    try:
        metadata = load_policy(BUNDLED_FILE).metadata
    except PolicyError as error:
        raise PageError(str(error)) from None
    versions = ", ".join(f"{name} {number}" for name, number in metadata["versions"].items())
    rows = [
        ("decisions learnt from", f"{metadata['decisions']:,}"),
        ("games finished", f"{metadata['games']:,}"),
        ("time", f"{metadata['minutes']:.0f} minutes"),
        ("versions", versions),
        ("observation version", metadata["observation_version"]),
        ("size of the file", f"{BUNDLED_FILE.stat().st_size / 2**20:.1f} MiB"),
    ]
    study, worth = metadata["study"], metadata["worth"]
    rows += [
        ("answers studied last", f"{study['answers']:,}, in {study['passes']} passes"),
        ("positions that the second network learnt from", f"{worth['positions']:,}"),
        ("time that it learnt", f"{worth['minutes']:.0f} minutes"),
    ]
    changed = {k: v for k, v in metadata["settings"].items() if v != Settings().to_dict().get(k)}
    rows += [(f"setting `{name}`", f"`{json.dumps(v)}`") for name, v in changed.items()]
    return to_markdown(("", "the file"), rows)


def _read_result(path: Path) -> dict[str, Any]:
    try:
        result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PageError(f"{path.name} cannot be read: {error}") from None
    return result


def _wins(row: dict[str, Any]) -> str:
    low, high = row["ci95"]
    return f"{row['win_rate']:.1%} ({low:.1%} to {high:.1%})".replace("%", " %")


def target_table() -> str:
    """The targets of the Makefile, with the words of `make help`."""
    targets = re.findall(
        r"^([a-z]+):.*?## (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    rows = [(f"`make {name}`", meaning) for name, meaning in targets]
    return to_markdown(("target", "what it does"), rows)


TABLES: Final[dict[str, Callable[[], str]]] = {
    "actions": action_table,
    "bundled_facts": bundled_facts_table,
    "bundled_results": bundled_results_table,
    "leaderboard": leaderboard_table,
    "modules": module_table,
    "observation": observation_table,
    "players": player_table,
    "settings": setting_table,
    "state": state_table,
    "targets": target_table,
    "tiles": tile_table,
    "training": training_table,
}
"""The tables by the name that a page asks for them with."""


def to_markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; columns of numbers are set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    columns = zip(*cells, strict=True)
    rule = ["---:" if all(map(_is_number, column)) else "---" for column in columns]
    return "".join(f"| {' | '.join(row)} |\n" for row in [heads, rule, *cells])


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"\W*\d*\W*", cell) is not None


# --- pages ---------------------------------------------------------------------------------------


def update(text: str) -> str:
    """The text of a page with every marked table as it should be."""

    def table(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in TABLES:
            raise PageError(f"there is no table {name!r}; tables: {', '.join(TABLES)}")
        if _OPENING.search(match["body"]):
            raise PageError(f"table {name!r} has no '<!-- end -->'")
        return f"<!-- generated: {name} -->\n{TABLES[name]()}<!-- end -->"

    updated = _MARKED.sub(table, text)
    if len(_OPENING.findall(text)) != len(_MARKED.findall(text)):
        raise PageError("the last table has no '<!-- end -->'")
    return updated


def main(arguments: Sequence[str] | None = None, folder: Path = DOCS) -> int:
    """Bring the pages of a folder up to date, or with `--check` say which are not."""
    parser = argparse.ArgumentParser(description="Write generated tables into the docs.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    only_check = parser.parse_args(arguments).check
    pages = {}
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        try:
            updated = update(text)
        except PageError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            return 2
        if updated != text:
            pages[path] = updated
    for path, updated in pages.items():
        if only_check:
            print(f"{path.name} is out of date: run python docs/generate.py", file=sys.stderr)
        else:
            with whole_file(path) as file:
                file.write(updated.encode())
            print(f"wrote {path.name}")
    return 1 if only_check and pages else 0


if __name__ == "__main__":
    sys.exit(main())
