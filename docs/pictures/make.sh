#!/usr/bin/env bash
# Runs every gallery scene and draws it: docs/pictures/NAME.png. Give names to draw only those. STICTION names a built program.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${STICTION:-}" ]; then
    cargo build --release -p stiction-cli
    STICTION=target/release/stiction
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for file in scenes/*.toml; do names+=("$(basename "$file" .toml)"); done
fi
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
for name in "${names[@]}"; do
    "$STICTION" run "scenes/$name.toml" -o "$runs/$name" >"$runs/$name.txt" 2>&1 || { cat "$runs/$name.txt"; exit 1; }
    frames=$("$STICTION" info "$runs/$name" --json | python3 -c 'import json, sys; n = json.load(sys.stdin)["frames"] - 1; print(f"{n // 3},{2 * n // 3},{n}")')
    "$STICTION" render "$runs/$name" -o "docs/pictures/$name.png" --frames "$frames" --size 400x320 >/dev/null
    grep -h "ms per frame" "$runs/$name.txt" | sed "s/^/$name:/"
    grep -h "intersections" "$runs/$name.txt" | sed "s/^/$name:/"
    rm -rf "$runs/$name"
done
