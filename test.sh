#!/usr/bin/env bash
# All tests, in the release profile because physics runs in them. Uses cargo-nextest when it is there.
set -euo pipefail
cd "$(dirname "$0")"
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --release --workspace --locked "$@"
else
    cargo test --release --workspace --locked "$@"
fi
