"""Images and flow fields to SampleSets.

images ---------------- images.py -- pixels.py: points drawn in proportion to ink, and counted again
                                 +-- edges.py: the places of edges
arrays ---------------- fields.py -- windows.py: a sample set a window, on the grid of window_grid.py
.npz .nc .h5 field_files.py --+
"""

from setwise.features.edges import canny, edge_sets
from setwise.features.field_files import read_field
from setwise.features.fields import Field
from setwise.features.pixels import count_images, image_sets
from setwise.features.windows import FieldWindows, Windows

__all__ = ["Field", "FieldWindows", "Windows", "canny", "count_images", "edge_sets", "image_sets", "read_field"]
