"""Plays a match or a tournament from its plan: keeps what is finished, and knows when to stop.

What the games are worth is for others to say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.plan import Plan
from benchmarks.play import Block, Failure
from benchmarks.workers import play_chunks

OnError = Literal["stop", "skip"]
Progress = Callable[[int, int], None]
"""Told after each chunk how many games are finished, of how many."""
IsClear = Callable[[Sequence[Block]], int | None]
"""After how many of these blocks the answer is clear; None while it is not."""


@dataclass(frozen=True)
class Outcome:
    """What was played, and why no more."""

    plan: Plan
    blocks: tuple[Block, ...]
    """The seeds that were finished, in order."""
    failures: tuple[Failure, ...]
    is_interrupted: bool = False
    is_clear: bool = False
    """Whether it ended early because the answer was clear."""


class Store:
    """Where finished blocks are kept: here, nowhere but in memory."""

    def __init__(self) -> None:
        self.blocks: dict[int, Block] = {}

    def add(self, blocks: Sequence[Block]) -> None:
        """Keep blocks."""
        self.blocks |= {block.seed: block for block in blocks}


def run(
    plan: Plan,
    *,
    processes: int = 1,
    time_limit: float | None = None,
    on_error: OnError = "stop",
    store: Store | None = None,
    is_clear: IsClear | None = None,
    progress: Progress = lambda done, total: None,
) -> Outcome:
    """Play a contest, or what the store does not hold of it yet.

    The result does not depend on `processes`. `time_limit` is in seconds for each decision.
    Whatever stops it early, Ctrl-C too, what was played by then is returned.
    """
    store = Store() if store is None else store
    failed: dict[int, Block] = {}
    chunks = [[seed for seed in chunk if seed not in store.blocks] for chunk in plan.chunks()]
    if time_limit is not None:
        chunks = [[seed] for chunk in chunks for seed in chunk]
    played = play_chunks(plan, [c for c in chunks if c], processes, time_limit)
    is_interrupted = False
    clear_after = None
    try:
        progress(_count(plan, store, failed), plan.seeds * plan.games_per_seed)
        clear_after = _clear_after(plan, store, failed, is_clear)
        while clear_after is None and (blocks := next(played, None)) is not None:
            store.add([block for block in blocks if not block.failures])
            failed |= {block.seed: block for block in blocks if block.failures}
            progress(_count(plan, store, failed), plan.seeds * plan.games_per_seed)
            clear_after = _clear_after(plan, store, failed, is_clear)
            if failed and on_error == "stop":
                break
    except KeyboardInterrupt:
        is_interrupted = True
    finally:
        played.close()
    seeds = [seed for seed in plan.all_seeds() if seed in store.blocks]
    return Outcome(
        plan,
        tuple(store.blocks[seed] for seed in seeds[:clear_after]),
        tuple(failure for seed in sorted(failed) for failure in failed[seed].failures),
        is_interrupted,
        clear_after is not None,
    )


def _count(plan: Plan, store: Store, failed: dict[int, Block]) -> int:
    seeds = plan.all_seeds()
    return plan.games_per_seed * sum(seed in seeds for seed in (*store.blocks, *failed))


def _clear_after(
    plan: Plan, store: Store, failed: dict[int, Block], is_clear: IsClear | None
) -> int | None:
    """After how many finished seeds the answer is clear.

    Looks at seeds in order, up to the first that is still missing: so it does not matter which
    process was faster.
    """
    if is_clear is None:
        return None
    blocks = []
    for seed in plan.all_seeds():
        if seed in store.blocks:
            blocks.append(store.blocks[seed])
        elif seed not in failed:
            break
    return is_clear(blocks) if blocks else None
