"""`nvidia-smi -q -x`: the XML that NVIDIA's tool writes.

Source: the tool's own DTD, `nvsmi_device_v12.dtd`, which it names in its output. Entities and external parts are
refused; what a device does not support is written `N/A` or `[N/A]`, and is None here.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from audit.errors import FormatError
from audit.records.gpu import Device, Gpus

LIMIT = 32 << 20
_DOCTYPE = re.compile(rb"<!DOCTYPE\s+nvidia_smi_log\s+SYSTEM\s+\"[\w.]+\"\s*>")
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def parse(data: bytes, name: str) -> Gpus:
    """Read what the tool wrote; `FormatError` for another form."""
    bare = _DOCTYPE.sub(b"", data, count=1)
    if len(data) > LIMIT or b"<!" in bare:
        raise FormatError("is not what nvidia-smi writes", where=name)
    try:
        root = ET.fromstring(bare)  # noqa: S314 - without a DTD there are no entities
    except (ET.ParseError, ValueError) as error:
        raise FormatError(f"is not what nvidia-smi writes: {error}", where=name) from None
    if root.tag != "nvidia_smi_log":
        raise FormatError("is not what nvidia-smi writes", where=name)
    return Gpus(
        source="nvidia-smi",
        driver=_said(root, "driver_version"),
        cuda=_said(root, "cuda_version"),
        devices=tuple(_device(index, one) for index, one in enumerate(root.iter("gpu"))),
    )


def _said(element: ET.Element, path: str) -> str:
    text = (element.findtext(path) or "").strip()
    return "" if text in {"N/A", "[N/A]", "[Not Supported]", "Not Supported"} else text


def _device(index: int, one: ET.Element) -> Device:
    return Device(
        index=index,
        name=_said(one, "product_name"),
        uuid=_said(one, "uuid"),
        memory_bytes=_bytes(_said(one, "fb_memory_usage/total")),
        memory_free_bytes=_bytes(_said(one, "fb_memory_usage/free")),
        mig=_enabled(_said(one, "mig_mode/current_mig")),
        persistence=_enabled(_said(one, "persistence_mode")),
        ecc_uncorrected=_count(_said(one, "ecc_errors/volatile/dram_uncorrectable")),
    )


def _bytes(said: str) -> int | None:
    number, _, unit = said.partition(" ")
    return int(number) * _UNITS[unit] if number.isascii() and number.isdigit() and unit in _UNITS else None


def _enabled(said: str) -> bool | None:
    return {"Enabled": True, "Disabled": False}.get(said)


def _count(said: str) -> int | None:
    return int(said) if said.isascii() and said.isdigit() else None
