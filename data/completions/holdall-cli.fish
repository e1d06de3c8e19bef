# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
#
# Completion of holdall-cli for fish.

set -l verbs list info extract move cat test add delete rename mkdir create convert formats

complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -f
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a list -d 'Show the entries'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a info -d 'Show format, sizes and what can be done'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a extract -d 'Take out all, or the named entries'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a move -d 'Take entries out, and then out of the archive'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a cat -d 'Write an entry to standard output'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a test -d 'Decode everything, write nothing'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a add -d 'Put files and folders into an archive'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a delete -d 'Take entries out of the archive for good'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a rename -d 'Give an entry another name or place'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a mkdir -d 'Make an empty folder'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a create -d 'Make a new archive'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a convert -d 'Make an archive of another format'
complete -c holdall-cli -n "not __fish_seen_subcommand_from $verbs" -a formats -d 'Show the table of formats'
complete -c holdall-cli -n '__fish_seen_subcommand_from formats' -f

complete -c holdall-cli -n '__fish_seen_subcommand_from list info formats' -l json -d 'One JSON object a line'
complete -c holdall-cli -n '__fish_seen_subcommand_from extract move' -s C -l directory -x -a '(__fish_complete_directories)' -d 'Extract into'
complete -c holdall-cli -n '__fish_seen_subcommand_from extract move cat delete rename' -l index -x -d 'Entry by its position'
complete -c holdall-cli -n '__fish_seen_subcommand_from extract' -l keep-damaged -d 'Keep damaged files'
complete -c holdall-cli -n '__fish_seen_subcommand_from add' -l into -x -d 'Folder of the archive'
complete -c holdall-cli -n '__fish_seen_subcommand_from add' -l replace -d 'Replace entries of the same name'
complete -c holdall-cli -n '__fish_seen_subcommand_from add create convert' -l level -x -d 'Of compression'
complete -c holdall-cli -n '__fish_seen_subcommand_from create convert' -l format -x -a 'zip 7z tar tar.gz tar.bz2 tar.xz tar.zst tar.lz4 tar.lz cpio' -d 'Of the new archive'
complete -c holdall-cli -n '__fish_seen_subcommand_from create' -l encrypt -d 'With the first password'
complete -c holdall-cli -n '__fish_seen_subcommand_from create' -l volume-size -x -a '25M 100M 650M 4095M' -d 'Split what is larger'
complete -c holdall-cli -n '__fish_seen_subcommand_from create convert' -l force -d 'Write over a file that exists'

complete -c holdall-cli -l conflict -x -a 'skip overwrite newer rename ask' -d 'If a file exists'
complete -c holdall-cli -l password-file -r -d 'File with a password'
complete -c holdall-cli -l encoding -x -a 'UTF-8 CP437 CP850 CP866 CP932 GBK BIG5 EUC-KR KOI8-R WINDOWS-1251' -d 'Charset of names without a mark'
complete -c holdall-cli -l progress -d 'Show progress'
complete -c holdall-cli -l no-progress -d 'Show no progress'
complete -c holdall-cli -s j -l jobs -x -d 'Threads'
complete -c holdall-cli -s q -l quiet -d 'Only errors'
complete -c holdall-cli -s h -l help -d 'Show help'
complete -c holdall-cli -l version -d 'Show the version'
