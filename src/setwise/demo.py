"""Built-in sample sets to try things on: every set has the same mean, and only its shape tells its class."""

from __future__ import annotations

import numpy as np

from setwise.sets import SampleSets

COVARIANCES = {
    "round": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "rising": np.array([[1.0, 0.8], [0.8, 1.0]]),
    "falling": np.array([[1.0, -0.8], [-0.8, 1.0]]),
}


def gaussian_sets(n_sets: int = 20, n_points: int = 200, random_state: int = 0) -> tuple[SampleSets, list[str]]:
    """Draw `n_sets` sets of each class from 2-d Gaussians of mean 0 and unit variances; return them and their classes.

    The classes differ in the correlation of the two columns alone (0, 0.8 and -0.8), so neither the mean of a set nor
    either of its columns by itself can tell them apart. Ids are the class and a number, such as "round_07".
    """
    rng = np.random.default_rng(random_state)
    arrays, ids, classes = [], [], []
    for name, covariance in COVARIANCES.items():
        for number in range(n_sets):
            arrays.append(rng.multivariate_normal(np.zeros(2), covariance, size=n_points))
            ids.append(f"{name}_{number:02d}")
            classes.append(name)
    return SampleSets(arrays, ids=ids, feature_names=["x", "y"]), classes
