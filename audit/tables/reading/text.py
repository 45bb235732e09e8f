"""Delimited text in one or more files, brought into one typed Arrow file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from audit.errors import CannotLook
from audit.records.table import Remark, Staged, Staging
from audit.tables import sheet
from audit.tables.reading.delimited import Delimited
from audit.tables.reading.draft import Draft
from audit.tables.reading.infer import Seen
from audit.tables.reading.notes import Note, notes


def stage(asked: Staging) -> Staged:
    """The rows of all files in their order. Raises `CannotLook` if one has not the columns of the first."""
    opened = [Delimited(part, asked.reading) for part in asked.parts]
    names, renamed = unique(_names(opened[0]))
    folders = [name for name, _ in asked.parts[0].keys]
    draft = Draft(asked.scratch, (*names, *folders), len(folders), asked.reading.missing)
    starts = []
    for file, part in zip(opened, asked.parts, strict=True):
        starts.append(draft.rows)
        order = _order(opened[0], file)
        for columns in file.blocks():
            rows = len(columns[0])
            draft.add([*(columns[place] for place in order), *sheet.keys(part, rows)], file.name)
    remarks = (*_of_names(opened[0], renamed), *_of_rows(opened), *_of_values(draft, opened, starts))
    path, found = draft.finish()
    return Staged(files=(path,), format="ipc", columns=found, remarks=remarks)


def unique(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names with ` (2)` and so on behind those that came before, and the names that did."""
    found: list[str] = []
    again: list[str] = []
    taken, counts = set(names), dict[str, int]()
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        if counts[name] == 1:
            found.append(name)
            continue
        again.append(name)
        new = name
        while new in taken:
            new = f"{name} ({counts[name]})"
            counts[name] += new in taken
        taken.add(new)
        found.append(new)
    return tuple(found), tuple(dict.fromkeys(again))


def _names(file: Delimited) -> Sequence[str]:
    return file.header if file.header is not None else [f"column_{number + 1}" for number in range(file.fields)]


def _order(first: Delimited, file: Delimited) -> Sequence[int]:
    """Where the columns of the first file stand in this one."""
    here, there = list(_names(file)), list(_names(first))
    if here == there:
        return range(len(here))
    if sorted(here) != sorted(there) or len(set(here)) < len(here):
        odd = [name for name in here if name not in there] or [name for name in there if name not in here] or here
        raise CannotLook(
            f"has not the columns of {first.name}: {odd[0]!r}",
            where=file.name,
            hint="write all files of the dataset with the same header",
        )
    return [here.index(name) for name in there]


def _of_names(first: Delimited, renamed: Sequence[str]) -> Iterator[Remark]:
    if first.broken:
        said = _not_utf8(first.broken[0])
        yield Remark(kind="encoding", count=len(first.broken), message=said, lines=(1,), file=first.name)
    for name in renamed:
        count = list(first.header or ()).count(name)
        yield Remark(
            kind="duplicate-name",
            count=count,
            message=f"{count} columns are called {name!r}; the later ones are read as {name + ' (2)'!r} and so on",
            column=name,
            lines=(1,),
            file=first.name,
        )


def _of_rows(opened: Sequence[Delimited]) -> Iterator[Remark]:
    for file in opened:
        if file.ragged:
            rows = "row has" if file.ragged == 1 else "rows have"
            said = f"{file.ragged:,} {rows} another number of fields than the {file.fields} of the first; left out"
            yield Remark(kind="ragged", count=file.ragged, message=said, lines=file.ragged_lines(), file=file.name)


def _of_values(draft: Draft, opened: Sequence[Delimited], starts: Sequence[int]) -> Iterator[Remark]:
    for name, guess, broken in zip(draft.told, draft.guesses, draft.broken, strict=False):
        found = [*_of_bytes(broken), *notes(guess)]
        for note in found:
            number = bisect_right(starts, note.rows[0]) - 1
            file, end = opened[number], starts[number + 1] if number + 1 < len(starts) else draft.rows
            rows = [row - starts[number] for row in note.rows if row < end]
            yield Remark(
                kind=note.kind,
                count=note.count,
                message=note.message,
                column=name,
                lines=file.lines_of(rows),
                file=file.name,
            )


def _of_bytes(broken: Seen) -> Iterator[Note]:
    if broken.count:
        yield Note(kind="encoding", count=broken.count, message=_not_utf8(broken.first), rows=tuple(broken.rows))


def _not_utf8(first: str) -> str:
    return f"not UTF-8, first {first[:60]!r}; say the encoding: `reading: {{encoding: latin-1}}`"
