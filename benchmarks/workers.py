"""Games in several processes, and an eye on agents that hang or bring a process down.

A worker is a process that plays chunks of seeds. Before each decision it can say whom it is about
to ask; if that takes too long, the worker is ended, and the agent is known. Results do not depend
on who plays what.
"""

import os
import signal
import threading
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Final

import numpy as np

from benchmarks.plan import Plan
from benchmarks.play import Announce, Block, Failure, Numbers, play_blocks, to_record
from ra_env import Game
from ra_env.agent import Agent, act_batch
from ra_env.layout import State
from ra_env.legality import legal_actions, lowest_action
from ra_env.rng import next_word

WARM_UP_SECONDS: Final = 120.0
"""The first decision of an agent may take so much longer, because its code is compiled."""

_THREAD_SETTINGS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

NamedAgents = Sequence[tuple[str, Agent]]


def play_chunks(
    plan: Plan, chunks: Sequence[Sequence[int]], processes: int, time_limit: float | None
) -> Generator[list[Block], None, None]:
    """Play chunks of seeds; yields the blocks of each as soon as they are there.

    One process without a time limit is this one.
    """
    if not chunks:
        return
    if processes == 1 and time_limit is None:
        agents = plan.make_agents()
        for chunk in chunks:
            yield _play(plan, agents, chunk)
        return
    crew = _Crew(plan, chunks, processes, time_limit)
    try:
        yield from crew.play()
    finally:
        crew.end()


def _play(
    plan: Plan, agents: NamedAgents, seeds: Sequence[int], announce: Announce | None = None
) -> list[Block]:
    return play_blocks(agents, plan.rules, seeds, [plan.seating(s) for s in seeds], announce)


# --- in the process that asks --------------------------------------------------------------------


class _Crew:
    """The workers of a contest and what is left to do."""

    def __init__(
        self, plan: Plan, chunks: Sequence[Sequence[int]], processes: int, limit: float | None
    ) -> None:
        self._plan = plan
        self._limit = limit
        self._orders = [(list(chunk), limit is not None) for chunk in reversed(chunks)]
        """Seeds and whether each decision is to be announced; the next order is the last one."""
        _begin_to_compile()  # now workers find it on the disk, and need not wait for each other
        self._workers = [_Worker(plan) for _ in range(min(processes, len(chunks)))]
        # One alone at first: it compiles what is not compiled yet, and the others find it.
        self._workers[0].begin()

    def play(self) -> Iterator[list[Block]]:
        """Give orders and collect blocks until everything is played."""
        while self._orders or any(worker.order is not None for worker in self._workers):
            by_connection = {worker.connection: worker for worker in self._workers}
            ready = wait(list(by_connection), self._seconds_left())
            for connection in ready:
                yield from self._listen(by_connection[connection])  # type: ignore[index]
            for worker in list(self._workers) if not ready else ():
                if self._seconds_over(worker) >= 0 and not worker.connection.poll():
                    reason = f"took longer than {self._limit:g} seconds for a decision"
                    yield from self._replace(worker, reason)

    def end(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.end()

    def _listen(self, worker: "_Worker") -> Iterator[list[Block]]:
        try:
            kind, content = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            yield from self._replace(worker, f"ended the process ({worker.process.exitcode})")
            return
        worker.since = monotonic()
        if kind == "asking":
            worker.asking = content
        elif kind == "ready":
            self._order(worker)
            for other in self._workers:
                other.begin()
        elif kind == "played":
            self._order(worker)
            yield content
        else:
            raise RuntimeError(f"a worker process failed:\n{content}")

    def _order(self, worker: "_Worker") -> None:
        worker.asking = None
        worker.order = self._orders.pop() if self._orders else None
        if worker.order is not None:
            worker.connection.send(worker.order)

    def _replace(self, worker: "_Worker", reason: str) -> Iterator[list[Block]]:
        """Another worker in place of one that hangs or is gone."""
        worker.end()
        self._workers.remove(worker)
        order, asking = worker.order, worker.asking
        if order is None:
            name = "an agent" if asking is None else repr(self._plan.agents[asking[1]])
            raise RuntimeError(f"{name} {reason} at its very first decision")
        if asking is None:
            # Nobody said whom was asked. Play these seeds again, one by one and announced.
            self._orders += [([seed], True) for seed in reversed(order[0])]
        else:
            yield [self._failed(order[0][0], *asking, reason)]
        if self._orders:
            self._workers.append(_Worker(self._plan))
            self._workers[-1].begin()

    def _failed(self, seed: int, game: int, agent: int, decisions: bytes, reason: str) -> Block:
        seats = self._plan.seating(seed)
        names = [self._plan.agents[i] for i in seats[game]]
        record = to_record(self._plan.rules, seed, decisions, names)
        seat = Game.from_record(record).current_seat
        assert seat is not None
        failure = Failure(self._plan.agents[agent], seat, seed, reason, record)
        nothing: Numbers = np.zeros(0, np.int64)
        return Block(seed, seats, nothing, nothing, nothing, (), (failure,))

    def _seconds_over(self, worker: "_Worker") -> float:
        """How long past the limit a worker's agent is; negative while there is time."""
        if self._limit is None or worker.asking is None:
            return -np.inf
        extra = WARM_UP_SECONDS if worker.order is None else 0
        return monotonic() - worker.since - self._limit - extra

    def _seconds_left(self) -> float | None:
        """How long to wait for news before looking who is too late; None without a limit."""
        over = max(map(self._seconds_over, self._workers))
        return None if over == -np.inf else max(-over, 0)


class _Worker:
    """A process that plays, as seen by the one that asks for it."""

    def __init__(self, plan: Plan) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, plan), daemon=True)
        with _settings_of_workers():
            self.process.start()
        theirs.close()
        self.order: tuple[list[int], bool] | None = None
        """What it plays; None before the first order and when there is nothing left."""
        self.asking: tuple[int, int, bytes] | None = None
        """The game, the agent and the game's decisions so far, as announced last."""
        self.since = monotonic()
        """When it was last heard of."""
        self._has_begun = False

    def begin(self) -> None:
        """Have it get ready, once; until then it has imported what it needs, and waits."""
        if not self._has_begun:
            self._has_begun = True
            self.connection.send(None)

    def end(self) -> None:
        """End it at once: an agent may not let it end in peace."""
        self.process.kill()
        self.process.join()
        self.connection.close()


