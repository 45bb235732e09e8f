import os
import sys
import threading
import time
from typing import ClassVar

import pytest
from support.engine import graph

from audit.engine.meter import Meter
from audit.engine.workers import Workers
from audit.errors import Cancelled, CannotLook
from audit.records.check import Request

STALL_S = 1.5
"""Longer than a busy machine keeps a thread from running, and shorter than what is not to be a stall."""


class Log:
    """What happened during one test; requests reach it by name, since their fields are their key."""

    books: ClassVar[dict[str, list[object]]] = {}
    events: ClassVar[dict[str, threading.Event]] = {}


class Leaf(Request[int]):
    book: str
    value: int = 0

    def collect(self, _):
        Log.books[self.book].append(self.value)
        time.sleep(0.02)
        return self.value


class Fails(Request[int]):
    book: str

    def collect(self, _):
        Log.books[self.book].append("tried")
        raise CannotLook("the disk is gone")


class Sum(Request[int]):
    book: str

    def collect(self, ctx):
        return sum(ctx.get(Leaf(book=self.book, value=value)) for value in range(5))


class Circle(Request[int]):
    other: int
    book: str = ""

    def collect(self, ctx):
        if self.book:
            meet(self.book, self.other)
        return ctx.get(Circle(other=1 - self.other, book=self.book))


class Hangs(Request[int]):
    book: str

    def collect(self, _):
        Log.events[self.book].wait(20)
        return 1


class Busy(Request[int]):
    def collect(self, ctx):
        for _ in range(50):
            time.sleep(0.05)
            ctx.progress.advance(files=1)
        return 7


class Waits(Request[int]):
    book: str

    def collect(self, ctx):
        return ctx.get(Hangs(book=self.book)) + 1


class Squares(Request[tuple[int, ...]]):
    count: int

    def collect(self, ctx):
        return tuple(ctx.map(square, range(self.count)))


def square(number):
    time.sleep(0.001 * (number % 3))
    return number * number


def meet(book, who):
    """Hold both ends of a circle until the other has begun, so that neither finds the other's work done."""
    Log.books[book].append(who)
    while len(set(Log.books[book])) < 2:
        time.sleep(0.005)


@pytest.fixture
def book(request):
    name = request.node.name
    Log.books[name] = []
    Log.events[name] = threading.Event()
    yield name
    Log.events[name].set()
    del Log.books[name]


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_equal_requests_are_collected_once(book, jobs):
    facts = graph(jobs)
    for _ in range(20):
        facts.start(Leaf(book=book, value=3))
    facts.start(Sum(book=book))
    assert facts.get(Sum(book=book)) == 10
    assert facts.get(Leaf(book=book, value=3)) == 3
    assert sorted(Log.books[book]) == [0, 1, 2, 3, 4]


def test_failures_are_remembered_and_leave_the_others_alone(book):
    facts = graph()
    facts.start(Fails(book=book))
    facts.start(Sum(book=book))
    for _ in range(3):
        with pytest.raises(CannotLook, match="the disk is gone"):
            facts.get(Fails(book=book))
    assert facts.get(Sum(book=book)) == 10
    assert Log.books[book].count("tried") == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_facts_that_need_each_other_fail_instead_of_hanging(jobs):
    facts = graph(jobs)
    facts.start(Circle(other=0))
    with pytest.raises(CannotLook, match="circle"):
        facts.get(Circle(other=0))


def test_a_circle_over_two_threads_is_found(book):
    facts = graph(2)
    facts.start(Circle(other=0, book=book))
    facts.start(Circle(other=1, book=book))
    for end in (0, 1):
        with pytest.raises(CannotLook, match="circle"):
            facts.get(Circle(other=end, book=book))


def test_silence_is_given_up_and_work_behind_it_still_done(book):
    facts = graph(1, stall_s=STALL_S)
    facts.start(Hangs(book=book))
    facts.start(Sum(book=book))
    assert facts.get(Sum(book=book)) == 10  # behind the one that hangs, on the only thread
    with pytest.raises(CannotLook, match=r"no progress for 1\.5 s"):
        facts.get(Hangs(book=book))
    assert facts.stuck


def test_whoever_waits_for_a_stalled_fact_gets_its_failure(book):
    facts = graph(2, stall_s=STALL_S)
    facts.start(Hangs(book=book))
    facts.start(Waits(book=book))
    with pytest.raises(CannotLook, match="no progress"):
        facts.get(Waits(book=book))


def test_slow_work_that_shows_progress_is_not_given_up():
    facts = graph(1, stall_s=STALL_S)
    facts.start(Busy())
    assert facts.get(Busy()) == 7
    assert not facts.stuck


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_map_keeps_the_order_of_its_items(jobs):
    facts = graph(jobs)
    facts.start(Squares(count=50))
    assert facts.get(Squares(count=50)) == tuple(number * number for number in range(50))


def test_an_interrupt_ends_the_waiting(book):
    facts = graph()
    facts.start(Hangs(book=book))
    threading.Timer(0.1, facts.stop).start()
    with pytest.raises(Cancelled):
        facts.get(Hangs(book=book))


class Later(Request[int]):
    """Needs a leaf, once that has been asked for too."""

    book: str

    def collect(self, ctx):
        Log.events[self.book].wait(20)
        return ctx.get(Leaf(book=self.book, value=3))


