//! Frames of a small layout, with right checksums: `cargo fuzz run frame`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::container::repair_checksums;
use stiction_output::{LayoutKind, BodyLayout, Frame, Layout, StoredMotion, UpAxis};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    repair_checksums(&mut bytes);
    // As many stored vertices and poses as the seeds have.
    let mut layout = Layout::new(UpAxis::Z, 24.0);
    layout.push(BodyLayout::new("cloth", LayoutKind::Cloth, 13));
    let mut ball = BodyLayout::new("ball", LayoutKind::Collider, 1);
    ball.motion = StoredMotion::Posed;
    ball.shape = vec![[0.0; 3]];
    layout.push(ball);
    let _ = Frame::read(Cursor::new(&bytes), Path::new("f"), &layout, &Budget::of_bytes(20_000_000));
});
