"""SampleSets: many sets of points as one array of points, the offsets where each set starts, and an id a set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise.duplicates import count_duplicates
from setwise.errors import InputError
from setwise.refusals import (
    Id,
    asked_columns,
    checked_feature_names,
    checked_ids,
    checked_member,
    choose_columns,
    empty_set,
    listed,
    missing_ids,
    refuse_other_containers,
)

Points: TypeAlias = NDArray[np.floating[Any]]  # float32 or float64

_DUPLICATES_SHOWN_UP_TO = 50_000_000  # values; beyond, printing a container would take seconds
_NAMES_SHOWN = 6
_BLOCK = 1 << 16  # points looked at together, so that no mask as large as the data is made


class SampleSets:
    """Immutable sets of points, of any sizes, all of one dimension.

    Parameters
    ----------
    arrays : sequence of (n_t, d) arrays, or a (T, n, d) array of T sets of n points
        All float32 is kept as float32; everything else becomes float64. The points are copied once.
    ids : sequence of str or int, optional
        One unique id a set, 0 .. T-1 if left out. Ids that are not all integers (of 64 bits) become strings.
    feature_names : sequence of str, optional
        One name a dimension.

    `sets[3]` is the (n_3, d) array of one set; `sets[1:5]`, `sets[mask]` and `sets[indices]` are SampleSets that
    keep their ids, and share the points' memory where the chosen sets lie next to each other. Indices may repeat
    a set, as a bootstrap does; its id then repeats too. `shape` is (T,), so that scikit-learn's splitters index
    the sets and never their points.
    """

    __slots__ = ("_by", "_duplicates", "_feature_names", "_ids", "_offsets", "_points")

    _points: Points
    _offsets: NDArray[np.int64]
    _ids: tuple[Id, ...]
    _feature_names: tuple[str, ...] | None
    _by: str
    _duplicates: NDArray[np.int64] | None

    def __init__(
        self,
        arrays: Sequence[ArrayLike] | NDArray[Any],
        ids: Iterable[object] | None = None,
        feature_names: Iterable[str] | None = None,
    ) -> None:
        refuse_other_containers(arrays)
        members = list(arrays)
        if not members:
            raise InputError("no sets given: arrays is empty; give at least one (n, d) array.")
        names = checked_ids(range(len(members)) if ids is None else ids, len(members))
        checked = [checked_member(member, name) for member, name in zip(members, names, strict=True)]
        dim = checked[0].shape[1]
        for member, name in zip(checked, names, strict=True):
            if member.shape[1] != dim:
                raise InputError(
                    f"set {name!r} has {member.shape[1]} columns; set {names[0]!r} has {dim}. "
                    "All sets need the same columns."
                )
        dtype = np.float32 if all(member.dtype == np.float32 for member in checked) else np.float64
        offsets = np.zeros(len(checked) + 1, dtype=np.int64)
        np.cumsum([len(member) for member in checked], out=offsets[1:])
        points = np.empty((int(offsets[-1]), dim), dtype=dtype)
        for member, (start, stop) in zip(checked, pairwise(offsets.tolist()), strict=True):
            points[start:stop] = member
        self._fill(points, offsets, names, checked_feature_names(feature_names, dim), "set")
        self._refuse_non_finite()

    def _fill(
        self,
        points: Points,
        offsets: NDArray[np.int64],
        ids: tuple[Id, ...],
        feature_names: tuple[str, ...] | None,
        by: str,
    ) -> None:
        points.flags.writeable = False
        offsets.flags.writeable = False
        self._points, self._offsets, self._ids = points, offsets, ids
        self._feature_names, self._by, self._duplicates = feature_names, by, None

    @classmethod
    def _of(
        cls,
        points: Points,
        offsets: NDArray[np.int64],
        ids: tuple[Id, ...],
        feature_names: tuple[str, ...] | None,
        by: str,
    ) -> SampleSets:
        """Sets over arrays that already hold what the constructor checks, and that nobody else will write to."""
        sets = cls.__new__(cls)
        sets._fill(points, offsets, ids, feature_names, by)
        return sets

    @classmethod
    def from_flat(
        cls,
        points: ArrayLike,
        offsets: ArrayLike,
        ids: Iterable[object] | None = None,
        feature_names: Iterable[str] | None = None,
        by: str = "set",
    ) -> SampleSets:
        """Sets from the points of all of them, one after the other, and the T+1 offsets where each starts.

        An array of floats that is already contiguous is not copied: leave it as it is afterwards. `by` is the name
        that the sets' column takes in `to_frame`.
        """
        given, flat = np.asarray(offsets), np.asarray(points)
        if given.dtype.kind not in "iu":
            raise InputError(f"offsets holds {given.dtype}; it needs T+1 integers.")
        starts = given.astype(np.int64)
        if flat.ndim != 2 or starts.ndim != 1 or len(starts) < 1:
            raise InputError(
                f"points and offsets have shapes {flat.shape} and {starts.shape}; they need (N, d), (T+1,)."
            )
        if starts[0] != 0 or starts[-1] != len(flat) or (np.diff(starts) < 0).any():
            raise InputError(
                f"offsets run from {starts[0]} to {starts[-1]}; they must rise from 0 to {len(flat)} points."
            )
        names = checked_ids(range(len(starts) - 1) if ids is None else ids, len(starts) - 1)
        for name, size in zip(names, np.diff(starts).tolist(), strict=True):
            if size == 0:
                raise InputError(empty_set(name))
        checked = flat if len(names) == 0 else checked_member(flat, names[0])
        dtype = np.float32 if checked.dtype == np.float32 else np.float64
        contiguous: Points = np.ascontiguousarray(checked, dtype=dtype)
        sets = cls._of(contiguous.view(), starts, names, checked_feature_names(feature_names, flat.shape[1]), str(by))
        sets._refuse_non_finite()
        return sets

    @classmethod
    def from_columns(cls, keys: Sequence[object], columns: Mapping[str, ArrayLike], by: str = "set") -> SampleSets:
        """Sets from a long table as plain arrays: the set id of each row, and one array a feature.

        Sets come in the order of their first appearance, points in the order of their rows.
        """
        if not columns:
            raise InputError("no feature columns given; a set needs at least one numeric column.")
        if not len(keys):
            raise InputError("the table has no rows; a set needs at least one point.")
        index: dict[object, int] = {}
        try:
            codes = np.fromiter((index.setdefault(key, len(index)) for key in keys), dtype=np.int64, count=len(keys))
        except TypeError as error:
            raise InputError(f"the set ids in {by!r} cannot be used: {error}. Give text or integers.") from error
        arrays = {name: np.asarray(column) for name, column in columns.items()}
        dtype = np.float32 if all(array.dtype == np.float32 for array in arrays.values()) else np.float64
        order = None if (np.diff(codes) >= 0).all() else np.argsort(codes, kind="stable")
        points = np.empty((len(codes), len(arrays)), dtype=dtype)
        for position, array in enumerate(arrays.values()):
            points[:, position] = array if order is None else array[order]
        offsets = np.zeros(len(index) + 1, dtype=np.int64)
        np.cumsum(np.bincount(codes, minlength=len(index)), out=offsets[1:])
        return cls.from_flat(points, offsets, list(index), list(arrays), by)

    @classmethod
    def from_frame(cls, frame: Any, by: str, columns: Iterable[str] | None = None) -> SampleSets:
        """Sets from a long table, a row a point: pandas, polars, pyarrow, or whatever else narwhals reads.

        Parameters
        ----------
        by : the column that says which set a row belongs to; no row may lack it.
        columns : the features, in this order; left out, every numeric column but `by`.
        """
        import narwhals as nw

        try:
            table = nw.from_native(frame)
            table = table.collect() if isinstance(table, nw.LazyFrame) else table
            schema = table.schema
        except (TypeError, ValueError, nw.exceptions.NarwhalsError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"frame is a {type(frame).__name__} that cannot be read as a table: {reason}") from error
        numeric = [name for name, dtype in schema.items() if dtype.is_numeric()]
        chosen = choose_columns(list(schema), numeric, by, asked_columns(columns))

        key = table.get_column(by)
        missing = key.is_null() | key.is_nan() if schema[by].is_float() else key.is_null()
        if n_missing := int(missing.sum()):
            raise InputError(missing_ids(n_missing, len(key), by))
        wanted = nw.Float32 if all(schema[name] == nw.Float32 for name in chosen) else nw.Float64
        values = {name: table.get_column(name).cast(wanted).to_numpy() for name in chosen}
        return cls.from_columns(key.to_list(), values, by)

    def with_points(self, points: Points, feature_names: Iterable[str] | None = None) -> SampleSets:
        """The same sets, by their sizes and ids, of other points: (N, d), in the order of `points`, taken over."""
        if points.ndim != 2 or len(points) != len(self._points):
            raise InputError(f"points have shape {points.shape}; {len(self._points)} are needed, one in place of each.")
        names = checked_feature_names(feature_names, points.shape[1])
        sets = SampleSets._of(points, self._offsets, self._ids, names, self._by)
        sets._refuse_non_finite()
        return sets

    def to_frame(self, backend: str | None = None) -> Any:
        """The long table: the set's id under the name `from_frame` found it by ("set" otherwise), then the features.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; left out, the first of these that is installed.
        """
        import narwhals as nw

        chosen = backend or _installed_backend()
        if chosen not in ("pandas", "polars", "pyarrow"):
            raise InputError(f"backend {backend!r} is not known; choose 'pandas', 'polars' or 'pyarrow'.")
        ids = np.array(self.ids, dtype=object if self.ids and isinstance(self.ids[0], str) else np.int64)
        columns: dict[str, Any] = {self._by: ids[np.repeat(np.arange(len(self)), self.sizes)].tolist()}
        columns |= {name: self._points[:, j] for j, name in enumerate(self.column_names())}
        try:
            return nw.from_dict(columns, backend=chosen).to_native()  # type: ignore[arg-type]
        except ImportError as error:
            raise InputError(f"backend {chosen!r} is not installed; install it, or choose another.") from error

    def column_names(self) -> tuple[str, ...]:
        """The features' names in a table, x0, x1, .. where there are none; refuses sets that a table could not hold."""
        names = self._feature_names or tuple(f"x{j}" for j in range(self.dim))
        if self._by in names:
            raise InputError(f"the sets' column and a feature are both called {self._by!r}; rename the feature.")
        if len(set(self._ids)) < len(self._ids):
            repeated = next(name for place, name in enumerate(self._ids) if name in self._ids[:place])
            raise InputError(
                f"set {repeated!r} is here more than once; a table or file needs unique ids. Index each set once."
            )
        return names

    @property
    def points(self) -> Points:
        """All points, one set after the other, (N, d), read-only."""
        return self._points

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each set starts in `points`, and N: T+1 numbers, read-only."""
        return self._offsets

    @property
    def ids(self) -> tuple[Id, ...]:
        """One id a set."""
        return self._ids

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """One name a dimension, or None."""
        return self._feature_names

    @property
    def by(self) -> str:
        """The name of the sets' column in a table."""
        return self._by

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of points of each set, read-only."""
        sizes = np.diff(self._offsets)
        sizes.flags.writeable = False
        return sizes

    @property
    def dim(self) -> int:
        """The dimension of the points."""
        return int(self._points.shape[1])

    @property
    def shape(self) -> tuple[int]:
        """(T,): to scikit-learn, a set is one sample."""
        return (len(self._ids),)

    @property
    def duplicates(self) -> NDArray[np.int64]:
        """For each set, how many of its points repeat an earlier point of the same set; counted once, then kept."""
        if self._duplicates is None:
            self._duplicates = count_duplicates(self._points, self.sizes)
            self._duplicates.flags.writeable = False
        return self._duplicates

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Points]:
        for start, stop in pairwise(self._offsets.tolist()):
            yield self._points[start:stop]

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Points: ...
    @overload
    def __getitem__(self, key: slice | Sequence[Any] | NDArray[Any] | tuple[Any, ...]) -> SampleSets: ...
    def __getitem__(self, key: Any) -> Points | SampleSets:
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:  # how scikit-learn indexes by axis
            key = key[0]
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            place = int(key) + len(self) * (key < 0)
            if not 0 <= place < len(self):
                raise IndexError(f"there is no set at {key}: these are {len(self)} sets.")
            return self._points[self._offsets[place] : self._offsets[place + 1]]
        return self._take(_chosen(key, len(self)))

    def _take(self, chosen: NDArray[np.intp]) -> SampleSets:
        ids = tuple(self._ids[place] for place in chosen.tolist())
        if len(chosen) and (np.diff(chosen) == 1).all():
            offsets = self._offsets[chosen[0] : chosen[-1] + 2]
            points = self._points[offsets[0] : offsets[-1]]
            return SampleSets._of(points, offsets - offsets[0], ids, self._feature_names, self._by)
        offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum(self.sizes[chosen], out=offsets[1:])
        points = np.empty((int(offsets[-1]), self.dim), dtype=self._points.dtype)
        for place, (start, stop) in zip(chosen.tolist(), pairwise(offsets.tolist()), strict=True):
            points[start:stop] = self[place]
        return SampleSets._of(points, offsets, ids, self._feature_names, self._by)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SampleSets):
            return NotImplemented
        return (
            self._ids == other._ids
            and self._feature_names == other._feature_names
            and np.array_equal(self._offsets, other._offsets)
            and np.array_equal(self._points, other._points)
        )

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        """Refuses: NumPy would stack equal sizes into a 3-D array by accident, and fail on ragged ones."""
        raise InputError("SampleSets are ragged and do not become one array; use .points and .offsets, or list(sets).")

    def __getstate__(self) -> dict[str, Any]:
        """Arrays and texts alone, as pickle and model files both keep them."""
        return {
            "points": self._points,
            "offsets": self._offsets,
            "ids": np.array(self._ids, dtype=None if self._ids else np.int64),
            "feature_names": self._feature_names,
            "by": self._by,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Through the checks of `from_flat`, as a file is input; only ids may repeat, as those of a bootstrap do."""
        sets = SampleSets.from_flat(state["points"], state["offsets"], None, state["feature_names"], state["by"])
        ids = tuple(np.asarray(state["ids"]).tolist())
        if len(ids) != len(sets):
            raise InputError(f"{len(ids)} ids for {len(sets)} sets; give one id a set.")
        self._fill(sets._points, sets._offsets, ids, sets._feature_names, sets._by)

    def __repr__(self) -> str:
        n_sets, n_points = len(self), len(self._points)
        parts = [f"{n_sets:,} set{'s' * (n_sets != 1)} in {self.dim} dimension{'s' * (self.dim != 1)}"]
        if self._feature_names:
            dots = ", ..." * (self.dim > _NAMES_SHOWN)
            parts[0] += f" ({', '.join(self._feature_names[:_NAMES_SHOWN])}{dots})"
        if n_sets:
            smallest, largest = int(self.sizes.min()), int(self.sizes.max())
            sizes = f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
            parts.append(f"{sizes} points each ({n_points:,} in all)")
        parts.append(self._duplicates_in_words())
        parts.append(str(self._points.dtype))
        return f"<SampleSets: {'; '.join(parts)}>"

    def _duplicates_in_words(self) -> str:
        if self._duplicates is None and self._points.size > _DUPLICATES_SHOWN_UP_TO:
            return "duplicate points not counted yet (see .duplicates)"
        total, where = int(self.duplicates.sum()), int((self.duplicates > 0).sum())
        if not total:
            return "no duplicate points"
        return f"{total:,} duplicate point{'s' * (total != 1)} in {where:,} set{'s' * (where != 1)}"

    def _refuse_non_finite(self) -> None:
        if all(np.isfinite(self._points[at : at + _BLOCK]).all() for at in range(0, len(self._points), _BLOCK)):
            return
        bad = [int((~np.isfinite(member)).any(axis=1).sum()) for member in self]
        first = next(place for place, count in enumerate(bad) if count)
        columns = np.flatnonzero(~np.isfinite(self[first]).all(axis=0)).tolist()
        where = f", columns {listed((self._feature_names[j] for j in columns), 6)}" if self._feature_names else ""
        others = sum(count > 0 for count in bad) - 1
        more = f" (and {others} other set{'s' * (others != 1)})" if others else ""
        raise InputError(
            f"set {self._ids[first]!r} has NaN or inf in {bad[first]} of its {len(self[first])} points{where}{more}; "
            "drop or impute those rows."
        )


