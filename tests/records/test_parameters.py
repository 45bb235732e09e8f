from __future__ import annotations

import pytest
from support import toys

from audit.records.parameters import dataset_parameters, left_open, parameters


@pytest.mark.parametrize(
    ("check", "names"),
    [
        (toys.Plain, ()),
        (toys.Rate, ("dataset",)),
        (toys.Drift, ("reference", "current")),
        (toys.Apart, ("datasets", "dataset")),
    ],
)
def test_parameters_that_name_datasets(check, names):
    assert dataset_parameters(check) == names


@pytest.mark.parametrize(
    ("check", "given", "names"),
    [
        (toys.Rate, (), ("dataset",)),
        (toys.Rate, ("dataset",), ()),
        (toys.Drift, ("reference",), ("current",)),
        (toys.Apart, (), ()),  # it can do without
        (toys.Needy, (), ()),  # its threshold names no dataset
    ],
)
def test_datasets_that_a_rule_leaves_open(check, given, names):
    assert left_open(check, given) == names


def test_a_parameter_as_a_person_reads_of_it():
    told = {one.name: one for one in parameters(toys.Rate)}
    assert told["sample_rate_hz"] == ("sample_rate_hz", "a whole number", "nothing", "Samples per second.")
    assert told["dataset"].default == "each dataset"
    assert told["subtype"] == ("subtype", "one of PCM_16, PCM_24, FLOAT", '"PCM_16"', "")
    assert [one.default for one in parameters(toys.Drift)] == [
        "each dataset with the role train",
        "each dataset with the role val",
        "[]",
    ]
    assert parameters(toys.Needy)[0].default is None
