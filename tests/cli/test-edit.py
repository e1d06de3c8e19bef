#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The verbs that write archives, from outside, in TAP.

    tests/cli/test-edit.py HOLDALL-CLI [LOCALE [PATTERN]]
"""

import os
import sys

import cases_convert  # noqa: F401  (registers its cases)
import cases_create  # noqa: F401
import cases_edit  # noqa: F401
import harness

if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(harness.run_all(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
