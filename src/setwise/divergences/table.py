"""What comes out: one matrix a divergence and k, labelled by the sets' ids, with an account of how it was made."""

from __future__ import annotations

import json
import os
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.divergences.protocol import Divergence
from setwise.divergences.registry import as_divergence, parse
from setwise.errors import InputError
from setwise.io.atomic import write_whole
from setwise.neighbours.moments import Array
from setwise.refusals import Id

FORMAT = "setwise.DivergenceTable"
VERSION = 1


class DivergenceTable:
    """Divergences of the sets of X from the sets of Y: `table[divergence, k]` is a (len(X), len(Y)) array.

    Attributes
    ----------
    divergences, ks : what was asked for, in order
    ids_x, ids_y : the ids of the rows and of the columns
    diagnostics : ties, sizes, seconds, warnings and the like, as plain numbers, texts, lists and dicts
    """

    def __init__(
        self,
        values: Mapping[tuple[Divergence, int], Array],
        ids_x: Sequence[Id],
        ids_y: Sequence[Id],
        diagnostics: Mapping[str, object] | None = None,
    ) -> None:
        self._values = dict(values)
        for matrix in self._values.values():
            matrix.flags.writeable = False
        self.divergences = tuple(dict.fromkeys(divergence for divergence, _ in self._values))
        self.ks = tuple(dict.fromkeys(k for _, k in self._values))
        self.ids_x, self.ids_y = tuple(ids_x), tuple(ids_y)
        self.diagnostics = dict(diagnostics or {})

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of every matrix."""
        return (len(self.ids_x), len(self.ids_y))

    def __getitem__(self, key: tuple[Divergence | str, int]) -> Array:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"a table is indexed by a divergence and a k, as in table['kl', 5]; got {key!r}.")
        divergence, k = as_divergence(key[0]), key[1]
        if (divergence, k) not in self._values:
            raise InputError(
                f"the table has no {divergence} at k={k!r}; it has {', '.join(map(str, self.divergences))} "
                f"at k = {', '.join(map(str, self.ks))}."
            )
        return self._values[divergence, k]

    def to_frame(self, divergence: Divergence | str, k: int, backend: str = "pandas") -> Any:
        """One matrix with its ids: a pandas frame indexed by them, or in polars and pyarrow a leading column "set"."""
        return labelled_frame(self[divergence, k], self.ids_x, self.ids_y, backend)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one .npz, whole or not at all."""
        if not os.fspath(path).endswith(".npz"):
            raise InputError(f"cannot save a table to '{os.fspath(path)}'; give a name that ends in .npz.")
        header = {
            "format": FORMAT,
            "version": VERSION,
            "divergences": [str(divergence) for divergence in self.divergences],
            "ks": self.ks,
            "diagnostics": self.diagnostics,
        }
        arrays: dict[str, NDArray[Any]] = {
            "header": np.array(json.dumps(header)),
            "ids_x": _id_array(self.ids_x),
            "ids_y": _id_array(self.ids_y),
        }
        arrays |= {_entry(divergence, k): matrix for (divergence, k), matrix in self._values.items()}
        with write_whole(path) as temporary:
            np.savez(temporary, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DivergenceTable:
        """Read what `save` wrote."""
        shown = f"'{os.fspath(path)}'"
        foreign = InputError(f"{shown} is not a table of divergences that DivergenceTable.save wrote.")
        try:
            with open(path, "rb") as file:
                stored = np.load(file, allow_pickle=False)
                if not isinstance(stored, np.lib.npyio.NpzFile) or "header" not in stored.files:
                    raise foreign
                header = json.loads(str(stored["header"]))
                if not isinstance(header, dict) or header.get("format") != FORMAT:
                    raise foreign
                if header["version"] > VERSION:
                    raise InputError(
                        f"{shown} has layout {header['version']}; this setwise reads up to {VERSION}. Upgrade setwise."
                    )
                pairs = [(parse(text), int(k)) for text in header["divergences"] for k in header["ks"]]
                values = {pair: np.asarray(stored[_entry(*pair)], dtype=np.float64) for pair in pairs}
                table = cls(values, stored["ids_x"].tolist(), stored["ids_y"].tolist(), header["diagnostics"])
                if any(matrix.shape != table.shape for matrix in values.values()):
                    raise ValueError("matrices and ids differ")
                return table
        except InputError:
            raise
        except OSError as error:
            raise InputError(f"cannot read {shown}: {error.strerror or error}.") from error
        except (TypeError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{shown} is damaged or no .npz file; save the table again.") from error

    def __repr__(self) -> str:
        rows, columns = self.shape
        parts = [
            f"{rows:,} x {columns:,} sets",
            ", ".join(map(str, self.divergences)),
            f"k = {', '.join(map(str, self.ks))}",
        ]
        if (seconds := self.diagnostics.get("seconds")) is not None:
            parts.append(f"{seconds:.2g} s")
        if warned := self.diagnostics.get("warnings"):
            parts.append(f"{len(warned)} warning{'s' * (len(warned) != 1)} (see .diagnostics)")  # type: ignore[arg-type]
        return f"<DivergenceTable: {'; '.join(parts)}>"


def labelled_frame(matrix: Array, ids_x: Sequence[Id], ids_y: Sequence[Id], backend: str) -> Any:
    """A matrix with its ids: a pandas frame indexed by them, or in polars and pyarrow a leading column "set"."""
    names = ["set", *map(str, ids_y)]
    if backend != "pandas" and (twice := [name for name, times in Counter(names).items() if times > 1]):
        raise InputError(
            f'two columns would be called {twice[0]!r}, beside "set" for the ids of the rows; '
            "give each set an id of its own, or choose backend='pandas'."
        )
    try:
        if backend == "pandas":
            import pandas as pd

            return pd.DataFrame(matrix, index=pd.Index(ids_x, name="set"), columns=list(ids_y))
        import narwhals as nw

        columns = dict(zip(names, [list(ids_x), *matrix.T], strict=True))
        return nw.from_dict(columns, backend=backend).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise InputError(f"backend {backend!r} is not installed; install it, or choose another.") from error
    except ValueError as error:
        raise InputError(f"backend {backend!r} is not known; choose 'pandas', 'polars' or 'pyarrow'.") from error


def _entry(divergence: Divergence, k: int) -> str:
    return f"{divergence}|{k}"


def _id_array(ids: Sequence[Id]) -> NDArray[Any]:
    return np.array(ids, dtype=np.int64 if ids and isinstance(ids[0], int) else np.str_)
