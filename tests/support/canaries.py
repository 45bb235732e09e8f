"""Pickles that would leave a mark if they were ever run."""

import os
import pickle


class Canary:
    """Makes a file at `mark` when it is unpickled."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return (os.mkdir, (self.mark,))


class Quiet:
    """The same through a function that no list of names knows."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        import pathlib

        return (pathlib.Path.mkdir, (pathlib.Path(self.mark),))


def pickled(mark, kind=Canary, protocol=2):
    return pickle.dumps(kind(mark), protocol)
