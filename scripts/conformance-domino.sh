#!/usr/bin/env bash
# Compiles every program of the public Domino collection (packet-transactions/domino-examples) and prints the table of
# docs/conformance-domino.md. Usage: scripts/conformance-domino.sh CHECKOUT
set -uo pipefail

examples=${1:?the folder of a checkout of packet-transactions/domino-examples}
polyplane=${POLYPLANE:-target/release/polyplane}
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
passed=0 refused=0 failed=0

# The least atoms of a fitted program, or the first reasons why it does not fit.
compile() {
    "$polyplane" compile "$@" 2>"$messages" | sed -n '/^least atoms/,/^$/s/^    //p' | paste -sd '|' | sed 's/|/<br>/g'
    return "${PIPESTATUS[0]}"
}

echo "| program | for all 32-bit inputs | if no sum of the program overflows |"
echo "|---|---|---|"
for program in "$examples"/domino_programs/*.c "$examples"/generalize/*.c; do
    name=${program#"$examples"/}
    exact=$(compile "$program")
    case $? in
    0)
        passed=$((passed + 1))
        echo "| $name | $exact | |"
        ;;
    3)
        refused=$((refused + 1))
        reason=$(grep -m 1 '^- ' "$messages" | sed 's/^- //')
        detail=$(grep -A 1 -m 1 '^- ' "$messages" | sed -n '2s/^ *//p')
        bounded=$(compile "$program" --assume-no-overflow) || bounded="refused"
        echo "| $name | refused: $reason ($detail) | $bounded |"
        ;;
    *)
        failed=$((failed + 1))
        echo "| $name | FAILED: $(head -n 1 "$messages") | |"
        ;;
    esac
done
echo
echo "$passed compiled, $refused refused with the reason, $failed failed"
[ "$failed" = 0 ]
