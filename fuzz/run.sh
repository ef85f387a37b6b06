#!/usr/bin/env bash
# Builds every fuzzer and runs each for FUZZ_SECONDS (30), one after the other; fails if one finds something.
# Usage: fuzz/run.sh [TARGET...]; without a name, all of them. docs/fuzzing.md says what to do with a finding.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${FUZZ_SECONDS:-30}
cargo=${CARGO:-cargo}
all=(preprocessor domino microcode image ir_text binding capture table published_trace traffic_plan passes p4 p4_packets tna_programs tna_packets chip_file stf constraints p4runtime
    p4runtime_stream device_config lab_plan flatten native network_plan experiment_plan graph connection_matrix
    superframe live_control virtio checkpoint journal vswitch_configuration vswitch_frames vswitch_control vswitch_encrypted handover)
targets=("${@:-${all[@]}}")

# What a fuzzer may take: an input that needs more time or memory than this is a finding.
limits=(-rss_limit_mb=2048 -timeout=10)

command -v c++ >/dev/null || { echo "please install a C++ compiler: libFuzzer is compiled with it" >&2; exit 1; }
if ! command -v cargo-fuzz >/dev/null; then
    "$cargo" install cargo-fuzz --version "^0.13" --locked
fi
# Not `--locked`: a crate of the main workspace may need another library by now, which is then added to the lock file.
"$cargo" run --release --example seeds -- .. corpus

failed=()
for target in "${targets[@]}"; do
    echo "== $target, $seconds seconds"
    # Texts of P4 programs, and images, are longer than any other input.
    case "$target" in p4 | flatten | device_config) length=16384 ;; image) length=32768 ;; *) length=4096 ;; esac
    dictionary=()
    words=$target
    case "$target" in flatten | device_config) words=p4 ;; esac
    if [ -f "dictionaries/$words.txt" ]; then dictionary=("-dict=dictionaries/$words.txt"); fi
    # `--sanitizer none`: the others need nightly Rust. Panics and overflows are found without them.
    "$cargo" fuzz run --fuzz-dir . --sanitizer none "$target" "corpus/$target" -- \
        "${limits[@]}" -max_len="$length" "${dictionary[@]}" \
        -max_total_time="$seconds" -print_final_stats=1 || failed+=("$target")
done

if [ ${#failed[@]} -gt 0 ]; then
    echo "findings in: ${failed[*]}; the inputs are in fuzz/artifacts/" >&2
    exit 1
fi
