# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
#
# Completion of holdall-cli for bash: the verb, the options of that verb, files.

_holdall_cli ()
{
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb='' options i
  local verbs='list info extract move cat test add delete rename mkdir create convert formats'

  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case " $verbs " in
      *" ${COMP_WORDS[i]} "*) verb=${COMP_WORDS[i]}; break ;;
    esac
  done

  case $before in
    --conflict)
      COMPREPLY=($(compgen -W 'skip overwrite newer rename ask' -- "$word")); return ;;
    --format)
      COMPREPLY=($(compgen -W 'zip 7z tar tar.gz tar.bz2 tar.xz tar.zst tar.lz4 tar.lz cpio' -- "$word"))
      return ;;
    -C|--directory)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --encoding)
      COMPREPLY=($(compgen -W 'UTF-8 CP437 CP850 CP866 CP932 GBK BIG5 EUC-KR KOI8-R WINDOWS-1251' -- "$word"))
      return ;;
    --index|--into|--level|--volume-size|-j|--jobs) return ;;
  esac

  if [[ $word == -* ]]; then
    options='--conflict --password-file --encoding --progress --no-progress --jobs --quiet --help --version'
    case $verb in
      list|info|formats) options+=' --json' ;;
      extract) options+=' --directory --index --keep-damaged' ;;
      move) options+=' --directory --index' ;;
      cat|delete|rename) options+=' --index' ;;
      add) options+=' --into --replace --level' ;;
      create) options+=' --format --level --encrypt --force --volume-size' ;;
      convert) options+=' --format --level --force' ;;
    esac
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -z $verb ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$word"))
  elif [[ $verb != formats ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -F _holdall_cli holdall-cli
