"""The tag files of BagIt bags."""

import contextlib
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.manifest.bagit import Bag, ManifestName, Oxum, declaration, fetched, manifest, manifest_name, oxum

SHA256 = hashlib.sha256(b"x").hexdigest()
OLD, NEW = Bag((0, 97), "utf-8"), Bag((1, 0), "utf-8")
PAYLOAD, TAGS = ManifestName("sha256", tags=False), ManifestName("sha256", tags=True)


def paths(row, bag=NEW, said=PAYLOAD):
    return [line.path for line in manifest(f"{SHA256}{row}\n".encode(), "m", bag, said).lines]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_the_declaration_is_two_lines(end):
    text = f"BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8{end}".replace("\n", end or "\n")
    assert declaration(text.encode(), "bagit.txt") == OLD
    assert not OLD.all_listed_in_all
    assert NEW.all_listed_in_all


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeffBagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
        "BagIt-Version: 1.0\n",
        "BagIt-Version: 1\nTag-File-Character-Encoding: UTF-8\n",
        "Tag-File-Character-Encoding: UTF-8\nBagIt-Version: 1.0\n",
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\nMore: 1\n",
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: rot13\n",
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: no-such\n",
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: zlib\n",
    ],
)
def test_other_declarations_are_refused(text):
    with pytest.raises(FormatError):
        declaration(text.encode(), "bagit.txt")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("manifest-sha256.txt", PAYLOAD),
        ("tagmanifest-SHA256.txt", TAGS),
        ("manifest-sha3-256.txt", ManifestName("sha3-256", tags=False)),
        ("manifest-sha256.txt.bak", None),
        ("bag-info.txt", None),
        ("my-manifest-sha256.txt", None),
    ],
)
def test_manifests_are_told_by_their_names(name, said):
    assert manifest_name(name) == said


@pytest.mark.parametrize(
    ("row", "bag", "path"),
    [
        ("  data/a b", NEW, "data/a b"),
        ("\tdata/a", NEW, "data/a"),
        (" *data/a", NEW, "data/a"),
        (" *data/a", OLD, "data/a"),
        (" data/a%0Ab%0dc%25d", NEW, "data/a\nb\rc%d"),
        (" data/a%0Ab%25d%41", OLD, "data/a\nb%25d%41"),
        (" data/%2e%2e", NEW, "data/%2e%2e"),
        (" ./data/a", OLD, "data/a"),
        (" ../evil", NEW, "../evil"),
        (" /etc/passwd", NEW, "/etc/passwd"),
        (" data/\u2028x", NEW, "data/\u2028x"),
    ],
)
def test_paths_are_decoded(row, bag, path):
    assert paths(row, bag) == [path]


def test_a_star_before_a_tag_file_is_a_name_in_1_0():
    assert paths(" *x", OLD, TAGS) == ["x"]
    assert paths(" *x", NEW, TAGS) == ["*x"]


@pytest.mark.parametrize(
    ("row", "said", "reason"),
    [
        (f"{SHA256} bag-info.txt", PAYLOAD, "outside data/"),
        (f"{SHA256} data/x", TAGS, "payload file in a tag manifest"),
        (f"{SHA256[1:]} data/x", PAYLOAD, "63 hex digits"),
        (f"{SHA256}", PAYLOAD, "not '<digest> <path>'"),
        ("text", PAYLOAD, "not '<digest> <path>'"),
    ],
)
def test_what_is_malformed_says_why(row, said, reason):
    (bad,) = manifest(f"\r\n{row}\r\n".encode(), "m", NEW, said).bad
    assert bad.number == 2
    assert reason in bad.reason


def test_algorithms_that_are_not_understood_are_refused():
    with pytest.raises(FormatError, match="sha3-256"):
        manifest(b"", "m", NEW, ManifestName("sha3-256", tags=False))


def test_tag_files_are_read_in_their_encoding():
    data = f"{SHA256} data/\u00e9\n"
    assert manifest(data.encode("utf-16"), "m", Bag((1, 0), "utf-16"), PAYLOAD).lines[0].path == "data/é"
    assert manifest(data.encode("latin-1"), "m", Bag((1, 0), "iso8859-1"), PAYLOAD).lines[0].path == "data/é"
    with pytest.raises(FormatError, match="not ascii"):
        manifest(data.encode(), "m", Bag((1, 0), "ascii"), PAYLOAD)


def test_the_oxum_is_found_among_other_labels():
    data = b"Source-Organization: X\n continued\nPayload-Oxum : 279164409832.1198\nBagging-Date: 2016\n"
    assert oxum(data, "bag-info.txt", NEW) == Oxum(279164409832, 1198)
    assert str(Oxum(5, 2)) == "5.2"
    assert oxum(b"A: b\n", "bag-info.txt", NEW) is None


@pytest.mark.parametrize("value", ["5", "5.x", "", "-1.2", "1.1\nPayload-Oxum: 2.2"])
def test_a_malformed_oxum_is_refused(value):
    with pytest.raises(FormatError):
        oxum(f"Payload-Oxum: {value}\n".encode(), "bag-info.txt", NEW)


def test_fetch_lists_paths_and_never_urls():
    data = b"https://user:secret@example.org/a?sig=s 5 data/a\nhttps://example.org/b - data/b%0Ac\nbad\n"
    found = fetched(data, "fetch.txt", NEW)
    assert [(line.path, line.size) for line in found.lines] == [("data/a", 5), ("data/b\nc", None)]
    assert found.bad[0].number == 3
    assert "secret" not in repr(found)


READERS = [
    lambda data, _: declaration(data, "f"),
    lambda data, bag: oxum(data, "f", bag),
    lambda data, bag: fetched(data, "f", bag),
    lambda data, bag: manifest(data, "f", bag, PAYLOAD),
]


@given(st.binary(max_size=200), st.sampled_from([OLD, NEW, Bag((1, 0), "utf-16"), Bag((1, 0), "ascii")]))
@pytest.mark.parametrize("read", READERS)
def test_any_bytes_give_a_value_or_a_format_error(read, data, bag):
    with contextlib.suppress(FormatError):
        read(data, bag)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_empty_lines_are_counted_whatever_ends_them(end):
    (line,) = manifest(f"{end}{end} {end}{SHA256} data/a{end}{end}".encode(), "m", NEW, PAYLOAD).lines
    assert line.number == 4
