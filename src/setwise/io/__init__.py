"""Files and tables to SampleSets, and back.

.npz ---------- npz.py ----+
.csv .parquet - tables.py -+-- files.py: read_sets, write_sets
folder of .npy  folder.py -+
                atomic.py: every file of the package is written through it
"""

from setwise.io.atomic import check_destination, write_whole
from setwise.io.files import read_sets, write_sets

__all__ = ["check_destination", "read_sets", "write_sets", "write_whole"]
