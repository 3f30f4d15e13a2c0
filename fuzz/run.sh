#!/usr/bin/env bash
# Fuzzes every target, guided by coverage, and prints executions, slowest execution and memory of each.
#   fuzz/run.sh [SECONDS per target, default 100] [TARGET]...
# Stops at a panic, an execution above 5 s or memory above 1 GB: the input is then below fuzz/artifacts.
# Needs cargo-fuzz and a nightly toolchain. Without sanitizers, since the readers are safe Rust and
# executions count for more; debug assertions and overflow checks are on.
set -euo pipefail
cd "$(dirname "$0")"
seconds="${1:-100}"
shift || true
toolchain="${FUZZ_TOOLCHAIN:-nightly}"
executions=1000000
host="$(rustc -vV | sed -n 's/^host: //p')"
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls fuzz_targets | sed 's/\.rs$//')
cargo "+$toolchain" fuzz build --sanitizer none
mkdir -p target/results

for target in "${targets[@]}"; do
    # What is found goes to a corpus of its own; found/ in the project keeps a sample of it.
    mkdir -p "target/corpus/$target" "artifacts/$target"
    seeds=()
    for folder in corpus found; do [ ! -d "$folder/$target" ] || seeds+=("$folder/$target"); done
    echo "== $target"
    "target/$host/release/$target" -timeout=5 -rss_limit_mb=1000 -max_len=65536 -seed=1 -print_final_stats=1 \
        -runs="$executions" -max_total_time="$seconds" -artifact_prefix="artifacts/$target/" \
        "target/corpus/$target" "${seeds[@]}" 2>"target/results/$target.log" || {
        tail -40 "target/results/$target.log"
        exit 1
    }
done
grep -HE "number_of_executed_units|slowest_unit_time_sec|peak_rss_mb" target/results/*.log
