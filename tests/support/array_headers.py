"""What is read of files of arrays, and such files as libraries write them."""

import io

import numpy as np

from audit.formats.arrays.header import header


def ours(data, name="a", head=4096):
    """The header of these bytes, as if they were a file of that name."""
    return header(name, data[:head], len(data), lambda at, size: data[at : at + size])


def npy(array, version=None, **options):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version, **options)
    return out.getvalue()


def kinds(said):
    return [fault.kind for fault in said.faults]
