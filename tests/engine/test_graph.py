import threading
import time

import pytest
from support.engine import graph

from audit.errors import Cancelled, CannotLook
from audit.records.check import Request


class Log:
    """What happened during one test; requests reach it by name, since their fields are their key."""

    books: dict[str, list[object]] = {}
    events: dict[str, threading.Event] = {}


class Leaf(Request[int]):
    book: str
    value: int = 0

    def collect(self, ctx):
        Log.books[self.book].append(self.value)
        time.sleep(0.02)
        return self.value


class Fails(Request[int]):
    book: str

    def collect(self, ctx):
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

    def collect(self, ctx):
        Log.events[self.book].wait(20)
        return 1


class Busy(Request[int]):
    def collect(self, ctx):
        for _ in range(15):
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
def test_facts_that_need_each_other_fail_instead_of_hanging(book, jobs):
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
    facts = graph(1, stall_s=0.3)
    facts.start(Hangs(book=book))
    facts.start(Sum(book=book))
    assert facts.get(Sum(book=book)) == 10  # behind the one that hangs, on the only thread
    with pytest.raises(CannotLook, match=r"no progress for 0\.3 s"):
        facts.get(Hangs(book=book))
    assert facts.stuck


def test_whoever_waits_for_a_stalled_fact_gets_its_failure(book):
    facts = graph(2, stall_s=0.3)
    facts.start(Hangs(book=book))
    facts.start(Waits(book=book))
    with pytest.raises(CannotLook, match="no progress"):
        facts.get(Waits(book=book))


def test_slow_work_that_shows_progress_is_not_given_up():
    facts = graph(1, stall_s=0.3)
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
