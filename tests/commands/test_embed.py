"""`setwise embed`: the places of the estimators, in a table and in a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.manifold import TSNE, Isomap
from sklearn.pipeline import make_pipeline

import setwise as sw
from tests.commands.conftest import Call
from tests.commands.tables import numbers, table

FEATURES = ["--by", "patient", "--columns", "x,y"]
OPTIONS = {"lle": ["--neighbors", 14], "isomap": ["--neighbors", 13]}  # more than the others of one class
EXPECTED = {
    "mds": [sw.SetMDS()],
    "lle": [sw.SetLLE(14)],
    "isomap": [sw.SetDistance(), Isomap(n_neighbors=13, metric="precomputed")],
    "tsne": [sw.SetDistance(), TSNE(metric="precomputed", init="random", perplexity=8, random_state=3)],
}


@pytest.mark.parametrize("method", EXPECTED)
def test_places_are_those_of_the_estimators(call: Call, cells: Path, method: str) -> None:
    out = cells.with_name("map.csv")
    done = call(
        "embed", cells, *FEATURES, "--method", method, *OPTIONS.get(method, []), "--seed", 3, "-o", out
    ).succeeded()
    assert done.out.startswith("24 sets, 600 points, 2 dimensions: x, y\nrenyi:0.9, k = 5; each coordinate scaled")
    assert list(table(out)) == ["patient", f"{method}1", f"{method}2"]
    sets = sw.read_sets(cells, by="patient", columns=["x", "y"])
    assert table(out)["patient"] == list(sets.ids)
    expected = make_pipeline(sw.SetScaler(), *EXPECTED[method]).fit_transform(sets)
    np.testing.assert_array_equal(numbers(out, f"{method}1", f"{method}2"), expected)


def test_options_reach_the_estimator(call: Call, cells: Path) -> None:
    out = cells.with_name("map.csv")
    options = ["--method", "lle", "--neighbors", 5, "--components", 3, "-d", "js", "-k", 3, "--width", 2, "--no-scale"]
    call("embed", cells, *FEATURES, *options, "-o", out).succeeded()
    sets = sw.read_sets(cells, by="patient", columns=["x", "y"])
    expected = sw.SetLLE(5, 3, divergence="js", k=3, width=2).fit_transform(sets)
    np.testing.assert_array_equal(numbers(out, "lle1", "lle2", "lle3"), expected)


@pytest.mark.parametrize("label", ["disease", "slope"])
def test_a_label_goes_into_the_table_and_the_picture(call: Call, cells: Path, label: str) -> None:
    """It is no coordinate; "centre" is text, and "slope" a number that has to be left out by name."""
    out, picture = cells.with_name("map.csv"), cells.with_name("map.png")
    options = ["--columns", "x,y"] if label == "disease" else []
    call("embed", cells, "--by", "patient", *options, "--label", label, "-o", out, "--plot", picture).succeeded()
    assert list(table(out)) == ["patient", "mds1", "mds2", label]
    assert table(out)[label] == ["falling", "rising"] * 12 if label == "disease" else table(out)[label][0] == "-0.95"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_like_sets_are_near_each_other(call: Call, cells: Path) -> None:
    out = cells.with_name("map.csv")
    call("embed", cells, *FEATURES, "--label", "disease", "-o", out).succeeded()
    rising = np.array(table(out)["disease"]) == "rising"
    first = numbers(out, "mds1")[:, 0]
    assert max(first[rising].max() < first[~rising].min(), first[~rising].max() < first[rising].min())


def test_pictures_of_other_kinds(call: Call, cells: Path) -> None:
    for name, start in (("map.svg", b"<?xml"), ("map.pdf", b"%PDF")):
        out = cells.with_name("map.csv")
        call("embed", cells, *FEATURES, "-o", out, "--plot", cells.with_name(name)).succeeded()
        assert cells.with_name(name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--method", "umap"], ["umap", "mds", "lle", "tsne", "isomap"]),
        (["--method", "mds", "--neighbors", "5"], ["--neighbors is for lle and isomap"]),
        (["--method", "lle", "--perplexity", "5"], ["--perplexity is for tsne"]),
        (["--method", "lle", "--neighbors", "24"], ["--neighbors is 24", "23"]),
        (["--method", "isomap", "--neighbors", "0"], ["--neighbors", "1 or more"]),
        (["--method", "tsne", "--perplexity", "24"], ["--perplexity is 24", "24"]),
        (["--method", "tsne", "--perplexity", "0"], ["--perplexity is 0"]),
        (["--components", "24"], ["--components is 24", "23"]),
        (["--components", "1", "--plot", "map.png"], ["--plot", "--components is 1"]),
        (["--plot", "map.csv"], ["map.csv", ".png", ".svg", ".pdf"]),
        (["--plot", "none/map.png"], ["none"]),
        (["-o", "map.png"], ["map.png", ".csv"]),
        (["--label", "x"], ["'x' is a label and cannot be a coordinate"]),
        (["--label", "patient"], ["'patient' holds the set ids"]),
        (["--label", "diseas"], ["'diseas'", "did you mean 'disease'"]),
        (["--labels", "clinic.csv"], ["--label"]),
    ],
)
def test_a_mistake_is_one_line(call: Call, cells: Path, arguments: list[str], expected: list[str]) -> None:
    output = [] if "-o" in arguments else ["-o", cells.with_name("map.csv")]
    call("embed", cells, *FEATURES, *arguments, *output).refused(*expected)
    assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]


def test_an_output_is_needed(call: Call, cells: Path) -> None:
    call("embed", cells, *FEATURES).refused("--output")
