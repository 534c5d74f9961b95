"""`python -m tui` is `assay`."""

import sys

from tui.cli import main

sys.exit(main())
