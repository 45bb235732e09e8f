"""Pascal VOC's XML, written by hand."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations import voc
from audit.formats.annotations.voc import parse
from audit.records.labels import Box

BNDBOX = "<bndbox><xmin>1</xmin><ymin>2.5</ymin><xmax>40</xmax><ymax>100</ymax></bndbox>"
HEAD = "<part><name>head</name><bndbox><xmin>9</xmin><ymin>9</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></part>"
SIZE = "<size><width>40</width><height>100</height><depth>3</depth></size>"


def obj(box=BNDBOX, more=""):
    return f"<object><name>cat</name><pose>Left</pose>{box}{more}</object>"


def xml(*objects, name="<filename>a.jpg</filename>", size=SIZE, start=""):
    folder = "<folder>VOC2012</folder><source><annotation>PASCAL VOC2012</annotation></source>"
    return f"{start}<annotation>{folder}{name}{size}{''.join(objects)}</annotation>"


def said(*objects, **how):
    return parse(xml(*objects, **how).encode(), "a.xml")


def refused(data):
    with pytest.raises(FormatError) as caught:
        parse(data if isinstance(data, bytes) else data.encode(), "a.xml")
    return str(caught.value)


def test_the_plain_file():
    found = said(obj())
    (picture,) = found.pictures
    assert (picture.path, picture.width, picture.height) == ("a.jpg", 40, 100)
    assert picture.boxes == (Box(label="cat", x=1, y=2.5, w=39, h=97.5, where=1),)
    assert found.inclusive
    assert found.classes is None


def test_the_box_of_a_part_is_not_the_objects():
    assert said(obj(more=HEAD)).pictures[0].boxes == said(obj()).pictures[0].boxes


def test_an_object_without_a_box_is_counted_and_numbered():
    picture = said(obj(box=""), obj()).pictures[0]
    assert (picture.others, picture.boxes[0].where) == (1, 2)


def test_a_name_of_one_object_is_not_the_next_ones():
    assert said(obj(), f"<object>{BNDBOX}</object>").pictures[0].boxes[1].label is None


def test_without_a_size_none_is_declared():
    picture = said(size="").pictures[0]
    assert (picture.width, picture.height, picture.boxes) == (None, None, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings_of_xml_are_read(encoding):
    text = xml(name="<filename>ä.jpg</filename>", start=f'<?xml version="1.0" encoding="{encoding.upper()}"?>')
    assert parse(text.encode(encoding), "a.xml").pictures[0].path == "ä.jpg"


@pytest.mark.parametrize("encoding", ["rot13", "gbk", "cp1252", "base64", "idna"])
def test_others_are_not_looked_up(encoding):
    assert "the encoding" in refused(xml(start=f'<?xml version="1.0" encoding="{encoding}"?>'))


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE annotation>",
        '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;&b;">]>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a SYSTEM "http://localhost/a.dtd">',
    ],
)
def test_document_types_and_entities_are_refused(doctype):
    assert "document type" in refused(xml(start=doctype))


def test_an_entity_that_nobody_defined_is_refused():
    assert refused(xml(name="<filename>&b;</filename>"))


@pytest.mark.parametrize("path", ["/a.jpg", "../a.jpg", "C:\\a.jpg", "..\\a.jpg"])
def test_unsafe_paths_are_said_to_be(path):
    assert said(name=f"<filename>{path}</filename>").pictures[0].unsafe


def test_depth_is_bounded():
    deep = "<a>" * 31 + "</a>" * 31
    assert said(deep).pictures
    assert "deep" in refused(xml("<a>" * 40 + "</a>" * 40))
    assert "deep" in refused("<annotation>" + "<a>" * 300_000)


def test_what_is_no_such_file_is_refused_with_its_line():
    assert refused("<html/>") == "a.xml:1: its root is not <annotation>"
    assert "no <filename>" in refused(xml(name=""))
    assert refused("<annotation>\n\n<a></b></annotation>").startswith("a.xml:3: not XML")
    assert refused(b"").startswith("a.xml:1: not XML")
    assert "ymax is ''" in refused(xml(obj(box=BNDBOX.replace("<ymax>100</ymax>", ""))))
    assert "xmin is 'nan'" in refused(xml(obj(box=BNDBOX.replace("<xmin>1<", "<xmin>nan<"))))
    assert "a second <xmin>" in refused(xml(obj(box=BNDBOX + BNDBOX)))
    assert "width is '4.5'" in refused(xml(size=SIZE.replace("40", "4.5")))


def test_corners_too_far_apart_are_refused():
    far = BNDBOX.replace("<xmin>1<", "<xmin>-1e308<").replace("<xmax>40<", "<xmax>1e308<")
    assert refused(xml(obj(box=far)))


def test_a_file_too_large_is_refused_unread(monkeypatch):
    monkeypatch.setattr(voc, "LIMIT", 10)
    assert "more than 10 bytes" in refused(xml())


@given(st.binary(max_size=300))
def test_any_bytes(data):
    with suppress(FormatError):
        parse(data, "a.xml")


PIECES = [
    "<annotation>",
    "</annotation>",
    "<object>",
    "</object>",
    BNDBOX,
    SIZE,
    "<filename>",
    "</filename>",
    "é",
    "&lt;",
]


@given(
    st.lists(
        st.sampled_from([*PIECES, "<?xml?>", "<![CDATA[x]]>", "<!--", "<!DOCTYPE a>", "\0", "<name>"]), max_size=12
    )
)
def test_any_pieces(pieces):
    with suppress(FormatError):
        parse("".join(["<annotation>", *pieces]).encode(), "a.xml")


def test_a_very_long_name_of_an_element_costs_nothing_again_and_again():
    long = "a" * 2**20
    assert said(f"<{long}>" + "<b/>" * 200_000 + f"</{long}>").pictures
