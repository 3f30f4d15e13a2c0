//! What the server refuses, and what it survives.

mod common;

use common::{Running, write_run};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

fn served() -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.txt"), "private words").unwrap();
    let run = folder.path().join("run");
    write_run(&run, 2).finish(None).unwrap();
    let server = Running::start(&run, None);
    (folder, server)
}

#[test]
fn no_address_leads_to_a_file() {
    let (_folder, server) = served();
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/secret.txt",
        "/run.json",
        "/frames/layout.json",
        "/api/frame/../../../secret.txt",
        "/api/frame/..%2f..%2f..%2fsecret.txt",
        "/api/frame/%2fetc%2fpasswd",
        "/api/frame/0/../../secret.txt",
        "/api/frame/0?channel=../../../secret.txt",
        "/api/frame/000000.frame",
        "/api/stats?from=0/../../secret.txt",
        "//etc/passwd",
    ] {
        let answer = server.get(path);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.text().contains("private") && !answer.text().contains("root:"), "{path}");
    }
    server.end().unwrap();
}

#[test]
fn frames_and_channels_that_do_not_exist_are_named() {
    let (_folder, server) = served();
    for (path, code, word) in [
        ("/api/frame/2", 404, "frames 0 to 1"),
        ("/api/frame/4294967295", 404, "no frame"),
        ("/api/frame/4294967296", 400, "number"),
        ("/api/frame/-1", 400, "number"),
        ("/api/frame/one", 400, "number"),
        ("/api/frame/0?channel=colour", 404, "it has: strain"),
        ("/nothing", 404, "nothing at this address"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, code, "{path}: {}", answer.text());
        assert!(answer.text().contains(word), "{path}: {}", answer.text());
    }
    server.end().unwrap();
}

#[test]
fn strangers_are_refused() {
    let (_folder, server) = served();
    let own = format!("http://{}", server.address);
    assert_eq!(server.get_with("/api/run", &[("origin", &own)]).status, 200);
    for headers in [
        [("origin", "http://evil.example")],
        [("origin", "null")],
        [("origin", "http://127.0.0.1:1")],
        [("host", "evil.example")],
        [("sec-fetch-site", "cross-site")],
    ] {
        assert_eq!(server.get_with("/api/run", &headers).status, 403, "{headers:?}");
    }
    let port = server.address.port();
    for (host, status) in [
        (format!("localhost:{port}"), 200),
        (format!("LOCALHOST:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        (format!("localhost.:{port}"), 403),
        (format!("localhost.evil.com:{port}"), 403),
        (format!("127.0.0.1.evil.com:{port}"), 403),
        (format!("localhost:{port}@evil.com"), 403),
        (format!("[::1]:{port}@evil.com"), 403),
        (format!("localhost:{}", port ^ 1), 403),
        ("evil.example".to_owned(), 403),
    ] {
        assert_eq!(server.get_with("/", &[("host", &host)]).status, status, "{host}");
    }
    assert_eq!(server.socket("http://evil.example").1, 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
        assert_eq!(server.request(method, "/api/run", &[]).status, 405, "{method}");
    }
    server.end().unwrap();
}

#[test]
fn broken_clients_do_no_harm() {
    let (_folder, server) = served();
    let long = vec![b'a'; 1 << 20];
    let mut noise: Vec<u8> = (0..4096u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    noise.extend_from_slice(b"\r\n\r\n");
    let host = server.address.to_string();
    let half = format!("GET /api/run HTTP/1.1\r\nhost: {host}\r\n");
    let endless = format!("POST /api/run HTTP/1.1\r\nhost: {host}\r\ncontent-length: 99999999999\r\n\r\n");
    let chunked = format!("GET / HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\n\r\nzzzz\r\n");
    let mut open = Vec::new();
    for bytes in
        [&noise[..], &long, half.as_bytes(), endless.as_bytes(), chunked.as_bytes(), b"\0", b"", b"\r\n\r\n"]
    {
        let mut stream = server.connect();
        // The server may hang up in the middle of it.
        let _ = stream.write_all(bytes);
        let _ = stream.flush();
        open.push(stream);
        assert_eq!(server.get("/api/run").status, 200);
    }
    drop(open);
    assert_eq!(server.get("/api/frame/0").status, 200);
    server.end().unwrap();
}

#[test]
fn large_or_wrong_messages_end_one_socket_only() {
    let (_folder, server) = served();
    let own = format!("http://{}", server.address);
    // A masked text message of 64 KiB (the cap is 4 KiB), and bytes that are no message at all.
    let mut large = vec![0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4];
    large.extend(std::iter::repeat_n(0x20, 1 << 16));
    for bytes in [large, vec![0xff; 4096], vec![0x81, 0x7e]] {
        let (mut socket, status) = server.socket(&own);
        assert_eq!(status, 101);
        let _ = socket.write_all(&bytes);
        let _ = socket.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest);
        assert_eq!(server.get("/api/run").status, 200);
    }
    server.end().unwrap();
}

/// A named pipe in the place of any file that the viewer reads: an answer in words, at once.
#[cfg(unix)]
#[test]
fn pipes_in_the_folder_are_refused() {
    for (file, path) in [
        ("run.json", "/api/run"),
        ("frames/layout.json", "/api/run"),
        ("frames/layout.bin", "/api/layout.bin"),
        ("frames/000001.frame", "/api/frame/1"),
        ("stats.jsonl", "/api/stats"),
    ] {
        let (folder, server) = served();
        let place = folder.path().join("run").join(file);
        std::fs::remove_file(&place).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
        let answer = server.get(path);
        assert!(answer.status >= 400 && answer.text().contains("a named pipe"), "{file}: {}", answer.text());
        server.end().unwrap();
    }
}

#[test]
fn a_frame_under_the_name_of_another_is_refused() {
    let (folder, server) = served();
    let frames = folder.path().join("run/frames");
    std::fs::copy(frames.join("000001.frame"), frames.join("000000.frame")).unwrap();
    let answer = server.get("/api/frame/0");
    assert!(answer.status >= 400 && answer.text().contains("000000.frame"), "{}", answer.text());
    assert_eq!(server.get("/api/frame/1").status, 200);
    server.end().unwrap();
}

#[test]
fn sockets_are_capped() {
    let (_folder, server) = served();
    let own = format!("http://{}", server.address);
    let sockets: Vec<_> = (0..64).map(|_| server.socket(&own)).collect();
    assert!(sockets.iter().all(|(_, status)| *status == 101));
    assert_eq!(server.socket(&own).1, 503);
    assert_eq!(server.get("/api/run").status, 200);
    server.end().unwrap();
}

#[test]
fn it_closes_when_asked_though_clients_hang_on() {
    let (_folder, server) = served();
    let (mut socket, _) = server.socket(&format!("http://{}", server.address));
    let mut idle = server.connect();
    idle.write_all(b"GET / HT").unwrap();
    let started = Instant::now();
    server.end().unwrap();
    // One second of farewell for answers and one for files; far above what is needed, far below
    // "never".
    assert!(started.elapsed() < Duration::from_secs(30));
    let mut rest = Vec::new();
    let _ = socket.read_to_end(&mut rest);
}
