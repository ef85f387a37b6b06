#!/usr/bin/env bash
# Holds the P4Runtime server against the table entries and the cases of packets of SAI P4. Usage:
#
#   conformance-p4runtime.sh SONIC_PINS [PROGRAM...]
#
# SONIC_PINS is a checkout of sonic-net/sonic-pins, or a git directory without a work tree, which is taken out into
# target/conformance/. The client is Python with the published messages of P4Runtime, in a virtual environment of its own.
set -euo pipefail

polyplane=${POLYPLANE:-target/release/polyplane}
given=${1:?usage: conformance-p4runtime.sh SONIC_PINS [PROGRAM...]}
shift

checkout=$given
if [ ! -e "$given/sai_p4" ]; then
    commit=$(git --git-dir="$given" rev-parse HEAD)
    checkout=target/conformance/sonic-pins-whole-$commit
    if [ ! -e "$checkout/.complete" ]; then
        rm -rf "$checkout"
        mkdir -p "$checkout"
        git --git-dir="$given" archive "$commit" | tar -x -C "$checkout"
        touch "$checkout/.complete"
    fi
fi

environment=target/conformance/p4runtime-client
if [ ! -e "$environment/.complete" ]; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    # The published messages ask for a newer protobuf than the one that their generated code works with.
    "$environment/bin/pip" install -q --disable-pip-version-check grpcio==1.85.3 protobuf==3.20.3 googleapis-common-protos==1.56.4
    "$environment/bin/pip" install -q --disable-pip-version-check --no-deps p4runtime==1.6.0
    touch "$environment/.complete"
fi
exec "$environment/bin/python" "$(dirname "$0")/conformance-p4runtime/main.py" "$polyplane" "$checkout" "$@"
