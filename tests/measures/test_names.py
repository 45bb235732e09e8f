import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from audit.measures.names import same_after_nfc, twins

COMPOSED, DECOMPOSED = "se\u00f1or.png", "sen\u0303or.png"
NAMES = st.lists(st.sampled_from([COMPOSED, DECOMPOSED, "a", "\u212b", "\u00c5", "A\u030a"]), unique=True)


def test_a_name_in_another_normal_form_is_found():
    assert same_after_nfc([COMPOSED, "other"], [DECOMPOSED, "missing"]) == {COMPOSED: DECOMPOSED}
    assert twins([COMPOSED, DECOMPOSED, "a"]) == [(COMPOSED, 2)]


@given(NAMES, NAMES)
def test_what_is_found_is_equal_after_nfc_and_nothing_equal_is_left(here, listed):
    found = same_after_nfc(here, listed)
    forms = {unicodedata.normalize("NFC", name) for name in listed}
    assert set(found) == {name for name in here if not name.isascii() and unicodedata.normalize("NFC", name) in forms}
    assert all(unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other) for one, other in found.items())


@given(NAMES)
def test_twins_count_every_name_that_has_one(names):
    forms = [unicodedata.normalize("NFC", name) for name in names]
    assert twins(names) == sorted((form, forms.count(form)) for form in set(forms) if forms.count(form) > 1)
