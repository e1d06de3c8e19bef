#compdef holdall
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers

_arguments \
  '(--extract-to --extract --new --add-to)--extract-here[extract each archive beside itself]' \
  '(--extract-here --extract --new --add-to)--extract-to[extract into a folder]:folder:_directories' \
  '(--extract-here --extract-to --new --add-to)--extract[ask for a folder and extract]' \
  '(--extract-here --extract-to --extract --add-to)--new[pack into a new archive]' \
  '(--extract-here --extract-to --extract --new)--add-to[add to an archive]:archive:_files' \
  '--version[show the version]' \
  '(-h --help)'{-h,--help}'[show help]' \
  '*:file:_files'
