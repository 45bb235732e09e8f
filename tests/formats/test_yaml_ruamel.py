"""The YAML loader against ruamel.yaml in its pure, YAML 1.2 form: the reader that DVC uses."""

import json
import re
import warnings
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML, YAMLError

from audit.errors import FormatError
from audit.formats.yaml import CORE, RUAMEL, parse


def ruamel(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # anchors that are set again
        try:
            return YAML(typ="safe", pure=True).load(text)
        except (TypeError, ValueError, IndexError) as crash:  # unhashable keys, numbers without digits
            raise YAMLError(str(crash)) from crash


def same(left, right):
    """Equal in value and type; NaN equals itself."""
    return repr(left) == repr(right)


# -- documents written in many spellings -------------------------------------------------

WORDS = st.sampled_from(
    ["a", "b c", "no", "on", "null", "~", "1", "-1.5e3", "0o17", "1:30", "", " ", "é", "x: y", "# c", "- d", "it's",
     '"q"', "two\nlines", "end\n", "\tt", "{", "[", "*a", "&a", "!t", "%d", "@", "`", "|", ">", "?", ":", ",", "=",
     "\u263a", "\U0001f600"]
)  # fmt: skip
TEXT = WORDS | st.text(st.characters(min_codepoint=32, max_codepoint=0x24F, exclude_categories=["Cc"]), max_size=8)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)


def quoted(value):
    return json.dumps(value, ensure_ascii=False)


def spelled_scalar(draw, value):
    """One of the ways to write a scalar."""
    if value is None:
        return draw(st.sampled_from(["null", "~", "Null", "NULL"]))
    if isinstance(value, bool):
        word = str(value)
        return draw(st.sampled_from([word, word.lower(), word.upper()]))
    if isinstance(value, int):
        return draw(
            st.sampled_from([f"{value}", f"{value:+d}", *([f"{value:#x}", f"{value:#o}"] if value >= 0 else [])])
        )
    if isinstance(value, float):
        return "-.inf" if value == float("-inf") else ".INF" if value == float("inf") else repr(value)
    single = "'" + value.replace("'", "''") + "'"
    plain = [value] if re.fullmatch(r"[a-z]+", value) and value not in {"null", "true", "false"} else []
    return draw(st.sampled_from([quoted(value), *([single] if value.isprintable() else []), *plain]))


def spelled(draw, value, indent):
    """One of the ways to write a value, as the text after `key:` or `-`."""
    if not isinstance(value, list | dict):
        return " " + spelled_scalar(draw, value)
    if not value or draw(st.integers(0, 3)) == 0:
        return " " + flow(draw, value)
    margin = "\n" + " " * indent
    comment = draw(st.sampled_from(["", " # c", "\n"]))
    deeper = indent + draw(st.integers(1, 3))
    if isinstance(value, list):
        return comment + "".join(f"{margin}-{spelled(draw, item, deeper)}" for item in value)
    return comment + "".join(
        f"{margin}{spelled_scalar(draw, key)}:{spelled(draw, item, deeper)}" for key, item in value.items()
    )


def flow(draw, value):
    if isinstance(value, list):
        return "[" + ", ".join(flow(draw, item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)}: {flow(draw, item)}" for key, item in value.items()) + "}"
    return spelled_scalar(draw, value)


@given(VALUE, st.data())
def test_a_document_means_the_same_however_it_is_spelled(value, data):
    text = "---" + spelled(data.draw, value, 0) + "\n"
    assert same(parse(text, "f.yaml"), ruamel(text))
    assert same(parse(text, "f.yaml"), value)


# -- plain scalars --------------------------------------------------------------------------

# Where ruamel.yaml reads a plain scalar otherwise than the core schema of YAML 1.2.
DIFFERS = {
    r"[-+]?[0-9_.eE+-]*_[0-9_.eE+-]*": "underscores in numbers were dropped from YAML 1.2; ruamel still takes them",
    r"[-+]?0b[01_]*": "base 2 was dropped from YAML 1.2",
    r"[-+]?0[xo][0-9a-fA-F_]*": "a sign or underscores before or in base 8 and 16: text in the core schema",
    r"[-+]?\.[0-9_]+[eE][0-9]+": "ruamel wants a sign in the exponent after a leading dot; the core schema does not",
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*": "timestamps are no part of the core schema",
    r"=|<<": "the 'value' and 'merge' types of YAML 1.1 are no part of the core schema",
}
STRUCTURE = re.compile(r"[-:?]( .*)?|.*: .*|.*:|\s.*|.*\s|")
TOKEN = (
    st.text(alphabet="0123456789+-._eExobanfiNAFI~:tru=< ", max_size=8)
    | st.from_regex(
        r"\A(0o[0-9]+|0x[0-9a-g]+|[-+]?[0-9]*\.?[0-9]*([eE][-+]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{1,2}|1[0-9_]+|[nN](ull|ULL)|[tT](rue|RUE))\Z"
    )
).filter(lambda token: not STRUCTURE.fullmatch(token))


