"""The libraries one would search with instead, each at its best: built beforehand, many queries a call, all threads.

A peer is a function of the target set, the queries, k and the number of threads. It builds what it needs and returns a
search: a function without arguments that answers the k-th distances. Only the search is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

Search = Callable[[], NDArray[Any]]
Peer = Callable[[NDArray[np.float64], NDArray[np.float64], int, int], Search]

TREES = 20  # dimensions: beyond these a tree visits all its points, and a budget spent on it tells nothing


def scipy_balanced(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    from scipy.spatial import cKDTree

    tree = cKDTree(target)
    return lambda: tree.query(queries, [k], workers=threads)[0][:, 0]


def scipy_unbalanced(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    from scipy.spatial import cKDTree

    tree = cKDTree(target, balanced_tree=False, compact_nodes=False)
    return lambda: tree.query(queries, [k], workers=threads)[0][:, 0]


def pykdtree_float64(target: NDArray[Any], queries: NDArray[Any], k: int, threads: int) -> Search:
    from pykdtree.kdtree import KDTree  # takes its threads from OMP_NUM_THREADS

    tree = KDTree(target)
    return lambda: np.asarray(tree.query(queries, k)[0])[:, -1]


def pykdtree_float32(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    return pykdtree_float64(target.astype(np.float32), queries.astype(np.float32), k, threads)


def nanoflann(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    from pynanoflann import KDTree

    tree = KDTree(n_neighbors=k, metric="L2", leaf_size=10)
    tree.fit(target)
    return lambda: np.asarray(tree.kneighbors(queries, n_jobs=threads)[0])[:, -1]


def sklearn_tree(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    from sklearn.neighbors import NearestNeighbors

    tree = NearestNeighbors(n_neighbors=k, algorithm="kd_tree", n_jobs=threads).fit(target)
    return lambda: np.asarray(tree.kneighbors(queries)[0])[:, -1]


def sklearn_brute_float64(target: NDArray[Any], queries: NDArray[Any], k: int, threads: int) -> Search:
    from sklearn.neighbors import NearestNeighbors

    brute = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=threads).fit(target)
    return lambda: np.asarray(brute.kneighbors(queries)[0])[:, -1]


def sklearn_brute_float32(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    return sklearn_brute_float64(target.astype(np.float32), queries.astype(np.float32), k, threads)


def faiss_knn(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    import faiss

    faiss.omp_set_num_threads(threads)
    few, many = target.astype(np.float32), queries.astype(np.float32)
    return lambda: np.sqrt(np.maximum(faiss.knn(many, few, k)[0][:, -1], 0))


def faiss_flat(target: NDArray[np.float64], queries: NDArray[np.float64], k: int, threads: int) -> Search:
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatL2(target.shape[1])
    index.add(target.astype(np.float32))
    many = queries.astype(np.float32)
    return lambda: np.sqrt(np.maximum(index.search(many, k)[0][:, -1], 0))


PEERS: dict[str, tuple[str, int | None, Peer]] = {  # name: (its package, most dimensions it is tried in, itself)
    "cKDTree": ("scipy", TREES, scipy_balanced),
    "cKDTree unbalanced": ("scipy", TREES, scipy_unbalanced),
    "pykdtree": ("pykdtree", TREES, pykdtree_float64),
    "pykdtree float32": ("pykdtree", TREES, pykdtree_float32),
    "pynanoflann": ("pynanoflann", TREES, nanoflann),
    "sklearn kd_tree": ("scikit-learn", TREES, sklearn_tree),
    "sklearn brute": ("scikit-learn", None, sklearn_brute_float64),
    "sklearn brute float32": ("scikit-learn", None, sklearn_brute_float32),
    "faiss.knn": ("faiss-cpu", None, faiss_knn),
    "faiss IndexFlatL2": ("faiss-cpu", None, faiss_flat),
}


def versions() -> dict[str, str | None]:
    """The installed version of each peer's package; None where it is not installed."""
    found: dict[str, str | None] = {}
    for package, _, _ in PEERS.values():
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found
