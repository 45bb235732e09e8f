"""The process that talks to MLflow: a job on standard input, an answer on standard output.

It is run as a file, so that neither the working directory nor PYTHONPATH is searched
for modules; its arguments are the folders to search after the interpreter's own.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from audit.mlflow.job import Job


def main() -> NoReturn:
    """Do the job within its time, and answer."""
    sys.path += [path for path in sys.argv[1:] if path not in sys.path]
    import msgspec

    from audit.mlflow.job import Job

    say = partial(_say, _private_output())
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    signal.signal(signal.SIGALRM, lambda *_: say(reason=f"not done within {job.destination.limit_s:g} s"))
    signal.setitimer(signal.ITIMER_REAL, max(job.deadline - time.monotonic(), 0.001))
    try:
        say(run=_log(job))
    except Exception as error:  # noqa: BLE001 - the boundary of this process: whatever MLflow raises is the answer
        from audit.mlflow.reason import reason

        say(reason=reason(error, os.environ))


def _log(job: Job) -> str:
    from audit.mlflow import tracking

    with tracking.client(job) as client:
        return tracking.log(client, job)


def _private_output() -> int:
    """A descriptor for the answer alone; whatever MLflow prints goes to standard error."""
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def _say(output: int, run: str = "", reason: str = "") -> NoReturn:
    """Answer and end at once: MLflow's threads and exit handlers are not waited for."""
    import msgspec

    from audit.mlflow.job import Answer

    os.write(output, msgspec.json.encode(Answer(run=run, reason=reason)))
    os._exit(0)


if __name__ == "__main__":
    main()
