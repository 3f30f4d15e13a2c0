//! `/api/live`: a WebSocket that tells pages when frames have come.
//!
//! One task looks at the folder for all pages, and only while one is connected. Pages send nothing
//! but what WebSockets send by themselves; more is read and dropped, capped in size and number. A
//! page that does not read its messages, or does not answer a ping, is let go.

use crate::limits::Limits;
use crate::routes::Shared;
use crate::state::{Growth, RunState};
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

/// How often the folder is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// Pages send nothing of use; more than this is abuse.
const MAX_MESSAGE_BYTES: usize = 4096;
/// Bytes that wait for a page to read them: the library answers pings by itself, whether the
/// answers are read or not. Well above the largest message.
const MAX_UNREAD_BYTES: usize = 64 << 10;
/// Characters of the reason of a failure; `/api/run` tells all of it.
const MAX_REASON: usize = 4000;

/// Hands the newest state of the folder to all connected pages, and the end of the server.
#[derive(Clone)]
pub struct Announcer {
    growth: watch::Sender<Growth>,
    stop: watch::Receiver<bool>,
    places: Arc<Semaphore>,
    limits: Limits,
}

impl Announcer {
    /// `stop` turns true when the server closes.
    pub fn new(limits: &Limits, stop: watch::Receiver<bool>) -> Self {
        let places = Arc::new(Semaphore::new(limits.live_sockets));
        Self { growth: watch::Sender::new(Growth::default()), stop, places, limits: limits.clone() }
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
            if let Ok(Ok(mut now)) = tokio::task::spawn_blocking(move || run.growth()).await {
                now.failure = now.failure.map(|reason| reason.chars().take(MAX_REASON).collect());
                self.growth.send_if_modified(|known| std::mem::replace(known, now) != *known);
            }
        }
    }
}

/// Turns a request into a WebSocket.
pub async fn upgrade(State(shared): State<Shared>, socket: WebSocketUpgrade) -> Response {
    let announcer = shared.announcer;
    let Ok(place) = announcer.places.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    };
    socket
        .read_buffer_size(MAX_MESSAGE_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_UNREAD_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(async move |mut socket| {
            tell(&mut socket, &announcer).await;
            send(&mut socket, Message::Close(None), announcer.limits.send_time).await;
            drop(place);
        })
}

/// Tells one page of growth until it goes, misbehaves, or the server stops.
async fn tell(socket: &mut WebSocket, announcer: &Announcer) {
    let Limits { pulse, send_time, messages, .. } = announcer.limits;
    let mut stop = announcer.stop.clone();
    let mut news = announcer.growth.subscribe();
    news.mark_changed();
    let mut pulses = tokio::time::interval_at(Instant::now() + pulse, pulse);
    // The time until the first ping is free of charge.
    let (mut heard, mut is_first) = (0, true);
    loop {
        let told = tokio::select! {
            changed = news.changed() => {
                let growth = news.borrow_and_update().clone();
                let text = serde_json::to_string(&growth).expect("plain values serialise");
                // Nothing is known before the folder was looked at for the first time.
                changed.is_ok() && (growth.frames == 0 || send(socket, Message::text(text), send_time).await)
            }
            message = socket.recv() => {
                heard += 1;
                heard <= messages && !matches!(message, Some(Ok(Message::Close(_)) | Err(_)) | None)
            }
            _ = pulses.tick() => {
                let is_there = heard > 0 || is_first;
                (heard, is_first) = (0, false);
                is_there && send(socket, Message::Ping(Bytes::new()), send_time).await
            }
            _ = stop.changed() => false,
        };
        if !told {
            break;
        }
    }
}

async fn send(socket: &mut WebSocket, message: Message, send_time: Duration) -> bool {
    matches!(tokio::time::timeout(send_time, socket.send(message)).await, Ok(Ok(())))
}
