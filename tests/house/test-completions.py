#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What bash, zsh and fish offer for the commands is what --help names, in TAP.

    tests/house/test-completions.py COMPLETIONS-FOLDER HOLDALL-CLI [HOLDALL]

The completions run in the shells themselves, where those are installed. zsh's own functions are
replaced by ones that print what they are given.
"""

import os
import re
import shutil
import subprocess
import sys

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
${FUNCTION} 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""

FISH = """
source $argv[1]
complete -C "$argv[2]"
"""

# What _arguments is given for the verb; the first call only finds out that there is one.
ZSH = """
_arguments () { if [[ $1 == -C ]]; then state=$WANTED; else print -rl -- "$@"; fi }
_describe () { print -rl -- $verbs }
_files () { : }
completion=$1; shift
words=("$@")
source $completion
"""


def run(*command, **env):
    answer = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                            encoding="utf-8", check=False,
                            env={**os.environ, "LC_ALL": "C.UTF-8", **env})
    return answer.stdout


def long_options(text):
    return set(re.findall(r"--[a-z][a-z-]*", text))


def helped(program, *verb):
    """The long options that the help of a verb, or of the whole command, describes."""
    text = run(program, *verb, "--help")
    return set(re.findall(r"^\s+(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))


def offered_bash(folder, command, verb):
    script = os.path.join(folder, command + ".bash")
    function = "_" + command.replace("-", "_")
    return run("bash", "--norc", "-c", BASH, "bash", script, command, *verb, "--", FUNCTION=function)


def offered_fish(folder, command, verb):
    script = os.path.join(folder, command + ".fish")
    return run("fish", "--no-config", "-c", FISH, script, " ".join([command, *verb, "--"]))


def offered_zsh(folder, command, verb):
    script = os.path.join(folder, command + ".zsh")
    return run("zsh", "-f", "-c", ZSH, "zsh", script, *verb, WANTED="argument")


SHELLS = {"bash": offered_bash, "fish": offered_fish, "zsh": offered_zsh}


def offered_verbs(shell, folder):
    if shell == "bash":
        return set(run("bash", "--norc", "-c", BASH, "bash", os.path.join(folder, "holdall-cli.bash"),
                       "holdall-cli", "", FUNCTION="_holdall_cli").split())
    if shell == "fish":
        text = run("fish", "--no-config", "-c", FISH, os.path.join(folder, "holdall-cli.fish"),
                   "holdall-cli ")
        return {line.split("\t")[0] for line in text.split("\n") if line}
    text = run("zsh", "-f", "-c", ZSH, "zsh", os.path.join(folder, "holdall-cli.zsh"), WANTED="verb")
    return {line.partition(":")[0] for line in text.split("\n") if re.match(r"[a-z]+:", line)}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder, cli = sys.argv[1:3]
    listed = run(cli, "--help").partition("Verbs:")[2].partition("\n\n")[0]
    verbs = set(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE))
    n_failed = 0
    print(f"1..{2 * len(SHELLS)}")
    for number, (shell, offered) in enumerate(SHELLS.items()):
        notes, skip = [], None
        if shutil.which(shell) is None:
            skip = f" # SKIP {shell} is not installed"
        else:
            if offered_verbs(shell, folder) != verbs:
                notes.append(f"verbs: {sorted(offered_verbs(shell, folder) ^ verbs)}")
            for verb in sorted(verbs):
                differs = long_options(offered(folder, "holdall-cli", [verb])) ^ helped(cli, verb)
                if differs:
                    notes.append(f"{verb}: {sorted(differs)}")
        n_failed += report(2 * number + 1, f"{shell}: holdall-cli", notes, skip)
        if skip is None and len(sys.argv) == 3:
            skip = " # SKIP the program is not built"
        if skip is None:
            # The program's own options; the toolkit has more ways to ask for help.
            wanted = {word for word in helped(sys.argv[3]) if not word.startswith("--help-")}
            differs = long_options(offered(folder, "holdall", [])) ^ wanted
            notes = [str(sorted(differs))] if differs else []
        n_failed += report(2 * number + 2, f"{shell}: holdall", notes, skip)
    return 1 if n_failed else 0


def report(number, name, notes, skip):
    for note in notes if skip is None else []:
        print("# " + note)
    bad = skip is None and notes != []
    print(("not ok" if bad else "ok") + f" {number} {name}{skip or ''}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
