"""`python -m tests.campaign`."""

import sys

from tests.campaign.runner import main

sys.exit(main())
