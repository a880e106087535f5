"""Answers of a search: what is asked, and that files are whole and sound."""

from pathlib import Path

import numpy as np
import pytest

from agents.mcts import MCTS
from agents.policy import save_policy
from agents.ppo import PPO
from ra_env.batch import check_legal, check_states, legal_masks
from ra_env.layout import SEAT
from training import answers
from training.answers import AnswersError, ask, load_answers, save_answers
from training.learner import SelfPlayPPO
from training.settings import Settings

pytestmark = pytest.mark.compiled

SETTINGS = Settings(games=8, steps=8, hidden=(64,), threads=1, precision="float32")


@pytest.fixture(scope="module")
def learner() -> SelfPlayPPO:
    return SelfPlayPPO(SETTINGS)


@pytest.fixture(scope="module")
def asked(learner: SelfPlayPPO) -> list[answers.Answers]:
    found = ask(PPO.of(learner.export()), MCTS(sims=20), seed=1)
    return [next(found) for _ in range(60)]


def test_answers_are_choices_in_positions_of_the_game(asked: list[answers.Answers]) -> None:
    for part in asked:
        check_states(part.rows)
        check_legal(part.rows, part.actions)
        assert (legal_masks(part.rows).sum(axis=1) > 1).all()


def test_the_first_answer_is_what_the_search_plays(asked: list[answers.Answers]) -> None:
    search = MCTS(sims=20)
    inside = 0
    for part in asked:
        search.search(part.rows[0], np.uint64(5))
        rows, actions, stakes = search.answers(6)
        assert len(rows) == len(actions) == len(stakes)
        np.testing.assert_array_equal(rows[0], part.rows[0])
        assert actions[0] == search.action_visits().argmax()
        assert len(search.answers(20)[0]) == 1
        inside += len(rows) - 1
    assert inside > 0


def test_what_is_at_stake_is_the_lead_over_the_next_best_action(
    asked: list[answers.Answers],
) -> None:
    """Worked out again from the figures of the search."""
    search = MCTS(sims=100, c=5.0)  # tries everything
    for part in asked:
        row = part.rows[0]
        search.search(row, np.uint64(1))
        _, actions, stakes = search.answers(100)
        tree, visits = search._tree, search.action_visits()
        means = {
            int(action): tree.values[child, row[SEAT]] / tree.visits[child]
            for action in np.flatnonzero(visits >= 8)
            for child in [tree.children[0, action]]
        }
        best = means.pop(int(actions[0]))
        wanted = best - max(means.values()) if means else 0.05
        assert stakes[0] == pytest.approx(wanted, abs=1e-6)


def test_who_is_never_in_doubt_is_asked_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no share for sure decisions, a policy that is always sure is never asked about."""
    rng = np.random.default_rng(0)
    sure = np.tile(np.array([0.99, 0.01], np.float32), (2000, 1))
    assert 50 < answers._is_asked(sure, rng).sum() < 150
    monkeypatch.setattr(answers, "SURE_SHARE", 0.0)
    assert not answers._is_asked(sure, rng).any()
    assert answers._is_asked(np.array([[0.9, 0.1]] * 5, np.float32), rng).all()


def test_files_give_back_what_was_saved(asked: list[answers.Answers], tmp_path: Path) -> None:
    save_answers(tmp_path / "0-0.npz", asked[:30])
    save_answers(tmp_path / "1-0.npz", asked[30:])
    loaded = load_answers(tmp_path)
    for mine, theirs in zip(loaded, zip(*asked, strict=True), strict=True):
        np.testing.assert_array_equal(mine, np.concatenate(theirs))


def test_what_holds_no_answers_is_refused(asked: list[answers.Answers], tmp_path: Path) -> None:
    with pytest.raises(AnswersError, match="there are no answers in"):
        load_answers(tmp_path)
    file = tmp_path / "0-0.npz"
    save_answers(file, asked)
    whole = file.read_bytes()
    illegal = asked[0]._replace(actions=np.full(len(asked[0].actions), 53))
    broken = asked[0]._replace(rows=asked[0].rows + np.int16(1))
    fewer = asked[0]._replace(actions=asked[0].actions[:0])
    endless = asked[0]._replace(stakes=asked[0].stakes + np.float32(np.inf))
    for damage in (
        lambda: file.write_bytes(whole[: len(whole) // 2]),
        lambda: file.write_bytes(b""),
        lambda: np.savez(file, format=np.array("ra-answers/0"), rows=0, actions=0, stakes=0),
        lambda: np.savez(file, rows=np.array([object()])),
        lambda: save_answers(file, [illegal]),
        lambda: save_answers(file, [broken]),
        lambda: save_answers(file, [fewer]),
        lambda: save_answers(file, [endless]),
    ):
        damage()
        with pytest.raises(AnswersError, match=r"0-0\.npz holds no answers, or is damaged"):
            load_answers(tmp_path)


def test_the_command_writes_a_folder(learner: SelfPlayPPO, tmp_path: Path) -> None:
    policy, out = tmp_path / "policy.safetensors", tmp_path / "answers"
    save_policy(policy, learner.export().tensors(), learner.facts())
    answers.main([str(policy), "--out", str(out), "--search", "mcts:sims=4", "--count", "20"])
    assert len(load_answers(out).actions) >= 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["heuristic"], "the policy must be a policy file"),
        (["ppo", "--search", "random"], "--search an mcts with sims"),
        (["ppo", "--search", "mcts:ms=5"], "--search an mcts with sims"),
        (["ppo", "--count", "0"], "count must be at least 1"),
        (["nobody"], "unknown agent 'nobody'"),
    ],
)
def test_what_cannot_be_asked_is_named(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        answers.main([*arguments, "--out", str(tmp_path / "answers")])
    assert message in capsys.readouterr().err
    assert not (tmp_path / "answers").exists()