Sets: TypeAlias = SampleSets | Sequence[ArrayLike] | NDArray[Any]


def as_sets(given: Sets) -> SampleSets:
    """SampleSets as they are; arrays as SampleSets with ids 0, 1, .."""
    sets = given if isinstance(given, SampleSets) else SampleSets(given)
    if not len(sets):
        raise InputError("no sets given: the SampleSets are empty; give at least one set.")
    return sets


def _installed_backend() -> str:
    from importlib.util import find_spec

    for name in ("pandas", "polars", "pyarrow"):
        if find_spec(name):
            return name
    raise InputError("to_frame needs pandas, polars or pyarrow; none is installed: pip install 'setwise[tables]'.")


def _chosen(key: Any, n_sets: int) -> NDArray[np.intp]:
    """The places a slice, a mask or an index array picks, as numpy would."""
    places = np.arange(n_sets)
    if isinstance(key, slice):
        return places[key]
    index: NDArray[Any] = np.asarray(key)
    if index.ndim != 1 or (index.size and index.dtype.kind not in "biu"):
        raise IndexError("index sets by an integer, a slice, a boolean mask, or a list of integers.")
    if index.dtype.kind == "b" and len(index) != n_sets:
        raise IndexError(f"the mask has {len(index)} entries for {n_sets} sets.")
    chosen: NDArray[np.intp] = places[index if index.size else index.astype(np.intp)]
    return chosen
