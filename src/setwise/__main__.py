"""`python -m setwise`: the command line, where the `setwise` script is not on the path."""

import sys

from setwise.cli import main

if __name__ == "__main__":
    sys.exit(main())
