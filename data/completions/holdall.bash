# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
#
# Completion of holdall for bash.

_holdall ()
{
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}

  COMPREPLY=()
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W '--extract-here --extract-to --extract --new --add-to --version --help' -- "$word"))
    return
  fi
  compopt -o filenames 2>/dev/null
  if [[ $before == --extract-to ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -F _holdall holdall