def test_a_fact_that_waits_in_the_queue_behind_the_one_that_needs_it(book):
    facts = graph(1)
    facts.start(Later(book=book))
    facts.start(Leaf(book=book, value=3))
    Log.events[book].set()
    assert facts.get(Later(book=book)) == 3
    assert Log.books[book] == [3]


class Triangle(Request[int]):
    """0 needs 1 and 1 needs 2, on one thread; 2 needs 0 on another."""

    corner: int
    book: str

    def collect(self, ctx):
        if self.corner != 0:
            meet(self.book, self.corner)
        return ctx.get(Triangle(corner=(self.corner + 1) % 3, book=self.book))


def test_a_circle_through_facts_of_one_thread_is_found(book):
    facts = graph(2, stall_s=5)
    facts.start(Triangle(corner=0, book=book))
    facts.start(Triangle(corner=2, book=book))
    for corner in range(3):
        with pytest.raises(CannotLook, match="circle"):
            facts.get(Triangle(corner=corner, book=book))


class Exits(Request[int]):
    def collect(self, _):
        raise SystemExit(3)


def test_a_library_that_would_exit_ends_its_fact_alone():
    with pytest.raises(RuntimeError, match="SystemExit: 3"):
        graph(stall_s=5).get(Exits())


class Inline(Request[int]):
    book: str

    def collect(self, ctx):
        return ctx.get(Hangs(book=self.book)) + 1


def test_a_stall_is_told_of_the_fact_that_stalls(book):
    facts = graph(1, stall_s=STALL_S)
    with pytest.raises(CannotLook, match="while collecting Hangs"):
        facts.get(Inline(book=book))


def hang(book):
    Log.events[book].wait(20)


def crawl(_):
    time.sleep(0.1)


class Spread(Request[int]):
    """Work over items, of which each says that it lives."""

    work: str
    items: tuple[str, ...]

    def collect(self, ctx):
        return len(ctx.map({"hang": hang, "crawl": crawl}[self.work], self.items))


def test_work_that_waits_for_a_worker_is_no_stall():
    facts = graph(1, stall_s=STALL_S)
    facts._collectors = type(facts.pool)(2, "facts")
    facts.start(Spread(work="crawl", items=tuple(map(str, range(30)))))
    time.sleep(0.05)
    facts.start(Spread(work="crawl", items=("late",)))
    assert facts.get(Spread(work="crawl", items=("late",))) == 1


def test_what_hangs_in_the_workers_leaves_them_to_others(book):
    facts = graph(1, stall_s=STALL_S)
    facts.start(Spread(work="hang", items=(book, book, book)))
    facts.start(Squares(count=3))
    assert facts.get(Squares(count=3)) == (0, 1, 4)
    with pytest.raises(CannotLook, match="no progress"):
        facts.get(Spread(work="hang", items=(book, book, book)))


class Program(Request[bytes]):
    script: str

    def collect(self, ctx):
        return ctx.host.run(["sh", "-c", self.script], cwd="/", timeout_s=20).out


def test_a_program_that_takes_its_time_is_no_stall():
    facts = graph(1, stall_s=STALL_S)
    facts.start(Program(script="sleep 3; echo done"))
    assert facts.get(Program(script="sleep 3; echo done")) == b"done\n"


def test_an_interrupt_ends_programs(tmp_path):
    facts = graph(1)
    facts.start(Program(script=f"echo $$ > {tmp_path}/begun; mv {tmp_path}/begun {tmp_path}/pid; sleep 20"))
    while not (tmp_path / "pid").exists():
        time.sleep(0.01)
    facts.close()
    assert not facts.stuck
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_what_does_not_end_is_said_to_be_stuck(book, monkeypatch):
    monkeypatch.setattr("audit.engine.graph._GRACE_S", 0.05)
    facts = graph(1)
    facts.start(Hangs(book=book))
    time.sleep(0.05)
    facts.close()
    assert facts.stuck


def test_fewer_threads_than_asked_for_do_all_the_work(monkeypatch):
    real, started = threading.Thread.start, []

    def start(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        real(thread)

    workers = Workers(4, "work")
    monkeypatch.setattr(threading.Thread, "start", start)
    assert list(workers.map(square, range(5))) == [0, 1, 4, 9, 16]
    assert len(started) == 1


def test_without_any_thread_a_fact_fails_instead_of_waiting(book, monkeypatch):
    def start(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    facts = graph(2)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        facts.get(Leaf(book=book))


class Swallows(Request[int]):
    """Goes on without what it could not get, as a collector may."""

    book: str

    def collect(self, ctx):
        Log.events[self.book].set()
        while not ctx.cancelled():
            time.sleep(0.005)
        return 7


def test_what_was_collected_under_an_interrupt_is_not_believed(book):
    facts = graph(1)
    facts.start(Swallows(book=book))
    assert Log.events[book].wait(5)
    facts.close()
    with pytest.raises(Cancelled):
        facts.get(Swallows(book=book))


def test_counts_of_many_threads_add_up():
    meter = Meter()
    listener = meter.listener(lambda: None)

    def count(_):
        for number in range(2000):
            listener.advance(files=1, size=2, what=str(number))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        list(Workers(4, "work").map(count, range(4)))
    finally:
        sys.setswitchinterval(before)
    assert (meter.coverage().files_read, meter.coverage().bytes_read) == (8000, 16000)
