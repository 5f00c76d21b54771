"""`python -m discreet` is the command `discreet`, where that is not on the path."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    sys.exit(main())
