"""`array.integrity`: files of arrays are whole, unpack without a fault, and hold nothing that would run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from audit.checks.array._faults import faults
from audit.facts.signals.array_content import ArrayContent
from audit.facts.signals.array_headers import ArrayHeaders
from audit.records.array import ArrayFile, Arrays
from audit.records.array_content import Contents, Unpacked
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.labels import Weight
from audit.records.project import Project
from audit.records.words import Kind, Severity


class Integrity(Check):
    """Files of arrays are whole, unpack without a fault, and hold no pickle that would run code.

    Holds the size of each file against its header (`.npy`, `.npz`, safetensors, PyTorch), and
    unpacks what is packed, all of it, in processes of their own: every member of an archive
    (`.npz`, `.pt`, `.pth`) against its CRC, every chunk of HDF5 (with its fletcher32, where the
    file keeps one) and of Zarr, every page of Parquet and Arrow, every record of TFRecord against
    its CRC. `.npy` and safetensors keep no checksum: of them, a changed value cannot be seen;
    record digests for that (`data.lock`).

    Nothing is unpickled. Of pickles, the opcodes are read: one that names a function which runs
    what it is given (`os.system`, `builtins.exec`, ...) fails as `code`. Arrays of objects, other
    pickles, and names that `torch.load(weights_only=True)` refuses are `unsafe`, and weigh what
    `unsafe` says. What a file keeps in other files (external links, external storage and virtual
    datasets of HDF5) is named and not followed: the rule is then `error`, since nobody looked.

    Kinds: `truncated`, `trailing` (bytes behind the end), `header`, `corrupt`, `suffix` (the name
    promises another format), `empty`, `pointer` (of Git LFS), `absent` (chunks of Zarr that are
    not there and read as the fill value; weighs what `absent` says), `code`, `unsafe`,
    `external`, `unsupported`, `unknown`.

    ## Why it matters

    A download that broke off leaves a file whose header promises more than there is: loaders
    fail hours later, and memory maps read zeros. A chunk that was not copied reads as zeros
    without a word. And whoever unpickles a file runs what its author wanted.

    ## Example

    ```yaml
    datasets:
      weights: {path: "models/**/*.safetensors"}
    rules:
      - id: weights-whole
        check: array.integrity
        with: {dataset: weights, unsafe: error}
    ```

    ## How to fix

    Fetch the file again from where it came from; `git lfs pull` for a pointer. Store arrays of
    objects as arrays of numbers or of fixed-width text, and models as safetensors, or as a
    `state_dict` that `torch.load(weights_only=True)` takes. If a file would run code, do not
    open it: find out who wrote it. If a Zarr array is sparse by nature, say `absent: ok`.
    """

    accepts = frozenset({Kind.ARRAY})

    dataset: DatasetName
    unsafe: Annotated[
        Weight, Meta(description="How much weighs what only unpickling could read, if it is not known to run code.")
    ] = "warning"
    absent: Annotated[Weight, Meta(description="How much it weighs that chunks of Zarr are not there.")] = "warning"

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The headers of the files, and what unpacking them says."""
        dataset = project.dataset(self.dataset)
        return {
            "arrays": ArrayHeaders(root=project.root, dataset=dataset),
            "unpacked": ArrayContent(root=project.root, dataset=dataset),
        }

    def evaluate(self, arrays: Arrays, unpacked: Unpacked) -> Iterator[Finding]:
        """One violation for each fault of a file."""
        contents = {one.path: one.contents for one in unpacked.files}
        found = [one for file in arrays.files for one in self._file(file, contents.get(file.path, Contents()))]
        yield from (one.violation() for one in (*arrays.unseen, *unpacked.unseen))
        yield from found
        yield Figure(name="files", value=len(arrays.files))
        yield Figure(name="arrays", value=sum(len(file.header.tensors) for file in arrays.files))
        yield Figure(name="unpacked_parts", value=sum(one.parts for one in contents.values()))
        yield Figure(name="unpacked_bytes", value=sum(one.size for one in contents.values()))
        yield from _drawn(found)
        yield Summary(text=_told(arrays.files, found, sum(one.parts for one in contents.values())))

    def _file(self, file: ArrayFile, contents: Contents) -> Iterator[Violation]:
        """What is wrong with a file; what its header says already is not said again of its content."""
        weights = {"unsafe": self.unsafe, "absent": self.absent}
        some = list(dict.fromkeys((*file.header.faults, *contents.faults)))
        unsafe = [Violation(subject=file.path, kind="unsafe", message=what) for what in file.header.unsafe]
        for one in (*faults(file.path, some), *unsafe):
            weight = weights.get(one.kind, one.severity.value)
            if weight != "ok":
                yield replace(one, severity=Severity(weight))


def _drawn(found: Sequence[Violation]) -> Iterator[Exhibit]:
    kinds = sorted(Counter(one.kind for one in found).items(), key=lambda one: (-one[1], one[0]))
    if kinds:
        bars = {"labels": [kind for kind, _ in kinds], "values": [count for _, count in kinds]}
        yield Exhibit(type="bars", title="Files of arrays by what is wrong with them", data=bars)


def _told(files: Sequence[ArrayFile], found: Sequence[Violation], parts: int) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    held = f"{len(files):,} file{'' if len(files) == 1 else 's'}"
    told = f"{wrong:,} of {held} faulty" if wrong else f"{held} whole"
    return f"{told}, {parts:,} part{'' if parts == 1 else 's'} unpacked" if parts else told
