"""Imports go one way along the flow of the data, and `import setwise` itself costs nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import setwise

SOURCE = Path(setwise.__file__).parent
FLOW = [
    "errors",
    "progress",
    "refusals",
    "duplicates",
    "sets",
    "io",
    "features",
    "neighbours",
    "divergences",
    "kernels",
    "learners",
    "reports",
    "paper",
    "conformance",
    "demo",
    "commands",
    "cli",
    "__main__",
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imported(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """Each import in a module, wherever it stands, as the full dotted name of what is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *([node.module] if node.module else [])]
            yield from ((node.lineno, ".".join([*module, alias.name])) for alias in node.names)


def layer_of(name: str) -> str | None:
    parts = name.split(".")
    return parts[1] if parts[0] == "setwise" and len(parts) > 1 else None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_go_one_way(path: Path) -> None:
    relative = path.relative_to(SOURCE)
    mine = relative.parts[0].removesuffix(".py")
    assert mine in FLOW, f"{relative} has no place in the flow; give it one here and in __init__.py"
    against = []
    for line, name in imported(ast.parse(path.read_text(encoding="utf-8")), ["setwise", *relative.parts[:-1]]):
        if name == "setwise.__version__" or name.split(".")[0] != "setwise":
            continue
        theirs = layer_of(name)
        # A public name taken from the top would go around the flow.
        if theirs not in FLOW or FLOW.index(theirs) > FLOW.index(mine):
            against.append(f"{relative}:{line} imports {name}")
    assert not against, "; ".join(against)


def test_contributing_draws_the_same_flow() -> None:
    text = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = text.split("imports go one way along it:")[1].split("`tests/")[0]
    assert drawn.split() == FLOW[:-1], "all but __main__"


def test_the_walk_sees_every_kind_of_import() -> None:
    lines = ["import setwise.cli", "from ..cli import main", "from . import sets", "from setwise.io.npz import x"]
    text = "def f():\n    " + "\n    ".join(lines)
    names = [name for _, name in sorted(imported(ast.parse(text), ["setwise", "io"]))]
    assert names == ["setwise.cli", "setwise.cli.main", "setwise.io.sets", "setwise.io.npz.x"]
    assert [layer_of(name) for name in [*names, "setwise", "numpy.io"]] == ["cli", "cli", "io", "io", None, None]


def test_importing_setwise_loads_and_compiles_nothing() -> None:
    program = (
        "import sys; before = set(sys.modules); import setwise; dir(setwise);"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["setwise"]


@pytest.mark.parametrize("name", setwise.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(setwise, name).__module__.startswith("setwise.")
    assert name in dir(setwise)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Reny'"):
        _ = setwise.Reny


def test_types_travel_with_the_package() -> None:
    assert (SOURCE / "py.typed").exists()
