"""Files and tables to SampleSets, and back.

.npz ---------- npz.py ----+
.csv .parquet - tables.py -+-- files.py: read_sets, write_sets
folder of .npy  folder.py -+
.csv .parquet - labels.py: read_labels, what is known of each set
                atomic.py: every file of the package is written through it
"""

from setwise.io.atomic import check_destination, write_whole
from setwise.io.files import columns_of, read_sets, write_sets
from setwise.io.labels import Task, as_target, read_labels

__all__ = [
    "Task",
    "as_target",
    "check_destination",
    "columns_of",
    "read_labels",
    "read_sets",
    "write_sets",
    "write_whole",
]
