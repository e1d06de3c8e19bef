#compdef holdall-cli
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers

_holdall-cli () {
  local curcontext=$curcontext state line
  local -a verbs common json index level encodings formats
  encodings=(UTF-8 CP437 CP850 CP866 CP932 GBK BIG5 EUC-KR KOI8-R WINDOWS-1251)
  formats=(zip 7z tar tar.gz tar.bz2 tar.xz tar.zst tar.lz4 tar.lz cpio)
  verbs=(
    'list:show the entries'
    'info:show format, sizes and what can be done'
    'extract:take out all, or the named entries'
    'move:take entries out, and then out of the archive'
    'cat:write an entry to standard output'
    'test:decode everything, write nothing'
    'add:put files and folders into an archive'
    'delete:take entries out of the archive for good'
    'rename:give an entry another name or place'
    'mkdir:make an empty folder'
    'create:make a new archive'
    'convert:make an archive of another format'
    'formats:show the table of formats'
  )
  common=(
    '--conflict[what to do if a file exists]:policy:(skip overwrite newer rename ask)'
    '*--password-file[file with a password]:file:_files'
    "--encoding[charset of names without a mark]:charset:($encodings)"
    '(--no-progress)--progress[show progress]'
    '(--progress)--no-progress[show no progress]'
    '(-j --jobs)'{-j,--jobs}'[threads]:number:'
    '(-q --quiet)'{-q,--quiet}'[only errors]'
    '(-h --help)'{-h,--help}'[show help]'
    '--version[show the version]'
  )
  json=('--json[one JSON object a line]')
  index=('*--index[entry by its position]:number:')
  level=('--level[of compression]:number:')

  _arguments -C $common '1:verb:->verb' '*::argument:->argument'
  case $state in
    verb)
      _describe -t verbs verb verbs
      ;;
    argument)
      case $words[1] in
        list|info)
          _arguments $common $json '1:archive:_files' ;;
        formats)
          _arguments $common $json ;;
        extract)
          _arguments $common $index '(-C --directory)'{-C,--directory}'[extract into]:folder:_directories' \
            '--keep-damaged[keep damaged files]' '1:archive:_files' '*:path:' ;;
        move)
          _arguments $common $index '(-C --directory)'{-C,--directory}'[extract into]:folder:_directories' \
            '1:archive:_files' '*:path:' ;;
        cat|delete|rename)
          _arguments $common $index '1:archive:_files' '*:path:' ;;
        add)
          _arguments $common $level '--into[folder of the archive]:folder:' \
            '--replace[replace entries of the same name]' '*:file:_files' ;;
        create)
          _arguments $common $level "--format[of the new archive]:format:($formats)" \
            '--encrypt[with the first password]' '--force[write over a file]' \
            '--volume-size[split what is larger]:size:(25M 100M 650M 4095M)' '*:file:_files' ;;
        convert)
          _arguments $common $level "--format[of the new archive]:format:($formats)" \
            '--force[write over a file]' '*:file:_files' ;;
        *)
          _arguments $common '1:archive:_files' '*:path:' ;;
      esac
      ;;
  esac
}

_holdall-cli "$@"
