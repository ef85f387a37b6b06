#!/usr/bin/env bash
# Compares the P4Info that the P4 compiler (p4lang/p4c) and SAI P4 (sonic-net/sonic-pins) publish beside their programs
# with ours, and says what differs and why; its last line is the count. Usage:
# scripts/conformance-p4info.sh P4C [SAI] [ARGUMENT...]
#
# P4C and SAI are checkouts; either may be empty. Further arguments go to `polyplane conformance-p4info`.
set -euo pipefail

compiler=${1:-}
sai=${2:-}
shift $(($# < 2 ? $# : 2))
polyplane=${POLYPLANE:-target/release/polyplane}

arguments=()
if [ -n "$compiler" ]; then
    arguments+=(--compiler "$compiler")
    # A folder inside of another repository has that one's commit, which says nothing of it.
    [ ! -e "$compiler/.git" ] || arguments+=(--commit "$(git -C "$compiler" rev-parse HEAD)")
fi
if [ -n "$sai" ]; then
    arguments+=(--sai "$sai")
    [ ! -e "$sai/.git" ] || arguments+=(--sai-commit "$(git -C "$sai" rev-parse HEAD)")
fi

exec "$polyplane" conformance-p4info "${arguments[@]}" "$@"
