//! A small run on disk, a server over it, and requests made by hand, so that they can also be
//! wrong.

#![allow(dead_code, reason = "each test file uses a part")]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use stiction_output::{
    BodyLayout, Channel, ContactPoint, Frame, Layout, LayoutKind, RunSummary, RunWriter, StepRecord, UpAxis,
};
use stiction_viewer::{Activity, Limits, Server, ServerOptions, ViewerError};

/// One triangle that rises by 1 m per frame.
pub fn layout() -> Layout {
    let mut layout = Layout::new(UpAxis::Z, 10.0);
    let mut body = BodyLayout::new("leaf", LayoutKind::Cloth, 3);
    body.triangles = vec![[0, 1, 2]];
    body.pinned = vec![1];
    layout.push(body);
    layout
}

pub fn frame(layout: &Layout, index: u32) -> Frame {
    let mut frame = Frame::new(layout, index, u64::from(index));
    let z = index as f32;
    frame.positions = vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    frame.velocities = vec![[0.0, 0.0, 10.0]; 3];
    frame.channels = vec![Channel { name: "strain".into(), values: vec![0.1, 0.2, 0.3] }];
    frame.contacts = vec![ContactPoint { point: [1.0; 3], ..ContactPoint::default() }];
    frame
}

/// Starts a run in the folder and writes its first frames.
pub fn write_run(folder: &Path, frames: u32) -> RunWriter {
    let summary = RunSummary { scene: "leaf".into(), method: "newton".into(), ..RunSummary::default() };
    let mut writer = RunWriter::create(folder, layout(), summary).unwrap();
    for index in 0..frames {
        add_frame(&mut writer, index);
    }
    writer
}

pub fn add_frame(writer: &mut RunWriter, index: u32) {
    if index > 0 {
        let step = u64::from(index);
        writer.write_step(&StepRecord { step, time: 0.1 * step as f64, ..StepRecord::default() }).unwrap();
    }
    writer.write_frame(&frame(&layout(), index)).unwrap();
}

/// Writes a run of one frame with so many vertices, whose numbers do not compress.
pub fn write_large_run(folder: &Path, vertices: u32) {
    let mut layout = Layout::new(UpAxis::Z, 10.0);
    layout.push(BodyLayout::new("dust", LayoutKind::Cloth, vertices as usize));
    let mut frame = Frame::new(&layout, 0, 0);
    let number = |k: u32| k.wrapping_mul(2_654_435_761) as f32;
    frame.positions = (0..vertices).map(|k| [0, 1, 2].map(|axis| number(3 * k + axis))).collect();
    frame.velocities.clone_from(&frame.positions);
    let mut writer = RunWriter::create(folder, layout, RunSummary::default()).unwrap();
    writer.write_frame(&frame).unwrap();
    writer.finish(None).unwrap();
}

/// Waits until the server has closed a connection; false when it has not after 15 s.
pub fn is_closed(stream: &mut TcpStream) -> bool {
    let started = Instant::now();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut bytes = [0; 4096];
    while started.elapsed() < Duration::from_secs(15) {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return true,
        }
    }
    false
}

pub struct Running {
    pub address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ViewerError>>>,
}

impl Running {
    pub fn start(folder: &Path, activity: Option<Activity>) -> Self {
        Self::start_server(&ServerOptions { activity, ..ServerOptions::new(folder) })
    }

    /// A server with its own limits, so that tests need not wait for long.
    pub fn start_limited(folder: &Path, limits: Limits) -> Self {
        Self::start_server(&ServerOptions { limits, ..ServerOptions::new(folder) })
    }

    fn start_server(options: &ServerOptions) -> Self {
        let server = Server::bind(options).unwrap();
        let address = server.address();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            server.serve_until(async {
                let _ = stopped.await;
            })
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// Asks the server to end, and waits until it has.
    pub fn end(mut self) -> Result<(), ViewerError> {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// A well-mannered GET.
    pub fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    /// A GET with further or replaced header lines.
    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.request("GET", path, headers)
    }

    /// Sends a GET and leaves its answer to the caller.
    pub fn ask(&self, path: &str) -> TcpStream {
        let mut stream = self.connect();
        let text = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let host = self.address.to_string();
        let host = headers.iter().find(|(name, _)| *name == "host").map_or(host.as_str(), |(_, value)| value);
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
        for (name, value) in headers.iter().filter(|(name, _)| *name != "host") {
            text += &format!("{name}: {value}\r\n");
        }
        let mut stream = self.connect();
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::parse(&bytes)
    }

    /// Opens a WebSocket; the head of the answer is read.
    pub fn socket(&self, origin: &str) -> (TcpStream, u16) {
        let mut stream = self.connect();
        let text = format!(
            "GET /api/live HTTP/1.1\r\nhost: {}\r\norigin: {origin}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            self.address
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        (stream, Answer::parse(&head).status)
    }
}

/// The next text message of a WebSocket (short ones only), as JSON.
pub fn message(stream: &mut TcpStream) -> serde_json::Value {
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(head[0], 0x81, "a whole text message");
    assert!(head[1] < 126, "a short message");
    let mut text = vec![0; head[1] as usize];
    stream.read_exact(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("an HTTP answer");
        let head = String::from_utf8_lossy(&bytes[..split]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[split + 4..].to_vec() }
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
