"""What can be measured, by name; an experiment's module is loaded when it runs."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thalweg.bench.data import data_folder

if TYPE_CHECKING:
    from thalweg.bench.result import Result
    from thalweg.bench.workbench import Workbench


@dataclass(frozen=True)
class Experiment:
    """``module`` has a function ``run`` from a workbench to a result.

    It needs ``packages`` and folders of public ``data``; where they are not there, it is left out and said to be.
    """

    name: str
    about: str
    module: str
    packages: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    is_quick: bool = True
    """Whether it can be done in a few seconds, for :attr:`Size.QUICK`."""

    @property
    def missing(self) -> str:
        """Why it cannot run here; empty if it can."""
        packages = [package for package in self.packages if importlib.util.find_spec(package) is None]
        folders = [name for name in self.data if not (data_folder() / name).is_dir()]
        said = [f"the package {package} is not installed (pip install 'thalweg[bench]')" for package in packages]
        said += [f"the public data {name} is not in {data_folder()} (--data)" for name in folders]
        return "; ".join(said)

    def run(self, bench: Workbench) -> Result:
        """Measure."""
        found: Result = importlib.import_module(f"thalweg.bench.{self.module}").run(bench)
        return found
