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
# Where the default view hides what a scene is about: camera, and the frames that tell it. Other scenes are drawn at the thirds of their run.
view() {
    case $1 in
        card_house_hit) echo "--frames 12,19,36" ;;
        curtain_15) echo "--camera=-45,15" ;;
        fishing_knot) echo "--camera=-60,40,0.36 --frames 0,24,54" ;;
        garment_fit) echo "--camera=-25,10,0.9 --frames 0,15,45" ;;
        hang) echo "--camera=155,12 --frames 10,20,45" ;;
        needle) echo "--camera=-30,12 --frames 5,12,30" ;;
        noodles) echo "--camera=30,45 --frames 12,24,36" ;;
        reef_knot) echo "--camera=-60,40,0.42 --frames 0,22,48" ;;
        ribbons) echo "--camera=30,45,0.62 --frames 12,40,54" ;;
        sphere_sheets) echo "--camera=-30,20 --frames 5,12,30" ;;
        squishy_balls) echo "--frames 0,25,30" ;;
        ten_sheets) echo "--camera=-30,15 --frames 3,8,16" ;;
        trampoline) echo "--camera=30,16 --frames 2,6,13" ;;
        wind_sheets) echo "--camera=-40,20 --frames 12,24,36" ;;
    esac
}
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
for name in "${names[@]}"; do
    "$STICTION" run "scenes/$name.toml" -o "$runs/$name" >"$runs/$name.txt" 2>&1 || { cat "$runs/$name.txt"; exit 1; }
    frames=$("$STICTION" info "$runs/$name" --json | python3 -c 'import json, sys; n = json.load(sys.stdin)["frames"] - 1; print(f"{n // 3},{2 * n // 3},{n}")')
    read -ra shown <<<"$(view "$name")"
    [[ "${shown[*]}" == *--frames* ]] || shown+=(--frames "$frames")
    "$STICTION" render "$runs/$name" -o "docs/pictures/$name.png" "${shown[@]}" --size 400x320 >/dev/null
    grep -h "ms per frame" "$runs/$name.txt" | sed "s/^/$name:/"
    grep -h "intersections" "$runs/$name.txt" | sed "s/^/$name:/"
    rm -rf "$runs/$name"
done