def outcome(read, token):
    """The value, or that there is none."""
    value, reason = attempt(read, f"- {token}\n")
    return "refused" if reason else repr(value)


def attempt(read, text):
    """The value, or the reason why there is none."""
    try:
        return read(text), ""
    except (FormatError, YAMLError) as error:
        return None, str(error)


@given(TOKEN)
@example("1e-4")
@example("0o17")
@example("1_000")
@example(".5e3")
@example("2001-12-14")
def test_plain_scalars_are_read_alike_but_for_the_listed_reasons(token):
    ours, theirs = outcome(lambda text: parse(text, "f.yaml"), token), outcome(ruamel, token)
    if ours != theirs:
        assert any(re.fullmatch(pattern, token) for pattern in DIFFERS), (token, ours, theirs)


@given(TOKEN)
@example("-0x1F")
@example("+_")
@example("._")
@example("1_0.5_0e1")
def test_the_ruamel_schema_reads_plain_scalars_as_ruamel(token):
    assume(token not in {"=", "<<"})  # ruamel cannot construct these two
    assert outcome(lambda text: parse(text, "f.yaml", schema=RUAMEL), token) == outcome(ruamel, token)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2001-12-14", date(2001, 12, 14)),
        ("2001-1-4", "2001-1-4"),
        ("2001-1-4 5:06:07", datetime(2001, 1, 4, 5, 6, 7)),  # noqa: DTZ001 - no offset is written, none is made up
        ("2001-12-14T21:59:43Z", datetime(2001, 12, 14, 21, 59, 43, tzinfo=UTC)),
        (
            "2001-12-14t21:59:43.10-05:30",
            datetime(2001, 12, 14, 21, 59, 43, 100000, timezone(-timedelta(hours=5, minutes=30))),
        ),
        ("2001-12-14 21:59:43.123456 +2", datetime(2001, 12, 14, 21, 59, 43, 123456, timezone(timedelta(hours=2)))),
    ],
)
def test_the_ruamel_schema_reads_dates(text, value):
    assert parse(text, "f.yaml", schema=RUAMEL) == ruamel(text) == value
    assert parse(text, "f.yaml", schema=CORE) == text


@pytest.mark.parametrize("text", ["2001-13-14", "2001-02-30 1:02:03", "2001-02-03 25:02:03", "2001-12-14 21:59:43 +99"])
def test_dates_off_the_calendar_are_refused(text):
    with pytest.raises(FormatError, match="no date"):
        parse(text, "f.yaml", schema=RUAMEL)


# -- merge keys -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\n",
        "a: &a {x: 1}\nb: &b {x: 2, z: 3}\nc:\n  y: 0\n  <<: [*a, *b]\n",
        "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\n",
        "a: {<<: {x: 1}, x: 2}\n",
        "a: {'<<': 1}\n",
        "a: {<<: []}\n",
    ],
)
def test_the_ruamel_schema_merges_as_ruamel(text):
    assert parse(text, "f.yaml", schema=RUAMEL) == ruamel(text)


@pytest.mark.parametrize("text", ["{<<: 1}", "{<<: [1]}", "{<<: {a: 1}, <<: {b: 2}}", "{<<: }"])
def test_what_cannot_be_merged_is_refused(text):
    with pytest.raises(FormatError, match="<<"):
        parse(text, "f.yaml", schema=RUAMEL)


# -- structure: fragments thrown together -----------------------------------------------------

PIECES = [
    "- ", "a: ", "b: ", "c", "[", "]", "{", "}", ", ", "\n", "\n  ", "\n- ", "\n  - ", "'x y'", '"z\\n"', "|\n  lit\n",
    "# c\n", "&a ", "*a", "? ", ": ", "1", "~", "x:y", "---\n", '"k":', ">-\n   fold\n   ed\n", " ", ",", "#", "''",
]  # fmt: skip

# Where only one of the two accepts a text.
ONLY_OURS = {
    "found another document": "ruamel takes a second '...' for another document; it only closes the one before",
}
ONLY_THEIRS = {
    "did not find expected key": "libyaml wants '? ' before a block mapping's empty key",
    "a collection as a key": "refused on purpose",
    "inside what it stands for": "refused on purpose: a value without end",
}


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
@example("? - \n")
@example(":")
def test_fragments_are_read_alike_but_for_the_listed_reasons(text):
    ours, our_reason = attempt(lambda text: parse(text, "f.yaml"), text)
    theirs, their_reason = attempt(ruamel, text)
    if our_reason and not their_reason:
        assert any(reason in our_reason for reason in ONLY_THEIRS)
    elif their_reason and not our_reason:
        assert any(reason in their_reason for reason in ONLY_OURS)
    else:
        assert same(ours, theirs)
