# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
#
# Completion of holdall for fish.

complete -c holdall -l extract-here -d 'Extract each archive beside itself'
complete -c holdall -l extract-to -x -a '(__fish_complete_directories)' -d 'Extract into a folder'
complete -c holdall -l extract -d 'Ask for a folder and extract'
complete -c holdall -l new -d 'Pack into a new archive'
complete -c holdall -l add-to -r -d 'Add to an archive'
complete -c holdall -l version -d 'Show the version'
complete -c holdall -s h -l help -d 'Show help'