@contextmanager
def _settings_of_workers() -> Iterator[None]:
    """Processes started here use one thread each for matrices, as there is one for every core, and
    leave Ctrl-C to the process that asks."""
    before = {name: os.environ.get(name) for name in _THREAD_SETTINGS}
    os.environ.update({name: "1" for name, value in before.items() if value is None})
    # Only the main thread may set it, and only the main thread gets Ctrl-C.
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, handler)
        for name, value in before.items():
            if value is None:
                del os.environ[name]


# --- in the worker -------------------------------------------------------------------------------


def _work(connection: "Connection[Any, Any]", plan: Plan) -> None:
    """Play what is ordered until the other side closes."""

    def announce(game: int, agent: int, decisions: bytes) -> None:
        connection.send(("asking", (game, agent, decisions)))

    try:
        agents = plan.make_agents()
        _begin_to_compile()
        connection.recv()
        _warm_up(plan, agents, announce)
        connection.send(("ready", None))
        while True:
            seeds, is_announced = connection.recv()
            blocks = _play(plan, agents, seeds, announce if is_announced else None)
            connection.send(("played", blocks))
    except (EOFError, BrokenPipeError):
        return
    except BaseException:
        connection.send(("broken", traceback.format_exc()))


def _begin_to_compile() -> None:
    """Call something compiled: for the first one numba gets itself ready, which takes longest."""
    next_word(np.uint64(0))


class _Lowest:
    """Plays the legal action with the lowest id."""

    def act(self, state: State, word: np.uint64) -> int:
        return int(lowest_action(legal_actions(state)))


def _warm_up(plan: Plan, agents: NamedAgents, announce: Announce) -> None:
    """Have everything compiled. What agents do wrong here will be noticed when they play."""
    seats: Numbers = np.zeros((1, plan.players), np.int64)
    play_blocks([("lowest", _Lowest())], plan.rules, [0], [seats])
    state = Game(rules=plan.rules, seed=0).state
    for index, (_, agent) in enumerate(agents):
        announce(0, index, b"")
        try:
            agent.act(state.copy(), np.uint64(0))
            act_batch(
                agent, state[np.newaxis].copy(), np.zeros(1, np.uint64), np.zeros(1, np.int64)
            )
        except Exception:
            continue
