//! Clients that ping and never read. In a process of their own, because memory is measured.

mod common;

use common::{Running, write_run};
use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::Duration;
use stiction_viewer::Limits;

/// An empty mask and 125 bytes: the largest ping.
const PING_BYTES: usize = 131;

/// Sends pings until the server hangs up or this many bytes are on their way; gives what was sent.
fn ping(stream: &mut TcpStream, bytes: usize) -> usize {
    let mut ping = vec![0x89, 0x80 | 125, 0, 0, 0, 0];
    ping.resize(PING_BYTES, b'x');
    let block = ping.repeat(500);
    stream.set_write_timeout(Some(Duration::from_secs(15))).unwrap();
    let mut sent = 0;
    while sent < bytes {
        match stream.write_all(&block) {
            Ok(()) => sent += block.len(),
            Err(e) => {
                let hung_up = !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
                assert!(hung_up, "the server neither reads nor hangs up after {sent} bytes");
                break;
            }
        }
    }
    sent
}

/// Memory of this process in bytes, where the system tells.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kilobytes| 1024 * kilobytes)
}

fn serve(limits: Limits) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), 2).finish(None).unwrap();
    let server = Running::start_limited(folder.path(), limits);
    (folder, server)
}

#[test]
fn who_pings_without_end_is_let_go() {
    let (_folder, server) = serve(Limits::default());
    let (mut socket, _) = server.socket(&format!("http://{}", server.address));
    // What the system keeps on both sides comes on top of the 60 messages that are allowed.
    let sent = ping(&mut socket, 100_000_000);
    assert!(sent < 30_000_000, "{sent} bytes of pings were taken");
    assert_eq!(server.get("/api/run").status, 200);
    server.end().unwrap();
}

/// Even without the limits on messages and on time, unread answers do not pile up.
#[test]
fn unread_answers_to_pings_take_no_memory() {
    let long = Duration::from_secs(600);
    let (_folder, server) = serve(Limits { messages: u32::MAX, send_time: long, ..Limits::default() });
    let (mut socket, _) = server.socket(&format!("http://{}", server.address));
    let before = memory();
    let sent = ping(&mut socket, 100_000_000);
    let Some((before, after)) = before.zip(memory()) else { return };
    let grown = after.saturating_sub(before);
    assert!(sent >= 100_000_000, "{sent}");
    assert!(grown < 20_000_000, "{grown} bytes more after {sent} bytes of pings");
    drop(socket);
    server.end().unwrap();
}
