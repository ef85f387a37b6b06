#!/usr/bin/env bash
# Runs the public programs of the P4 compiler (p4lang/p4c) and of the P4 tutorials (p4lang/tutorials) and prints what
# came of each; its last line is the count. Usage: scripts/conformance-p4.sh P4C [TUTORIALS] [ARGUMENT...]
#
# P4C and TUTORIALS are checkouts, or git directories without a work tree: then what is needed of their HEAD is put into
# target/conformance/. Further arguments go to `polyplane conformance`, such as `--report FILE`. P4C_COMMIT and
# TUTORIALS_COMMIT name the commits of folders that are no git repositories.
set -euo pipefail
# Or a function whose output is taken would go on after an error.
shopt -s inherit_errexit

compiler=${1:?a checkout of p4lang/p4c, or its git directory}
tutorials=${2:-}
shift $(($# < 2 ? $# : 2))
polyplane=${POLYPLANE:-target/release/polyplane}

# The commit of a checkout or git directory; nothing if it is neither.
commit_of() {
    git -C "$1" rev-parse HEAD 2>/dev/null || git --git-dir="$1" rev-parse HEAD 2>/dev/null || true
}

# A folder with what is needed of a checkout: itself, or folders that are taken out of a git directory, each by itself,
# for the rest of the repository need not be there. Arguments: the folder, a name, the folders, `--` and patterns of files
# in them.
files_of() {
    local folder=$1 name=$2
    shift 2
    local wanted=() commit target
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        wanted+=("$1")
        shift
    done
    if [ -e "$folder/${wanted[0]}" ]; then
        echo "$folder"
        return
    fi
    commit=$(git --git-dir="$folder" rev-parse HEAD 2>/dev/null) || {
        echo "$folder has no ${wanted[0]} and is no git directory" >&2
        return 2
    }
    target=target/conformance/$name-$commit
    if [ ! -e "$target/.complete" ]; then
        rm -rf "$target"
        mkdir -p "$target"
        local part
        for part in "${wanted[@]}"; do
            git --git-dir="$folder" archive --prefix="$part/" "$commit:$part" "$@" | tar -x -C "$target"
        done
        touch "$target/.complete"
    fi
    echo "$target"
}

arguments=()
checkout=$(files_of "$compiler" p4c testdata p4include)
arguments+=(--compiler "$checkout")
# A folder inside of another repository has that one's commit, which says nothing of it.
commit=${P4C_COMMIT:-}
[ -n "$commit" ] || { [ ! -e "$compiler/.git" ] && [ ! -e "$compiler/HEAD" ]; } || commit=$(commit_of "$compiler")
[ -z "$commit" ] || arguments+=(--commit "$commit")
if [ -n "$tutorials" ]; then
    checkout=$(files_of "$tutorials" tutorials exercises -- ':(glob)**/*.p4' ':(glob)**/*.json')
    arguments+=(--tutorials "$checkout" --tutorial-tests crates/experiments/tests/tutorials)
    commit=${TUTORIALS_COMMIT:-}
    [ -n "$commit" ] || { [ ! -e "$tutorials/.git" ] && [ ! -e "$tutorials/HEAD" ]; } || commit=$(commit_of "$tutorials")
    [ -z "$commit" ] || arguments+=(--tutorials-commit "$commit")
fi

exec "$polyplane" conformance "${arguments[@]}" "$@"
