"""Images, pixels and flow fields to SampleSets.

images ---- images.py: what an image is --- pixels.py: points drawn in proportion to ink, and counted again
                                        +-- edges.py: the places of edges
"""

from setwise.features.edges import canny, edge_sets
from setwise.features.pixels import count_images, image_sets

__all__ = ["canny", "count_images", "edge_sets", "image_sets"]
