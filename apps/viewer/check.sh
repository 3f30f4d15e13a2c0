#!/usr/bin/env bash
# Checks the page in a browser, as the program holds it.
# Needs Node 20.19 or newer and Chromium (CHROMIUM, default /usr/bin/chromium). CI runs this; so should who changes the page.
set -euo pipefail
cd "$(dirname "$0")"
root="$(cd ../.. && pwd)"
target="${CARGO_TARGET_DIR:-$root/target}"

(cd page && npm ci --silent)
if grep -q '"resolved"' page/package-lock.json; then
    echo "package-lock.json records download addresses; page/.npmrc forbids them" >&2
    exit 1
fi

(cd "$root" && cargo build --release --locked -p stiction-cli -p stiction-output --bin stiction --example sample_run)
export STICTION="$target/release/stiction" SAMPLE_RUN="$target/release/examples/sample_run"
cd page && node --test --test-concurrency=1 tests/*.test.mjs
