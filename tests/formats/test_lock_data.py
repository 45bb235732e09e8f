import os
import subprocess

import pytest
from blake3 import blake3

from audit.errors import FormatError
from audit.formats.lock_data import LockedFile, content_digest, lock_dataset, read, write
from audit.records.digests import Digest

ONE = blake3(b"one").hexdigest()
TWO = blake3(b"two").hexdigest()
HEX = "6137cde4893c59f76f005a8123d8e8e6"


def test_the_digest_is_that_of_the_lines_of_b3sum_in_the_order_of_bytes():
    lines = f"{TWO}  a.b\n{ONE}  a/b\n"
    assert content_digest([("a/b", ONE), ("a.b", TWO)]) == blake3(lines.encode()).hexdigest()
    assert content_digest([("a.b", TWO), ("a/b", ONE)]) == content_digest([("a/b", ONE), ("a.b", TWO)])
    assert content_digest([]) == blake3(b"").hexdigest()


def test_names_cannot_forge_a_line():
    forged = f"a\n{TWO}  b"
    assert content_digest([(forged, ONE)]) != content_digest([("a", ONE), ("b", TWO)])
    assert content_digest([(forged, ONE)]) == blake3(f"\\{ONE}  a\\n{TWO}  b\n".encode()).hexdigest()
    assert content_digest([("a\\nb", ONE)]) != content_digest([("a\nb", ONE)])


def test_names_are_bytes():
    name = os.fsdecode(b"\xff")
    assert content_digest([(name, ONE)]) == blake3(ONE.encode() + b"  \xff\n").hexdigest()


def test_the_digest_can_be_had_by_hand(tmp_path):
    for name in ("data/b c", "data/a/x", "data/a.y"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    found = subprocess.run(["find", "data", "-type", "f"], cwd=tmp_path, check=True, capture_output=True).stdout
    ordered = subprocess.run(["sort"], input=found, env={"LC_ALL": "C"}, check=True, capture_output=True).stdout
    digests = {name: blake3((tmp_path / name).read_bytes()).hexdigest() for name in ordered.decode().splitlines()}
    lines = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    assert content_digest(digests.items()) == blake3(lines.encode()).hexdigest()


def locked():
    return {
        "clips": lock_dataset(
            {"a": LockedFile(blake3=ONE, size=3, md5=HEX), "b": LockedFile(blake3=TWO, size=4, md5_dos2unix=HEX)}
        )
    }


def test_the_section_is_read_back_as_it_was_written():
    section = write(locked())
    assert section["clips"]["content"]["a"] == {"blake3": ONE, "size": 3, "md5": HEX}
    assert section["clips"]["content"]["b"] == {"blake3": TWO, "size": 4, "md5-dos2unix": HEX}
    assert (section["clips"]["files"], section["clips"]["bytes"]) == (2, 7)
    assert read(section) == locked()


def test_a_file_knows_by_which_digest_dvc_records_it():
    content = locked()["clips"].content
    assert content["a"].recorded == Digest(algorithm="md5", hex=HEX)
    assert content["b"].recorded == Digest(algorithm="md5-dos2unix", hex=HEX)
    assert LockedFile(blake3=ONE, size=1).recorded is None


def test_fields_of_a_later_audit_are_let_be():
    section = write(locked())
    section["clips"]["content"]["a"]["mode"] = "644"
    section["clips"]["rows"] = 1
    assert read(section) == locked()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda clips: clips.update(files=3),
        lambda clips: clips.update(bytes=8),
        lambda clips: clips.update(blake3=ONE),
        lambda clips: clips["content"]["a"].update(blake3=TWO),
        lambda clips: clips["content"].pop("a"),
    ],
)
def test_a_section_that_contradicts_itself_is_refused(spoil):
    section = write(locked())
    spoil(section["clips"])
    with pytest.raises(FormatError, match="'clips' is not that of its files"):
        read(section)


@pytest.mark.parametrize(
    "section", [[], {"clips": 1}, {"clips": {"blake3": "x", "bytes": 0, "files": 0, "content": {}}}]
)
def test_a_section_of_another_shape_is_refused(section):
    with pytest.raises(FormatError, match="data: ") as caught:
        read(section)
    assert "audit lock data" in caught.value.hint
