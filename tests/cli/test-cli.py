#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""holdall-cli from outside: command, expected output, expected exit status, in TAP.

    tests/cli/test-cli.py HOLDALL-CLI [LOCALE [PATTERN]]

All inputs are made here. A case is named after the public report it is about, where there is one.
"""

import os
import sys

import cases_archive  # noqa: F401  (registers its cases)
import cases_extract  # noqa: F401
import cases_formats  # noqa: F401
import cases_names  # noqa: F401
import cases_process  # noqa: F401
import cases_usage  # noqa: F401
import harness

if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(harness.run_all(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
