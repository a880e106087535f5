"""Golden games: playthroughs in `golden/*.txt`, replayed line by line.

A file is one game, made to be read. Its first line names players, seed and rules; then comes one
line for the start and for each move, as it stands after the move:

    number | move | phase and seat on turn | scores | checksum of the row | legal moves

Tiles are not told to the game but drawn by its seed, so the files pin the random numbers too. A
change of the rules, of the row's layout or of the random numbers shows up here as the first line
that differs. If it was meant, write the files anew and look at what changed in them:

    python tests/test_golden.py
"""

import json
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ra_env import Game, IllegalAction, Rules

FOLDER = Path(__file__).parent / "golden"

RULES = {
    "two-players": Rules(2),
    "three-players": Rules(3),
    "four-players": Rules(4),
    "five-players": Rules(5),
    "variant": Rules(
        3,
        epochs=2,
        ra_spaces=3,
        auction_spaces=4,
        bag={"ra": 8, "god": 6, "unrest": 3, "earthquake": 3, "art": 6, "writing": 6, "sphinx": 6}
        | {"temple": 6, "drought": 2, "nile": 4, "flood": 3},
        suns=((16, 5), (15, 6), (14, 7)),
        middle_sun=9,
    ),
}
"""The games that are written; the files alone say what is replayed."""

WEIGHTS = {"draw": 8, "take": 4, "pass": 2}
"""Whoever plays draws often, so that lots grow and disasters leave a choice."""


def line(game: Game, move: str) -> str:
    """What a file says after a move."""
    seat = "-" if game.current_seat is None else game.current_seat
    return " | ".join(
        (
            f"{len(game.moves):3}",
            f"{move:20}",
            f"{game.phase:7} {seat}",
            " ".join(f"{score:2}" for score in game.scores),
            f"{zlib.crc32(game.state.astype('<i2').tobytes()):08x}",
            ", ".join(game.legal_moves()) or "ranking " + " ".join(map(str, game.ranking())),
        )
    )


def header(game: Game) -> str:
    """The first line of a file, from which the game can begin again."""
    return json.dumps(
        {"players": game.num_players, "seed": game.seed, "rules": game.rules.to_dict()}
    )


def replay(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Play a file's game again: each of its lines beside the line that it should be."""
    start = json.loads(lines[0])
    game = Game(rules=Rules.from_dict(start["players"], start["rules"]), seed=start["seed"])
    yield lines[0], header(game)
    yield lines[1], line(game, "start")
    for expected in lines[2:]:
        _, action, *_ = expected.split("|")[1].split(maxsplit=1)
        try:
            move = game.play("draw" if action.startswith("draw") else action)
        except IllegalAction as error:
            yield expected, str(error)
            return
        yield expected, line(game, move)
    assert game.is_over, "the file ends before the game"


@pytest.mark.boundscheck
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_golden_game_replays_line_by_line(path: Path) -> None:
    """Every move is legal and leads to the phase, scores, row and legal moves written down."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, (expected, actual) in enumerate(replay(lines), start=1):
        assert actual == expected, f"{path.name}, line {number}"


def test_there_is_a_golden_game_for_each_number_of_players_and_a_variant() -> None:
    """Two to five players and other rules, and every kind of move, are among the files."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")]
    starts = [json.loads(text.splitlines()[0]) for text in texts]
    assert {start["players"] for start in starts if not start["rules"]} == {2, 3, 4, 5}
    assert any(start["rules"] for start in starts)
    moves = [row.split("|")[1].split() for text in texts for row in text.splitlines()[2:]]
    assert {move[1] for move in moves} == {
        *("draw", "invoke", "end", "pass", "bid", "take", "discard")
    }


def test_a_changed_line_is_noticed() -> None:
    """One wrong point, and the replay differs from the file in that line alone."""
    lines = (FOLDER / "two-players.txt").read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5].replace("| 10 10 |", "| 10 11 |")
    wrong = [number for number, (was, now) in enumerate(replay(lines)) if was != now]
    assert wrong == [5]


def playthrough(rules: Rules, seed: int) -> list[str]:
    """A new game, line by line."""
    game, rng = Game(rules=rules, seed=seed), random.Random(seed)
    lines = [header(game), line(game, "start")]
    while not game.is_over:
        legal = game.legal_moves()
        chances = [WEIGHTS.get(move.split()[0], 1) for move in legal]
        lines.append(line(game, game.play(rng.choices(legal, chances)[0])))
    return lines


if __name__ == "__main__":
    for seed, (name, rules) in enumerate(RULES.items()):
        text = "\n".join(playthrough(rules, seed)) + "\n"
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
