"""`reading`: how the text of a table is to be read, as a rule file declares it."""

import pytest

from audit.config.load import load_config
from audit.errors import ConfigError
from audit.records.table import Reading


def load(folder, said):
    (folder / "audit.yaml").write_text(f"version: 1\ndatasets:\n  d: {said}\n")
    (dataset,) = load_config(folder).datasets
    return dataset


def test_what_is_declared_is_handed_on(tmp_path):
    said = '{path: t.csv, reading: {delimiter: "\\t", quote: "", encoding: latin-1, header: false, missing: ["?"]}}'
    wanted = Reading(delimiter="\t", quote="", encoding="latin-1", header=False, missing=("?",))
    assert load(tmp_path, said).reading == wanted
    assert load(tmp_path, "{path: t.csv}").reading == Reading()


def test_it_can_change_a_verdict_and_so_the_digest(tmp_path):
    digests = set()
    for said in ("{path: t.csv}", "{path: t.csv, reading: {header: true}}"):
        load(tmp_path, said)
        digests.add(load_config(tmp_path).digest)
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("{path: t.wav, reading: {header: true}}", "says how to read a table; the dataset is of kind audio"),
        ('{path: t.csv, reading: {delimiter: "::"}}', "length <= 1"),
        ("{path: t.csv, reading: {delimeter: x}}", "delimiter"),
        ("{path: t.csv, frame: x}", "frame"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, said, reason):
    with pytest.raises(ConfigError, match=reason):
        load(tmp_path, said)
