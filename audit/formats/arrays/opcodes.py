"""Pickles, walked and never run: which globals they name, and of what their objects would be made.

Source: pickletools of the standard library, whose table of opcodes says how each is read. Nothing is imported, called
or made but lists, tuples and the few records below; what a pickle would call stays a record of the call.
"""

from __future__ import annotations

import io
import pickletools
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections.abc import Callable
from struct import error as StructError  # noqa: N812 - it is an exception
from typing import Any, NamedTuple

from audit.formats.arrays.common import plain

MOST = 1_000_000
"""More opcodes than the pickle of any model has; what they leave behind takes some hundred MB at most."""

_STRANGE = "names something that it reckons only as it is unpickled"


class Global(NamedTuple):
    """A function or class that a pickle names, by the name that Python 3 has for it."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Pairs(list[tuple[Any, Any]]):
    """The items of a dict, whose keys may be anything."""


class Stored(NamedTuple):
    """What lies beside the pickle, by its persistent id."""

    id: Any


class Made:
    """What calling `callee` with `args` would make; `state` and `items` would then be handed to it."""

    __slots__ = ("args", "callee", "items", "state")

    def __init__(self, callee: Any, args: Any) -> None:
        self.callee, self.args = callee, args
        self.state: Any = None
        self.items: Pairs = Pairs()


class Walked(NamedTuple):
    """What a pickle would come to, the globals it names, what lies beside it, and the byte behind it.

    Where `problem` says what is wrong with it, there is no value, and the rest is what came before.
    """

    value: Any
    globals: tuple[Global, ...]
    stored: tuple[Stored, ...]
    end: int
    problem: str = ""


def walk(data: bytes) -> Walked:
    """Walk the pickle that begins these bytes."""
    machine = _Machine()
    file = io.BytesIO(data)
    try:
        for number, (opcode, arg, _) in enumerate(pickletools.genops(file)):
            if number == MOST:
                return machine.told(0, f"has more than {MOST:,} opcodes")
            machine.take(opcode.name, arg)
        return machine.told(file.tell())
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, StructError) as error:
        return machine.told(0, str(error)[:200] or type(error).__name__)


class _Machine:
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._below: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._globals: dict[Global, None] = {}
        self._stored: list[Stored] = []

    def told(self, end: int, problem: str = "") -> Walked:
        value = None if problem else self.stack[-1]
        return Walked(value, tuple(self._globals), tuple(self._stored), end, problem)

    def take(self, name: str, arg: Any) -> None:
        act = _ACTS.get(name)
        if act:
            act(self)
        elif name in _KEEPS:
            self._memo[arg] = self.stack[-1]
        elif name in _BRINGS:
            self.stack.append(self._memo[arg])
        elif name in _NAMES:
            self._name(name, arg)
        elif name == "PERSID":
            self.beside(arg)
        elif name not in _SILENT:
            self.stack.append(arg)

    def _name(self, name: str, arg: Any) -> None:
        if name == "STACK_GLOBAL":
            word, module = self.stack.pop(), self.stack.pop()
            self.stack.append(self.named(module, word))
        elif name in {"GLOBAL", "INST"}:
            module, _, word = arg.partition(" ")
            found = self.named(module, word)
            self.stack.append(found if name == "GLOBAL" else Made(found, self.marked()))
        else:
            self.stack.append(self.named("copyreg", f"extension {arg}"))

    def named(self, module: Any, name: Any) -> Global:
        """The global of that name; a name that is no text is named as what it is."""
        if isinstance(module, str) and isinstance(name, str):
            module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
            found = Global(plain(module[:200]), plain(name[:200]))
        else:
            found = Global("", _STRANGE)
        self._globals[found] = None
        return found

    def marked(self) -> list[Any]:
        """What was put on the stack since the last mark."""
        items = self.stack
        self.stack = self._below.pop()
        return items

    def forget(self) -> None:
        self.marked()

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def mark(self) -> None:
        self._below.append(self.stack)
        self.stack = []

    def pop(self) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self.stack = self._below.pop()

    def memoize(self) -> None:
        self._memo[len(self._memo)] = self.stack[-1]

    def tuple(self, size: int) -> None:
        if len(self.stack) < size:
            raise ValueError("takes more from its stack than it has put there")
        items = self.stack[-size:]
        del self.stack[-size:]
        self.stack.append(tuple(items))

    def reduce(self) -> None:
        args, callee = self.stack.pop(), self.stack.pop()
        self.stack.append(Made(callee, args))

    def object(self) -> None:
        callee, *args = self.marked()
        self.stack.append(Made(callee, args))

    def new_with_words(self) -> None:
        words, args, callee = self.stack.pop(), self.stack.pop(), self.stack.pop()
        self.stack.append(Made(callee, (args, words)))

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if isinstance(target, Made):
            target.state = state

    def append(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if isinstance(target, Made):
            target.items.extend((len(target.items) + number, item) for number, item in enumerate(items))
        elif isinstance(target, list) and not isinstance(target, Pairs):
            target.extend(items)

    def set(self, items: list[Any]) -> None:
        target = self.stack[-1]
        pairs = zip(items[::2], items[1::2], strict=True)
        if isinstance(target, Made):
            target.items.extend(pairs)
        elif isinstance(target, Pairs):
            target.extend(pairs)

    def beside(self, said: Any) -> None:
        self._stored.append(Stored(said))
        self.stack.append(self._stored[-1])

    def two(self) -> list[Any]:
        value, key = self.stack.pop(), self.stack.pop()
        return [key, value]


def _dict(machine: _Machine) -> None:
    items = machine.marked()
    machine.stack.append(Pairs(zip(items[::2], items[1::2], strict=True)))


_KEEPS = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
_BRINGS = frozenset({"GET", "BINGET", "LONG_BINGET"})
_NAMES = frozenset({"GLOBAL", "STACK_GLOBAL", "INST", "EXT1", "EXT2", "EXT4"})
_SILENT = frozenset({"PROTO", "FRAME", "STOP", "READONLY_BUFFER"})

_ACTS: dict[str, Callable[[_Machine], None]] = {
    "MARK": _Machine.mark,
    "POP": _Machine.pop,
    "POP_MARK": _Machine.forget,
    "DUP": lambda machine: machine.push(machine.stack[-1]),
    "MEMOIZE": _Machine.memoize,
    "NONE": lambda machine: machine.push(None),
    "NEWTRUE": lambda machine: machine.push(value=True),
    "NEWFALSE": lambda machine: machine.push(value=False),
    "EMPTY_TUPLE": lambda machine: machine.push(()),
    "EMPTY_LIST": lambda machine: machine.push([]),
    "EMPTY_SET": lambda machine: machine.push([]),
    "EMPTY_DICT": lambda machine: machine.push(Pairs()),
    "TUPLE": lambda machine: machine.push(tuple(machine.marked())),
    "LIST": lambda machine: machine.push(machine.marked()),
    "FROZENSET": lambda machine: machine.push(machine.marked()),
    "DICT": _dict,
    "TUPLE1": lambda machine: machine.tuple(1),
    "TUPLE2": lambda machine: machine.tuple(2),
    "TUPLE3": lambda machine: machine.tuple(3),
    "APPEND": lambda machine: machine.append([machine.stack.pop()]),
    "APPENDS": lambda machine: machine.append(machine.marked()),
    "ADDITEMS": lambda machine: machine.append(machine.marked()),
    "SETITEM": lambda machine: machine.set(machine.two()),
    "SETITEMS": lambda machine: machine.set(machine.marked()),
    "REDUCE": _Machine.reduce,
    "NEWOBJ": _Machine.reduce,
    "NEWOBJ_EX": _Machine.new_with_words,
    "OBJ": _Machine.object,
    "BUILD": _Machine.build,
    "BINPERSID": lambda machine: machine.beside(machine.stack.pop()),
}
