#!/usr/bin/env bash
# Runs every gallery scene and draws it: docs/pictures/NAME.png. Give names to draw only those. STICTION names a built program, PANELS a
# built example `panels` of stiction-render. RUNS names a folder in which runs are kept and found again.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${STICTION:-}" ]; then
    cargo build --release -p stiction-cli
    STICTION=target/release/stiction
fi
if [ -z "${PANELS:-}" ]; then
    cargo build --release -p stiction-render --example panels
    PANELS=target/release/examples/panels
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for file in scenes/*.toml; do names+=("$(basename "$file" .toml)"); done
    # reads meshes from beside the project's folder
    [ -d ../shared/assets/codim-ipc ] && names+=(garment_dress)
fi
if [ -n "${RUNS:-}" ]; then
    runs=$RUNS
else
    runs=$(mktemp -d)
    trap 'rm -rf "$runs"' EXIT
fi

# run VARIANT [OPTION]...: simulates the scene $name; the variant `-` is the scene as it is.
run() {
    local out="$runs/$name" file="scenes/$name.toml"
    [ "$1" = - ] || out+="_$1"
    [ -e "$file" ] || file="scenes/own_files/$name.toml"
    shift
    [ -e "$out.done" ] && return
    "$STICTION" run "$file" "$@" --overwrite -o "$out" >"$out.txt" 2>&1 || { cat "$out.txt"; exit 1; }
    touch "$out.done"
    grep -h "ms per frame" "$out.txt" | sed "s/^/$(basename "$out"):/"
    grep -h "intersections" "$out.txt" | sed "s/^/$(basename "$out"):/"
}

# sheet [OPTION VALUE]... (VARIANT FRAME LABEL | OPTION VALUE)...: draws docs/pictures/$name.png, or ${name}_$as.png, in panels of $size
sheet() {
    local words=(--size "${size:-560x420}")
    while [ $# -gt 0 ]; do
        case $1 in
            --*) words+=("$1" "$2"); shift 2 ;;
            -) words+=("$runs/$name" "$2" "$3"); shift 3 ;;
            *) words+=("$runs/${name}_$1" "$2" "$3"); shift 3 ;;
        esac
    done
    "$PANELS" "docs/pictures/$name${as:+_$as}.png" "${words[@]}"
}

# frames CAMERA FRAME...: the scene as it is at these frames
frames() {
    local words=(--camera "$1")
    shift
    for frame in "$@"; do words+=(- "$frame" ""); done
    sheet "${words[@]}"
}

thirds() {
    read -ra shown <<<"$("$STICTION" info "$runs/$name" --json | python3 -c 'import json, sys; n = json.load(sys.stdin)["frames"] - 1; print(n // 3, 2 * n // 3, n)')"
    frames "$1" "${shown[@]}"
}

# Scenes whose claim needs variants, a camera or certain frames; others are drawn at the thirds of their run.
picture() {
    run -
    case $name in
        ball_on_layers) frames az=30,el=12,distance=0.96 0 6 60 ;;
        ball_on_torus)
            run high --set grip=high
            sheet --camera az=30,el=24,distance=0.86 - 0 start - last "friction 0.1 falls" high last "friction 0.8 carries" ;;
        balloon)
            run long --frames 45
            sheet --camera az=-80,el=3,distance=0.95 long 0 start long 6 "pressed flat" long 19 "thrown back" ;;
        belt_lock)
            run low --set grip=low
            sheet --camera az=-60,el=10,distance=0.9 - 0 start - last "friction 0.5 locks" low 20 "friction 0.2 runs out" ;;
        box_slope)
            run 45 --set slope=45
            sheet --camera az=-60,el=18 - 0 start - last "30 deg: 0.7 holds, 0.4 slides" 45 18 "45 deg: both slide" ;;
        bunny_box) frames az=40,el=30,distance=0.8 8 16 32 ;;
        cantilever_*) frames az=-90,el=0 0 15 90 ;;
        card_house)
            run low --set grip=low
            sheet --camera az=25,el=16,distance=0.85 - last "friction 0.6 stands" low 9 "0.2 slips" low last "0.2 has fallen" ;;
        card_house_fine)
            run low --set grip=low
            sheet --camera az=25,el=16,distance=0.85 - last "friction 0.8 stands" low 9 "0.2 slips" low last "0.2 has fallen" ;;
        card_house_hit) frames az=30,el=22,distance=0.8 12 19 36 ;;
        cloth_rolling)
            run turned --set grain=turned
            sheet --camera az=-60,el=25,distance=0.85 - 10 "" - last "grain across: it rolls up" turned last "grain turned: it slides on" ;;
        cloth_slope)
            run low --set grip=low
            sheet --camera az=-60,el=22,distance=1.3 - 0 start - last "friction 0.7 holds" low last "friction 0.4 slides" ;;
        cohesion_patch)
            run none --set cohesion=none
            sheet - 0 start - last "sticky hair clumps" none last "without cohesion" ;;
        curtain)
            run xpbd --method xpbd
            sheet --camera az=60,el=20,distance=0.85 - 12 "" - last "pd" xpbd last "xpbd: red where it crosses" ;;
        curtain_15) frames az=-45,el=15,distance=0.9 12 24 36 ;;
        damping_series) size=1136x300 sheet --columns 1 --camera az=-90,el=10,distance=0.98 - 14 "damping 0, 3e-5, 1e-4, 3e-4 s" - 20 "" ;;
        dancing) size=420x520 frames az=55,el=8,distance=0.95 15 30 45 ;;
        dominoes) frames az=-60,el=18,distance=0.98 8 16 36 ;;
        donut_pile)
            run coarse --set size=coarse
            sheet --camera eye=2.2,1.4,1.1,target=0,0,0.25 - 12 "12 rings" - last "12 rings" --camera az=30,el=24,distance=0.8 coarse 45 "800 coarse rings" ;;
        fishing_knot)
            run long --frames 72
            sheet --camera az=-60,el=40,distance=0.36 long 0 "" long 24 "" --camera az=-90,el=35,distance=0.12 long last "closer" ;;
        five_cylinders) frames az=-70,el=20,distance=0.85 12 24 48 ;;
        flag) frames az=-60,el=8,distance=0.98 20 70 120 ;;
        garment_dress) size=420x520 frames az=-75,el=5,distance=0.95 0 15 30 ;;
        garment_fit) size=420x520 frames az=-25,el=10,distance=0.85 0 15 45 ;;
        hair_band) frames az=30,el=15,distance=0.84 14 32 48 ;;
        hair_relax) frames az=30,el=15 0 12 36 ;;
        hairy_ball) thirds az=30,el=15,distance=0.8 ;;
        hang)
            run none --set limit=none
            sheet --camera az=-70,el=6,distance=0.9 - 15 "" - last "strain limit 5 %" none last "no limit: it stretches" ;;
        hanging_cloth) frames az=-60,el=10 0 12 120 ;;
        layers_20)
            run off --set stabilise=off
            frames az=20,el=14 0 10 90
            as=speed sheet --color-by velocity --camera az=20,el=14,distance=0.95 - last "stabilised: at rest" off last "without: it jitters" ;;
        masonry_arch)
            run low --set grip=low
            sheet --camera eye=0.9,-3.6,1.1,target=0.05,0,0.55 - last "friction 0.9 stands" low 12 "0.05 slides" low last "0.05 has fallen" ;;
        needle)
            for speed in 5 10 20; do run $speed --set speed=$speed --frames 8; done
            sheet --columns 3 --camera eye=1.4,-0.8,0.5,target=0,0,0.1 - 5 "ball at 1 m/s" - 12 "ball" - last "ball" \
                5 8 "sheets at 5 m/s" 10 8 "10 m/s" 20 8 "20 m/s" ;;
        noodles) frames az=30,el=60,distance=0.4,target=0,0,0 12 24 36 ;;
        pinched_cloth) frames az=-30,el=12 0 20 60 ;;
        reef_knot) sheet --camera az=-75,el=50,distance=0.42 - 0 "" - 22 "" --camera az=-75,el=50,distance=0.16 - 48 "closer" ;;
        ribbons) frames az=30,el=60,distance=0.45,target=0,0,0 12 40 54 ;;
        rope_capstan)
            run low --set grip=low
            sheet --camera az=-75,el=10 - 0 start - last "friction 0.5 locks" low 16 "friction 0.1 runs out" ;;
        soft_body_slope) thirds az=-60,el=14,distance=0.9 ;;
        sphere_drape)
            run seed --set size=paper
            sheet --columns 3 --camera az=30,el=24,distance=0.86 - 4 "" - 20 "" - last "held by friction 0.5" \
                --camera eye=0.9,1.1,0.55,target=0,0,-0.06 seed 25 "the ball begins to turn" seed 50 "turned by 180 deg" seed last "turned by 540 deg" ;;
        sphere_sheets) frames az=-30,el=20,distance=0.85 5 12 30 ;;
        squishy_balls) frames az=30,el=20,distance=0.8 0 25 30 ;;
        stacked_sheets) frames az=30,el=12 0 3 11 ;;
        ten_sheets) frames az=-30,el=15,distance=0.85 3 8 16 ;;
        trampoline)
            run 25 --set speed=25 --set fps=240 --frames 20
            sheet --columns 3 --camera az=30,el=16,distance=0.9 - 0 "5 m/s" - 2 "5 m/s" - 13 "5 m/s" 25 0 "25 m/s" 25 2 "25 m/s" 25 12 "25 m/s" ;;
        triple_belt) thirds az=30,el=24,distance=0.85 ;;
        wind_sheets) frames az=-40,el=20,distance=0.92 12 24 34 ;;
        woven_cylinder) frames az=-70,el=12,distance=1.02 0 18 36 ;;
        yarn_curl) frames az=-90,el=12,distance=0.95 0 21 42 ;;
        *) thirds default ;;
    esac
}

for name in "${names[@]}"; do
    picture
    [ -n "${RUNS:-}" ] || rm -rf "${runs:?}"/*
done
