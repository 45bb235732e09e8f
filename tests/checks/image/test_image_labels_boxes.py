"""Boxes held against the picture, as the definition says it, for any boxes."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.checks.image._boxes import SLACK_PX, Entry, held, sound
from audit.records.image import Picture, PictureFormat, PictureHeader
from audit.records.labels import AnnotatedPicture, AnnotationFile, Annotations, Box, Unit

FORM = PictureFormat(name="PNG", mode="RGB", channels=3, bits=8)
PICTURE = Picture(path="a.png", location="/a.png", size=1, header=PictureHeader(format=FORM, width=8, height=4))
HALVES = st.integers(-20, 20)


def entry(boxes, unit, inclusive):
    picture = AnnotatedPicture(path="a.png", boxes=tuple(boxes))
    said = Annotations(pictures=(picture,), unit=unit, noun="box", inclusive=inclusive)
    return Entry(AnnotationFile(path="labels", said=said, single=False), picture)


def counts(found):
    return {one.kind: one.found for one in found}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no slow strategy
@given(
    st.lists(st.tuples(st.sampled_from("ab"), HALVES, HALVES, HALVES, HALVES), max_size=6),
    st.sampled_from(Unit),
    st.booleans(),
)
def test_any_boxes(drawn, unit, inclusive):
    said = [(label, *(half / 2 for half in halves)) for label, *halves in drawn]
    boxes = [Box(label=label, x=x, y=y, w=w, h=h, where=1) for label, x, y, w, h in said]
    one = entry(boxes, unit, inclusive)
    wide, high = (8, 4) if unit is Unit.SHARES else (1, 1)
    outside = sum(
        x * wide < -SLACK_PX or y * high < -SLACK_PX or (x + w) * wide > 8 + SLACK_PX or (y + h) * high > 4 + SLACK_PX
        for _, x, y, w, h in said
    )
    flat = sum(min(w, h) < 0 or (min(w, h) == 0 and not inclusive) for *_, w, h in said)
    expected = {"outside": outside, "degenerate": flat, "duplicate": len(said) - len(set(said))}
    found = [*held(PICTURE, [one], upright=True), *sound("a.png", [one])]
    assert counts(found) == {kind: count for kind, count in expected.items() if count}


def test_a_picture_of_which_nothing_is_said_is_not_asked_for_its_size():
    nothing = entry((), Unit.PIXELS, inclusive=False)
    unread = Picture(path="a.png", location="/a.png", size=0, header=PictureHeader())
    assert list(held(unread, [nothing], upright=True)) == []
