#!/usr/bin/env bash
# Runs what `cargo test` runs, but two test binaries at once. Many of them wait for packets and processes, or have one
# test that takes longer than all others, so that one binary after the other leaves cores idle. The arguments are those
# with which cargo selects packages and features.
#
# What a binary prints is shown together when it has ended. All binaries run, also after a failure; those that failed
# are named at the end, each with the arguments of `cargo test` that run it again. The exit status is cargo's.
set -euo pipefail

# One binary, for xargs below: the folder with the results, the arguments that select the binary, the folder of its
# package, in which tests run, and the binary.
if [ "${1:-}" = --binary ]; then
    results=$2 selection=$3 folder=$4 binary=$5
    output=$(mktemp "$results/output.XXXXXX")
    status=0
    (cd "$folder" && "$binary") >"$output" 2>&1 </dev/null || status=$?
    # One binary's lines are not mixed with another's.
    exec 9>"$results/printing"
    flock 9
    printf '     Running %s (%s)\n' "$selection" "$binary"
    cat "$output"
    if [ "$status" != 0 ]; then
        printf 'error: %s ended with exit status %s\n\n' "$selection" "$status"
        printf '    %s\n' "$selection" >>"$results/failed"
    fi
    rm "$output"
    exit
fi

script=$(realpath "$0")
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"${CARGO:=cargo}" test --no-run --message-format=json-render-diagnostics "$@" >"$results/messages"
# Each message is a line. Those of test binaries become folder, kind and name of the target, and binary.
target='"manifest_path":"([^"]*)/Cargo.toml","target":\{"kind":\["([^"]*)".*"name":"([^"]*)","src_path"'
sed -nE 's|^.*'"$target"'.*"test":true\},"features".*"executable":"([^"]+)".*$|\1\t\2\t\3\t\4|p' "$results/messages" |
    sort >"$results/tests"
if [ ! -s "$results/tests" ]; then
    echo "error: there is no test binary in the messages of '$CARGO test --no-run $*'" >&2
    exit 101
fi
{
    # The examples of doc comments are compiled as they run.
    printf '#!/bin/sh\nexec %s test --doc %s\n' "$CARGO" "${*@Q}" >"$results/doc-tests"
    chmod +x "$results/doc-tests"
    printf '%s\n' "$results" "$* --doc" "$PWD" "$results/doc-tests"
    while IFS=$'\t' read -r folder kind name binary; do
        package=$(sed -nE '/^name = /{s/^name = "(.*)"/\1/p;q}' "$folder/Cargo.toml")
        case $kind in
        test | bin) selection="--package $package --$kind $name" ;;
        *) selection="--package $package --lib" ;;
        esac
        printf '%s\n' "$results" "$selection" "$folder" "$binary"
    done <"$results/tests"
} >"$results/runs"
xargs --arg-file "$results/runs" --delimiter '\n' --max-args 4 --max-procs 2 bash "$script" --binary

if [ -e "$results/failed" ]; then
    printf 'error: tests failed; these arguments of `%s test` run them again:\n' "$CARGO" >&2
    cat "$results/failed" >&2
    exit 101
fi
echo "all tests of $(wc -l <"$results/tests") binaries passed"
