#!/usr/bin/env bash
# Runs the public programs of P4 and prints what came of each; its last line is the count. Arguments go to
# `polyplane conformance`, such as `--report FILE`. The collections are named by variables, each of which may be left out:
#
#   P4C         p4lang/p4c, the P4 compiler, with the programs with which it tests itself
#   TUTORIALS   p4lang/tutorials
#   SONIC_PINS  sonic-net/sonic-pins, with SAI P4
#   DASH        sonic-net/DASH
#   P4_GUIDE    jafingerhut/p4-guide
#
# Each is a checkout, or a git directory without a work tree: then what is needed of its HEAD is put into
# target/conformance/. P4C_COMMIT, TUTORIALS_COMMIT and so on name the commits of folders that are no git repositories.
set -euo pipefail
# Or a function whose output is taken would go on after an error.
shopt -s inherit_errexit

polyplane=${POLYPLANE:-target/release/polyplane}

source "$(dirname "$0")/checkouts.sh"

# Adds a collection to the arguments. Arguments: the checkout, which may be empty, the option and that of its commit, the
# commit if it is known, a name, and what is needed of it, as for files_of.
arguments=()
collection() {
    local given=$1 option=$2 commit_option=$3 commit=$4 name=$5 checkout
    shift 5
    [ -n "$given" ] || return 0
    checkout=$(files_of "$given" "$name" "$@")
    arguments+=("$option" "$checkout")
    # A folder inside of another repository has that one's commit, which says nothing of it.
    [ -n "$commit" ] || { [ ! -e "$given/.git" ] && [ ! -e "$given/HEAD" ]; } || commit=$(commit_of "$given")
    [ -z "$commit" ] || arguments+=("$commit_option" "$commit")
}
collection "${P4C:-}" --compiler --commit "${P4C_COMMIT:-}" p4c testdata p4include
[ -z "${TUTORIALS:-}" ] || arguments+=(--tutorial-tests crates/conformance/tests/tutorials)
collection "${TUTORIALS:-}" --tutorials --tutorials-commit "${TUTORIALS_COMMIT:-}" \
    tutorials exercises -- ':(glob)**/*.p4' ':(glob)**/*.json'
collection "${SONIC_PINS:-}" --sonic-pins --sonic-pins-commit "${SONIC_PINS_COMMIT:-}" sonic-pins sai_p4
collection "${DASH:-}" --dash --dash-commit "${DASH_COMMIT:-}" dash dash-pipeline/bmv2
collection "${P4_GUIDE:-}" --p4-guide --p4-guide-commit "${P4_GUIDE_COMMIT:-}" p4-guide . -- ':(glob)**/*.p4' ':(glob)**/*.h'
if [ ${#arguments[@]} -eq 0 ]; then
    echo "name a checkout: P4C=, TUTORIALS=, SONIC_PINS=, DASH= or P4_GUIDE=" >&2
    exit 2
fi

exec "$polyplane" conformance "${arguments[@]}" "$@"
