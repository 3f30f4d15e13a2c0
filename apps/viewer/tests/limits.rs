//! What one client may take from the others: connections, turns, time.

mod common;

use common::{Running, is_closed, write_large_run, write_run};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use stiction_viewer::Limits;

/// Far above what is needed on a busy machine, far below the times that would do harm.
const SOON: Duration = Duration::from_secs(15);

fn small_run(limits: Limits) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), 2).finish(None).unwrap();
    let server = Running::start_limited(folder.path(), limits);
    (folder, server)
}

/// A run whose only frame is larger than what the system keeps for a connection.
fn large_run(limits: Limits) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    write_large_run(folder.path(), 1_500_000);
    let server = Running::start_limited(folder.path(), limits);
    (folder, server)
}

const LARGE_FRAME: &str = "/api/frame/0?velocities=1";

/// Whether the other side has not hung up yet.
fn is_open(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    matches!(stream.read(&mut [0; 16]), Err(e) if e.kind() == ErrorKind::WouldBlock)
}

#[test]
fn hundreds_of_idle_sockets_keep_nobody_out() {
    let (_folder, server) = small_run(Limits { head_time: Duration::from_secs(4), ..Limits::default() });
    let mut idle: Vec<_> = (0..300).map(|_| server.connect()).collect();
    let asked = Instant::now();
    assert_eq!(server.get("/api/run").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(3), "a page waits for no idle socket");
    let open = idle.iter_mut().filter_map(|stream| is_open(stream).then_some(())).count();
    assert!(open <= Limits::default().connections, "{open} are open");
    let started = Instant::now();
    while idle.iter_mut().any(is_open) {
        assert!(started.elapsed() < SOON, "idle sockets stay");
        std::thread::sleep(Duration::from_millis(50));
    }
    server.end().unwrap();
}

#[test]
fn a_request_that_drips_is_cut_off() {
    let limits = Limits { head_time: Duration::from_secs(1), ..Limits::default() };
    let (_folder, server) = small_run(limits);
    let mut slow = server.connect();
    slow.write_all(format!("GET /api/run HTTP/1.1\r\nhost: {}\r\nx: ", server.address).as_bytes()).unwrap();
    let started = Instant::now();
    while slow.write_all(b"a").is_ok() {
        assert!(started.elapsed() < SOON, "the head of a request may take for ever");
        std::thread::sleep(Duration::from_millis(50));
    }
    server.end().unwrap();
}

#[test]
fn clients_that_drip_grow_no_younger_by_it() {
    let (_folder, server) = small_run(Limits { connections: 8, ..Limits::default() });
    let mut slow: Vec<_> = (0..8).map(|_| server.connect()).collect();
    for _ in 0..4 {
        for stream in &mut slow {
            stream.write_all(b"G").unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let asked = Instant::now();
    assert_eq!(server.get("/api/run").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(5), "the head time of the slow ones is 10 s");
    server.end().unwrap();
}

#[test]
fn a_kept_connection_is_closed_after_a_while() {
    let limits = Limits { head_time: Duration::from_secs(1), ..Limits::default() };
    let (_folder, server) = small_run(limits);
    let mut stream = server.ask("/api/run");
    let mut start = [0; 15];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200 OK");
    assert!(is_closed(&mut stream));
    server.end().unwrap();
}

#[test]
fn an_answer_that_nobody_reads_frees_its_turn() {
    let limits = Limits { answers: 1, send_time: Duration::from_secs(1), ..Limits::default() };
    let (_folder, server) = large_run(limits);
    let mut silent = server.ask(LARGE_FRAME);
    let mut start = [0; 15];
    silent.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200 OK");
    let asked = Instant::now();
    assert_eq!(server.get("/api/stats").status, 200);
    assert!(asked.elapsed() < SOON);
    assert!(is_closed(&mut silent));
    server.end().unwrap();
}

#[test]
fn requests_that_get_no_turn_say_so() {
    let limits = Limits { answers: 1, turn_time: Duration::from_millis(300), ..Limits::default() };
    let (_folder, server) = large_run(limits);
    let mut unread = server.ask(LARGE_FRAME);
    unread.read_exact(&mut [0; 15]).unwrap();
    let answer = server.get("/api/stats");
    assert_eq!(answer.status, 429, "{}", answer.text());
    assert!(answer.text().contains("try again"), "{}", answer.text());
    assert_eq!(server.get("/").status, 200, "the page needs no turn");
    drop(unread);
    server.end().unwrap();
}

/// A hundred clients ask for a large frame and go. Their frames are not read for nobody: the next
/// client waits about as long as if there had been none of them.
#[test]
fn work_for_clients_that_went_is_given_up() {
    const CLIENTS: u32 = 100;
    let (_folder, server) = large_run(Limits { answers: 1, ..Limits::default() });
    let alone = Instant::now();
    assert_eq!(server.get(LARGE_FRAME).status, 200);
    let alone = alone.elapsed();
    for _ in 0..CLIENTS {
        drop(server.ask(LARGE_FRAME));
    }
    let asked = Instant::now();
    assert_eq!(server.get("/api/stats").status, 200);
    let waited = asked.elapsed();
    assert!(waited < alone * CLIENTS / 5, "waited {waited:?}, one frame takes {alone:?}");
    server.end().unwrap();
}

#[test]
fn a_live_socket_must_answer_pings() {
    let limits = Limits { pulse: Duration::from_millis(300), live_sockets: 1, ..Limits::default() };
    let (_folder, server) = small_run(limits);
    let own = format!("http://{}", server.address);
    let (mut silent, status) = server.socket(&own);
    assert_eq!(status, 101);
    assert!(is_closed(&mut silent));
    let (mut alive, status) = server.socket(&own);
    assert_eq!(status, 101, "the place of the silent one is free");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        let mut head = [0; 2];
        alive.read_exact(&mut head).unwrap();
        alive.read_exact(&mut vec![0; head[1] as usize]).unwrap();
        if head[0] == 0x89 {
            // An empty masked pong.
            alive.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).unwrap();
        }
    }
    assert_eq!(server.socket(&own).1, 503, "the one that answers keeps its place");
    server.end().unwrap();
}
