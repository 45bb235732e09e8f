"""DVC's configuration files mean what ConfigObj, which DVC uses, takes them to mean."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.dvc import config, ini
from audit.formats.dvc.config import Level

pieces = st.sampled_from(
    [
        "a",
        "key",
        "=",
        " = ",
        ",",
        "'",
        '"',
        "#",
        " ",
        "[s]",
        "['remote \"r\"']",
        "[[n]]",
        "]",
        "%",
        "x y",
        "\n",
        "\n",
        '"""',
        "'q,r'",
    ]
)


def by_configobj(text: str) -> dict[str, Any]:
    from configobj import ConfigObj

    found = ConfigObj(io.BytesIO(text.encode()), interpolation=False).dict()
    sections = {name: value for name, value in found.items() if isinstance(value, dict)}
    top = {name: value for name, value in found.items() if not isinstance(value, dict)}
    plain = {
        section: {key: value for key, value in settings.items() if not isinstance(value, dict)}
        for section, settings in sections.items()
    }
    return {"": top, **plain}


@settings(max_examples=300)
@given(st.lists(pieces, max_size=12).map("".join))
@example("a = 1\n[core]\nremote = x # why\nlist = a, 'b,c' ,\nempty =\n'quo ted' = \"#no\"\n")
@example('[s]\nlong = """one\ntwo""" # c\n')
@example("a = ,\nb = x,\nc = x#y\n")
@example("a=,a")
@example("a=a,,b")
def test_what_we_accept_means_the_same_to_configobj(text):
    from configobj import ConfigObjError

    try:
        found = ini.parse(text.encode(), "config")
    except FormatError:
        return  # we may be stricter: DVC itself writes only what both accept
    try:
        expected = by_configobj(text)
    except ConfigObjError as error:
        raise AssertionError(f"{text!r} is refused by ConfigObj: {error}") from None
    lowered = {
        name.lower(): {key.lower(): value for key, value in section.items()} for name, section in expected.items()
    }
    assert {name: {key: each.value for key, each in section.items()} for name, section in found.items()} == lowered


@given(
    st.dictionaries(
        st.sampled_from(["url", "user", "type"]),
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=12),
    )
)
def test_what_configobj_writes_is_read(section):
    from configobj import ConfigObj

    written = ConfigObj(interpolation=False, encoding="utf-8")
    written["'remote \"r\"'"] = section
    try:
        lines = written.write()
    except Exception:  # noqa: BLE001 - a value that ConfigObj cannot spell
        return
    text = b"\n".join(lines)
    if b"%(" in text:
        return
    try:
        expected = by_configobj(text.decode())
    except Exception:  # noqa: BLE001 - nor read back
        return
    found = ini.parse(text, "config")
    assert [each.value for each in found["'remote \"r\"'"].values()] == list(expected["'remote \"r\"'"].values())


WRONG = [
    "nonsense",
    "[open",
    "a = 'x",
    'a = """x',
    "a = 1\na = 2",
    "[s]\n[s]",
    "[[deep]]",
    "url = %(x)s",
    "a = 'x' y",
    "= 1",
]


@pytest.mark.parametrize("text", WRONG)
def test_what_makes_no_sense_is_named_with_its_line(text):
    with pytest.raises(FormatError, match=r"^config:\d+: the line"):
        ini.parse(text.encode(), "config")


@given(st.binary(max_size=80) | st.text(max_size=60).map(str.encode))
def test_any_bytes_give_settings_or_a_format_error(data):
    with contextlib.suppress(FormatError):
        config.parse([Level(folder="/p/.dvc", name="config", data=data)], "/p", "/home/me")


def test_secrets_are_not_kept():
    text = b"['remote \"r\"']\nurl = https://me:pa55@host/x?token=pa55#pa55\npassword = pa55\n"
    found = config.parse([Level(folder="/p/.dvc", name="config", data=text)], "/p", "/home/me")
    assert found.urls == {"r": "https://host/x"}
    assert found.remotes[0].options == ("password",)
    assert "pa55" not in repr(found)


def test_remotes_that_lead_in_circles():
    text = b"['remote \"a\"']\nurl = remote://b/x\n['remote \"b\"']\nurl = remote://a/y\n"
    with pytest.raises(FormatError, match="no remote 'a' to build on"):
        config.parse([Level(folder="/p/.dvc", name="config", data=text)], "/p", "/home/me")


@pytest.mark.parametrize("line", ["a" + " " * 500_000 + "b", "[" * 200_000, "a = '" + "x " * 300_000, "'" * 300_000])
def test_long_lines_take_no_time(line):
    with pytest.raises(FormatError):
        ini.parse(line.encode(), "config")
