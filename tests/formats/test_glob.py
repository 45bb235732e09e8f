import pytest

from audit.errors import FormatError
from audit.formats.glob import Pattern, has_signs


def takes(pattern, path):
    """Whether a pattern takes a file, followed name by name as a walk does."""
    pattern = Pattern(pattern)
    positions = pattern.start
    *folders, name = path.split("/")
    for folder in folders:
        if pattern.names_all(positions):
            return True
        step = pattern.step(positions, folder)
        if step.taken:
            return True
        positions = step.positions
    return pattern.names_all(positions) or pattern.step(positions, name).taken


@pytest.mark.parametrize(
    ("pattern", "path", "taken"),
    [
        ("data/a.csv", "data/a.csv", True),
        ("data/a.csv", "data/b.csv", False),
        ("data", "data/b/c.csv", True),
        ("./data//a.csv", "data/a.csv", True),
        ("data/*.wav", "data/a.wav", True),
        ("data/*.wav", "data/sub/a.wav", False),
        ("data/**/*.wav", "data/a.wav", True),
        ("data/**/*.wav", "data/x/y/a.wav", True),
        ("**/x/**/a", "q/x/x/r/a", True),
        ("**/x/**/a", "q/r/a", False),
        ("data/**", "data/x/y", True),
        ("data/*", "data/x/y", True),
        ("data/*/y", "data/x/y", True),
        ("data/?.csv", "data/ab.csv", False),
        ("data/[ab].csv", "data/a.csv", True),
        ("data/[!ab].csv", "data/a.csv", False),
        ("data/[[]1].csv", "data/[1].csv", True),
        ("data/*", "data/.hidden", False),
        ("data/.*", "data/.hidden", True),
        ("data/[.]*", "data/.hidden", False),
        ("data/**/*.wav", "data/.x/a.wav", False),
        ("data/.x/**/*.wav", "data/.x/a.wav", True),
        ("data/*.csv", "data/a\n.csv", True),
    ],
)
def test_a_pattern_takes_what_pathlib_would_but_for_dot_names(pattern, path, taken):
    assert takes(pattern, path) is taken


def test_two_stars_are_no_part_of_a_name():
    with pytest.raises(FormatError, match="stand alone"):
        Pattern("data/**.wav")


@pytest.mark.parametrize(("path", "signs"), [("data/a.csv", False), ("data/*", True), ("a?", True), ("a[1]", True)])
def test_a_path_without_signs_is_no_pattern(path, signs):
    assert has_signs(path) is signs
