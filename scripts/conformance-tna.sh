#!/usr/bin/env bash
# Compiles the public programs for TNA and T2NA and prints what becomes of each, as a table; its last line is the count. Those of
# open-p4studio for which scripts/tna_packets.py has packets and answers of our own run, too, and p4app-switchML with workers of
# our own (scripts/conformance-switchml/).
# The collections are named by variables, each of which may be left out:
#
#   OPEN_P4STUDIO  p4lang/open-p4studio, with the programs of pkgsrc/p4-examples/p4_16_programs
#   P4C            p4lang/p4c, with the programs with which its packet generator for Tofino is tested
#   SWITCHML       p4lang/p4app-switchML
#   FABRIC_TNA     stratum/fabric-tna, in its four profiles
#
# Each is a checkout, or a git directory without a work tree: then what is needed of its HEAD is put into
# target/conformance/.
set -euo pipefail
# Or a function whose output is taken would go on after an error.
shopt -s inherit_errexit
source "$(dirname "$0")/checkouts.sh"

if [ -z "${OPEN_P4STUDIO:-}${P4C:-}${SWITCHML:-}${FABRIC_TNA:-}" ]; then
    echo "name a checkout: OPEN_P4STUDIO=, P4C=, SWITCHML= or FABRIC_TNA=" >&2
    exit 2
fi
polyplane=${POLYPLANE:-target/release/polyplane}
messages=$(mktemp)
tests=$(mktemp -d)
trap 'rm -rf "$messages" "$tests"' EXIT
compiled=0 ran=0 explained=0 failed=0

# Why a program does not compile, where that is right.
reason() {
    case $1 in
    */tna_register_action_1.p4) echo "a stage of the chip reads and writes a register once for a packet" ;;
    */tna_pktgen.p4) echo "the packet generator of a deparser is not there yet" ;;
    esac
}

# Compiles a program and prints its line of the table. Arguments: the name of the program in the table, the generation of
# the chip, the file, and further arguments of the compiler.
compile() {
    local name=$1 chip=$2 file=$3 result why
    shift 3
    if "$polyplane" compile "$file" -D "__TARGET_TOFINO__=$chip" "$@" >/dev/null 2>"$messages"; then
        result="compiled" compiled=$((compiled + 1))
    else
        result=$(sed -n 's/^error: //p' "$messages" | head -n 1)
        [ -n "$result" ] || result=$(head -n 1 "$messages")
        why=$(reason "$file")
        if [ -n "$why" ]; then
            result="refused: $result ($why)" explained=$((explained + 1))
        else
            result="FAILED: $result" failed=$((failed + 1))
        fi
    fi
    echo "| $name | $chip | $result |"
}

# Runs the packet test of a program and prints its line of the table. Arguments: the folder of the programs, and the test.
run() {
    local programs=$1 test=$2 name result
    name=$(basename "$test" .stf)
    if result=$("$polyplane" stf "$programs/$name/$name.p4" "$test" -I "$programs" 2>"$messages"); then
        result="ran: ${result##*: }" ran=$((ran + 1))
    else
        result="FAILED: $({ cat "$messages"; echo "$result"; } | head -n 1)" failed=$((failed + 1))
    fi
    echo "| open-p4studio $name, our packets | 1 | $result |"
}

echo "| program | Tofino | what becomes of it |"
echo "|---|---|---|"
if [ -n "${OPEN_P4STUDIO:-}" ]; then
    part=pkgsrc/p4-examples/p4_16_programs
    programs=$(files_of "$OPEN_P4STUDIO" open-p4studio "$part")/$part
    for file in "$programs"/*/*.p4 "$programs"/*/program_*/*.p4; do
        # The others are included by them.
        grep -qE '^ *(Multi[A-Za-z]*|V1)?Switch *\(' "$file" || continue
        name=${file#"$programs"/}
        chips="1 2"
        [[ $name != t2na_* ]] || chips=2
        for chip in $chips; do
            compile "open-p4studio $name" "$chip" "$file" -I "$programs"
        done
    done
    python3 "$(dirname "$0")/tna_packets.py" "$tests"
    for test in "$tests"/*.stf; do
        run "$programs" "$test"
    done
fi
if [ -n "${P4C:-}" ]; then
    part=backends/p4tools/modules/testgen/targets/tofino/test/p4-programs
    programs=$(files_of "$P4C" p4c-tofino "$part")/$part
    for file in "$programs"/*.p4 "$programs"/tofino?_only/*.p4; do
        name=${file#"$programs"/}
        case $name in
        tofino1_only/*) chips=1 ;;
        tofino2_only/*) chips=2 ;;
        *) chips="1 2" ;;
        esac
        for chip in $chips; do
            compile "p4c $name" "$chip" "$file" -I "$programs"
        done
    done
fi
if [ -n "${SWITCHML:-}" ]; then
    programs=$(files_of "$SWITCHML" p4app-switchml dev_root/p4)/dev_root/p4
    compile "p4app-switchML switchml.p4" 1 "$programs/switchml.p4"
    python3 "$(dirname "$0")/conformance-switchml/main.py" "$polyplane" "$programs" >"$messages" || true
    grep -q '^|' "$messages" || failed=$((failed + 1))
    ran=$((ran + $(grep -c '^|.*| sums are right' "$messages" || true))) failed=$((failed + $(grep -c '^|.*| FAILED' "$messages" || true)))
    grep '^|' "$messages" || true
    # The plain switch and the program answer the same packets alike.
    if SWITCHML="$programs/../.." cargo test --quiet -p polyplane-networks --test switchml both_switches; then
        ran=$((ran + 1))
    else
        failed=$((failed + 1))
    fi
fi
if [ -n "${FABRIC_TNA:-}" ]; then
    programs=$(files_of "$FABRIC_TNA" fabric-tna p4src)/p4src
    for profile in "" "-D WITH_INT" "-D WITH_UPF" "-D WITH_INT -D WITH_UPF"; do
        # The profile is a list of arguments.
        # shellcheck disable=SC2086
        compile "fabric-tna fabric_tna.p4 $profile" 1 "$programs/tna/fabric_tna.p4" -I "$programs" $profile
    done
fi
echo
echo "$compiled compiled, $ran ran, $explained refused with a reason, $failed failed"
[ "$failed" = 0 ]
