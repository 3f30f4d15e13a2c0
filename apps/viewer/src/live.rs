//! `/api/live`: a WebSocket that tells pages when frames have come.
//!
//! One task looks at the folder for all pages, and only while one is connected. Pages send nothing; what they send
//! is read and dropped, capped in size. A page that does not read its messages is let go.

use crate::routes::Shared;
use crate::state::{Growth, RunState};
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often the folder is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// A page has this long to take a message.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pages send nothing of use; more than this is abuse.
const MAX_MESSAGE_BYTES: usize = 4096;
/// Pages connected at the same time.
const MAX_CLIENTS: usize = 64;

/// Hands the newest state of the folder to all connected pages, and the end of the server.
#[derive(Clone)]
pub struct Announcer {
    growth: watch::Sender<Growth>,
    stop: watch::Receiver<bool>,
}

impl Announcer {
    /// `stop` turns true when the server closes.
    pub fn new(stop: watch::Receiver<bool>) -> Self {
        Self { growth: watch::Sender::new(Growth::default()), stop }
    }

    /// Looks at the folder until the task is dropped.
    pub async fn watch_folder(self, run: Arc<RunState>) {
        let mut ticks = tokio::time::interval(INTERVAL);
        loop {
            ticks.tick().await;
            if self.growth.receiver_count() == 0 {
                continue;
            }
            let run = run.clone();
            // A run that is not there yet, or no longer, is no news; `/api/run` tells why.
            if let Ok(Ok(now)) = tokio::task::spawn_blocking(move || run.growth()).await {
                self.growth.send_if_modified(|known| std::mem::replace(known, now) != *known);
            }
        }
    }
}

/// Turns a request into a WebSocket.
pub async fn upgrade(State(shared): State<Shared>, socket: WebSocketUpgrade) -> Response {
    let announcer = shared.announcer;
    if announcer.growth.receiver_count() >= MAX_CLIENTS {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    }
    let news = announcer.growth.subscribe();
    socket
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| tell(socket, news, announcer.stop))
}

async fn tell(mut socket: WebSocket, mut news: watch::Receiver<Growth>, mut stop: watch::Receiver<bool>) {
    news.mark_changed();
    loop {
        tokio::select! {
            changed = news.changed() => {
                let growth = news.borrow_and_update().clone();
                let text = serde_json::to_string(&growth).expect("plain values serialise");
                // Nothing is known before the folder was looked at for the first time.
                let told = growth.frames == 0 || send(&mut socket, Message::text(text)).await;
                if changed.is_err() || !told { break }
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
            _ = stop.changed() => break,
        }
    }
    send(&mut socket, Message::Close(None)).await;
}

async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(tokio::time::timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}
