"""What a shell makes of the words of repairs is what was meant, whatever it was."""

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.records.shell import pathname, pathspec, word
from audit.records.text import plain

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
BYTES = st.binary(min_size=1, max_size=20).filter(lambda raw: b"\0" not in raw).map(os.fsdecode)
ODD = [
    "$(touch x)",
    "`x`",
    "a'b",
    'a"b',
    "a\nb",
    "\x1b[31m",
    "\u202e",
    "a\\b",
    "\udcff",
    "!x",
    "~",
    "#",
    "*",
    "é",
    "\\",
]


@pytest.fixture(scope="module")
def shell():
    """Ask one bash what it makes of words; it answers each with its bytes."""
    loop = 'while IFS= read -r -d \'\' line; do eval "set -- $line"; printf \'%s\\0\' "$#" "$1"; done'
    with subprocess.Popen(["bash", "-c", loop], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bash:
        yield lambda said: asked(bash, said)
        bash.stdin.close()


def asked(bash, said):
    bash.stdin.write(os.fsencode(said) + b"\0")
    bash.stdin.flush()
    count, text = (b"".join(iter(lambda: bash.stdout.read(1), b"\0")) for _ in range(2))
    return int(count), os.fsdecode(text)


@settings(max_examples=200, deadline=None)
@given(st.one_of(NAMES, BYTES, st.sampled_from(ODD)))
def test_a_word_comes_out_as_it_went_in_and_shows_what_it_is(shell, text):
    said = word(text)
    assert shell(said) == (1, text)
    assert plain(said) == said
    assert "\n" not in said
    assert "\t" not in said


@pytest.mark.parametrize(("said", "meant"), [("-rf", "./-rf"), ("--", "./--"), ("a-b", "a-b"), ("-\n", "./-\n")])
def test_no_path_is_an_option(shell, said, meant):
    assert shell(pathname(said)) == (1, meant)


@pytest.mark.parametrize("name", ["*", "a?", "[b]", ":(top)x", ":!x", "c\\d"])
def test_no_path_is_a_pattern_to_git(shell, tmp_path, name):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for each in (name, "other"):
        (tmp_path / each).write_text("x")
    _, said = shell(pathspec(name))
    listed = subprocess.run(["git", "ls-files", "-oz", "--", said], cwd=tmp_path, check=True, capture_output=True)
    assert listed.stdout == os.fsencode(name) + b"\0"
