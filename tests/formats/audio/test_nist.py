"""Headers of NIST SPHERE files, written line by line."""

import pytest
from support.clips import faults, read, told

from audit.records.signals import Length

PLAIN = ("sample_rate -i 16000", "channel_count -i 1", "sample_n_bytes -i 2", "sample_byte_format -s2 01")


def nist(*lines, size="   1024", sound=bytes(200)):
    head = "\n".join(("NIST_1A", size, *lines, "end_head", ""))
    return head.encode().ljust(1024) + sound


def test_the_plain_file():
    data = nist("database_id -s5 TIMIT", *PLAIN, "sample_count -i 100", "sample_coding -s3 pcm")
    assert told(data) == ("NIST", "PCM_16", 16000, 1, 16, 100)
    assert (read(data).length, faults(data)) == (Length.EXACT, [])


@pytest.mark.parametrize(("coding", "subtype"), [("ulaw", "ULAW"), ("alaw", "ALAW"), ("mu-law", "ULAW")])
def test_telephone_speech(coding, subtype):
    lines = "sample_rate -i 8000", "channel_count -i 2", "sample_n_bytes -i 1", f"sample_coding -s4 {coding}"
    assert told(nist(*lines)) == ("NIST", subtype, 8000, 2, None, 100)


def test_what_is_packed_has_the_declared_length():
    data = nist(*PLAIN, "sample_count -i 46797", "sample_coding -s26 pcm,embedded-shorten-v2.00")
    assert told(data) == ("NIST", "SHORTEN", 16000, 1, None, 46797)
    assert read(data).length is Length.DECLARED


def test_a_cut_file_says_how_much_is_missing():
    (fault,) = read(nist(*PLAIN, "sample_count -i 100", sound=bytes(150))).faults
    assert (fault.kind, fault.expected, fault.found) == ("truncated", 200, 150)
    assert faults(nist(*PLAIN)[:500]) == ["truncated"]


@pytest.mark.parametrize(
    "data",
    [
        nist(*PLAIN, size="  what?"),
        nist(*PLAIN, size="      4"),
        nist("channel_count -i 1"),
        nist("sample_rate -i 0", "channel_count -i 1"),
        nist("sample_rate -i 16000", "sample_n_bytes -i 9"),
        nist("sample_rate -i 16000", "sample_coding -s4 what"),
        nist("sample_rate -i -16000"),
        nist("sample_rate -i " + "9" * 600),
    ],
)
def test_a_header_that_makes_no_sense(data):
    assert faults(data) == ["header"]
