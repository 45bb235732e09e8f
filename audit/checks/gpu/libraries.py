"""`gpu.libraries`: the frameworks load the libraries that they were compiled against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.checks.gpu._seen import unasked
from audit.errors import NotApplicable
from audit.facts.environment.frameworks import Frameworks
from audit.facts.environment.search_path import LibraryPath
from audit.measures.cuda import cudnn_fits, version
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.gpu import Framework
from audit.records.project import Project


class Libraries(Check):
    """The frameworks load the libraries that they were compiled against.

    Compares the cuDNN that a framework loads with the one that it was compiled against: the
    same major version, and not older. A framework that fails when it is asked is a fault, and
    so told. Entries of `LD_LIBRARY_PATH` that hold a cuDNN of their own are named: they come
    before the one that the framework brought with it.

    ## Why it matters

    A path for all users of a cluster puts an old cuDNN before the one of the environment.
    Training then stops at its first convolution, or goes on with other algorithms.

    ## Example

    ```yaml
    rules:
      - id: own-libraries
        check: gpu.libraries
        on: [launch]
    ```

    ## How to fix

    Take the entry out of `LD_LIBRARY_PATH` for the training. What is loaded,
    `torch.backends.cudnn.version()` tells.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """Frameworks, and where the loader looks first."""
        frameworks = Frameworks(root=project.root, environment=project.environment)
        return {"frameworks": frameworks, "shadows": LibraryPath()}

    def evaluate(self, frameworks: Sequence[Framework], shadows: Sequence[str]) -> Iterator[Finding]:
        """Each framework that was compiled with cuDNN."""
        built = [one for one in frameworks if one.cudnn]
        silent = list(unasked(frameworks))
        if not built and not silent:
            raise NotApplicable("no framework that was compiled with cuDNN")
        yield from silent
        yield from (violation for one in built for violation in _judged(one, shadows))
        for one in built:
            yield Figure(name=f"{one.name}.cudnn", value=one.cudnn_loaded or one.cudnn)
        yield Summary(text=", ".join(f"{one.name} with cuDNN {one.cudnn_loaded or 'not told'}" for one in built))


def _judged(one: Framework, shadows: Sequence[str]) -> Iterator[Violation]:
    subject = f"env:#package={one.name}"
    before = f"; before it comes {', '.join(shadows)} of LD_LIBRARY_PATH" if shadows else ""
    if trouble := one.troubles.get("cudnn_loaded"):
        message = f"compiled against cuDNN {one.cudnn}, and it fails to load: {trouble}{before}"
        yield Violation(subject=subject, kind="cudnn", message=message, expected=one.cudnn)
    elif one.cudnn_loaded and not cudnn_fits(version(one.cudnn), version(one.cudnn_loaded)):
        message = f"compiled against cuDNN {one.cudnn}, and loads {one.cudnn_loaded}{before}"
        yield Violation(subject=subject, kind="cudnn", message=message, expected=one.cudnn, found=one.cudnn_loaded)
