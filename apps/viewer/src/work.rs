//! Reads files for requests, a few at a time, and stops when nobody waits for the answer any more.
//!
//! A turn is taken before any file is read and kept until the last byte of the answer is sent, so
//! that the number of turns bounds the memory of all answers. When a client goes, the server drops
//! the future of its request: one that still waits for its turn then never starts, one that runs
//! sees `Client::is_gone`.

use crate::routes::Refusal;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Hands out turns. A clone hands out the same ones.
#[derive(Clone)]
pub struct Workshop {
    turns: Arc<Semaphore>,
    turn_time: Duration,
}

/// The content of an answer.
pub struct Content {
    pub kind: &'static str,
    pub bytes: Vec<u8>,
}

/// Who asked, as the work sees it.
pub struct Client {
    gone: Arc<AtomicBool>,
}

impl Client {
    /// Whether the work may stop: nobody will read its outcome.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// An error when the client is gone; asked between the parts of long work.
    pub fn still_waits(&self) -> Result<(), Refusal> {
        match self.is_gone() {
            true => Err(Refusal(StatusCode::REQUEST_TIMEOUT, "the client is gone".into())),
            false => Ok(()),
        }
    }
}

/// Tells the work when the future of the request is dropped.
struct LeaveSign(Arc<AtomicBool>);

impl Drop for LeaveSign {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Bytes of an answer together with their turn.
struct Sent {
    bytes: Vec<u8>,
    _turn: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Workshop {
    /// So many answers at the same time; a request waits for its turn this long.
    pub fn new(answers: usize, turn_time: Duration) -> Self {
        Self { turns: Arc::new(Semaphore::new(answers)), turn_time }
    }

    /// Does the work on a thread for blocking calls when its turn comes.
    pub async fn answer(
        &self,
        work: impl FnOnce(&Client) -> Result<Content, Refusal> + Send + 'static,
    ) -> Result<Response, Refusal> {
        let turn = tokio::time::timeout(self.turn_time, self.turns.clone().acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            let words = "too many requests are being answered; try again";
            return Err(Refusal(StatusCode::TOO_MANY_REQUESTS, words.into()));
        };
        let sign = LeaveSign(Arc::default());
        let client = Client { gone: sign.0.clone() };
        // The turn belongs to the work, not to this future: it ends when the work does.
        let outcome = tokio::task::spawn_blocking(move || {
            client.still_waits()?;
            work(&client).map(|content| (content, turn))
        });
        let failed = |_| Err(Refusal(StatusCode::INTERNAL_SERVER_ERROR, "the request failed".into()));
        let (Content { kind, bytes }, turn) = outcome.await.unwrap_or_else(failed)?;
        let body = Bytes::from_owner(Sent { bytes, _turn: turn });
        Ok(([(header::CONTENT_TYPE, kind)], Body::from(body)).into_response())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::time::Instant;

    /// Far above what is needed, far below "never".
    const LONG: Duration = Duration::from_secs(30);

    fn content(bytes: Vec<u8>) -> Result<Content, Refusal> {
        Ok(Content { kind: "text/plain", bytes })
    }

    async fn wait_until(condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < LONG, "waited in vain");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_stops_when_the_client_goes_and_waiting_work_never_starts() {
        let workshop = Workshop::new(1, LONG);
        let [started, stopped, second_started] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
        let first = tokio::spawn({
            let (workshop, started, stopped) = (workshop.clone(), started.clone(), stopped.clone());
            async move {
                let long_work = move |client: &Client| {
                    started.fetch_add(1, Ordering::SeqCst);
                    let begin = Instant::now();
                    while client.still_waits().is_ok() && begin.elapsed() < LONG {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    stopped.fetch_add(usize::from(client.is_gone()), Ordering::SeqCst);
                    content(vec![])
                };
                workshop.answer(long_work).await.is_ok()
            }
        });
        wait_until(|| started.load(Ordering::SeqCst) == 1).await;
        let second = tokio::spawn({
            let (workshop, second_started) = (workshop.clone(), second_started.clone());
            async move {
                let work = move |_: &Client| {
                    second_started.fetch_add(1, Ordering::SeqCst);
                    content(vec![])
                };
                workshop.answer(work).await.is_ok()
            }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        second.abort();
        first.abort();
        wait_until(|| stopped.load(Ordering::SeqCst) == 1).await;
        assert!(workshop.answer(|_| content(vec![])).await.is_ok(), "the turn is free again");
        assert_eq!(second_started.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn an_answer_keeps_its_turn_until_it_is_sent() {
        let workshop = Workshop::new(1, Duration::from_millis(20));
        let unsent = workshop.answer(|_| content(vec![1; 100])).await.unwrap();
        let refused = workshop.answer(|_| content(vec![])).await.unwrap_err();
        assert_eq!(refused.0, StatusCode::TOO_MANY_REQUESTS);
        drop(unsent);
        assert!(workshop.answer(|_| content(vec![])).await.is_ok());
    }
}
