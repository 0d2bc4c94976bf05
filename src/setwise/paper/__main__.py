"""Print docs/paper.md from the results that `setwise paper` left in a folder: python -m setwise.paper FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from setwise.paper import EXPERIMENTS
from setwise.paper.result import Result


def page(folder: Path) -> str:
    """All experiments that have a result in the folder."""
    results = [Result.load(folder / f"{name}.json") for name in EXPERIMENTS if (folder / f"{name}.json").exists()]
    head = (
        "# The paper's experiments\n\nWhat Sutherland, Xiong, Póczos and Schneider report (arXiv:1202.0302), beside "
        "what this package reaches. Means and standard deviations are over runs; every number comes from the code "
        "(`setwise paper NAME`, then `python -m setwise.paper FOLDER`)."
    )
    return "\n\n".join([head, *(result.markdown() for result in results)]) + "\n"


if __name__ == "__main__":
    print(page(Path(sys.argv[1])), end="")
