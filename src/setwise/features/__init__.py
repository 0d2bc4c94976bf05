"""Images and flow fields to SampleSets; and from sets to sets, by what the points of all training sets tell together.

images ---------------- images.py -- pixels.py: points drawn in proportion to ink, and counted again
                                 +-- edges.py: the places of edges
arrays ---------------- fields.py -- windows.py: a sample set a window, on the grid of window_grid.py
.npz .nc .h5 field_files.py --+
takes_sets.py what an estimator on sets knows of its input: the columns
pooled.py     sets in, sets out: the dimensions, blocks of points, moments
scaling.py    SetScaler: each dimension to mean 0 and variance 1
pca.py        SetPCA: the principal components
"""

from setwise.features.edges import canny, edge_sets
from setwise.features.field_files import read_field
from setwise.features.fields import Field
from setwise.features.pca import SetPCA
from setwise.features.pixels import count_images, image_sets
from setwise.features.scaling import SetScaler
from setwise.features.windows import FieldWindows, Windows

__all__ = [
    "Field",
    "FieldWindows",
    "SetPCA",
    "SetScaler",
    "Windows",
    "canny",
    "count_images",
    "edge_sets",
    "image_sets",
    "read_field",
]
