//! Accepts connections, and keeps their number and their waiting within limits.
//!
//! A connection is idle while no request of it is being answered. When there are too many, the one
//! that was served longest ago is closed: a crowd of silent sockets cannot keep a page out. Only
//! what is sent to a client counts as service; a client that sends its request byte by byte grows
//! no younger by it.

use crate::limits::Limits;
use crate::paced_stream::PacedStream;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tower_service::Service;

/// Pause after a connection could not be accepted, as when the process has too many files open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Bytes of a request's head, and of an answer that is gathered before it is sent.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// Serves until `stop` turns true and all connections have ended. Dropping the future closes them.
pub async fn serve(listener: TcpListener, app: Router, limits: Limits, mut stop: watch::Receiver<bool>) {
    let crowd = Crowd::new(limits.connections);
    let mut attended = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                // When every connection is being served, the new one is closed.
                Ok((stream, _)) => if let Some(member) = crowd.enter() {
                    attended.spawn(attend(stream, app.clone(), member, limits.clone(), stop.clone()));
                },
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = attended.join_next() => {}
            () = stopped(&mut stop) => break,
        }
    }
    drop(listener);
    while attended.join_next().await.is_some() {}
}

/// Waits for the end of the server.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Answers the requests of one connection.
async fn attend(
    stream: TcpStream,
    app: Router,
    member: Member,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    // Frames are many small answers; waiting to fill a packet would only delay them.
    let _ = stream.set_nodelay(true);
    let served = member.state.clone();
    let stream = PacedStream::new(stream, limits.send_time, move || served.touch());
    let state = member.state.clone();
    let answers = service_fn(move |request: Request<Incoming>| {
        let serving = state.serve();
        let answer = app.clone().call(request.map(Body::new));
        async move {
            let answer = answer.await;
            drop(serving);
            answer
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answers)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // What goes wrong with a connection concerns its client only.
        _ = &mut connection => {}
        () = member.state.sent_away.notified() => {}
        () = stopped(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// All open connections, by the order of their arrival.
struct Crowd {
    limit: usize,
    clock: Arc<AtomicU64>,
    members: Arc<Mutex<BTreeMap<u64, Arc<MemberState>>>>,
}

impl Crowd {
    fn new(limit: usize) -> Self {
        Self { limit, clock: Arc::default(), members: Arc::default() }
    }

    /// A place for one more, at the cost of the one that was served longest ago; `None` when all
    /// are being served.
    fn enter(&self) -> Option<Member> {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        while members.len() >= self.limit {
            let idle = members.iter().filter(|(_, state)| !state.is_served());
            let (&number, _) = idle.min_by_key(|(_, state)| state.last_service())?;
            if let Some(state) = members.remove(&number) {
                state.sent_away.notify_one();
            }
        }
        let state = Arc::new(MemberState::new(self.clock.clone()));
        let number = state.last_service();
        members.insert(number, state.clone());
        Some(Member { number, state, members: self.members.clone() })
    }
}

/// One connection in the crowd; leaves it when dropped.
struct Member {
    number: u64,
    state: Arc<MemberState>,
    members: Arc<Mutex<BTreeMap<u64, Arc<MemberState>>>>,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.members.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

struct MemberState {
    /// Counts events of all connections: an order of time without a clock.
    clock: Arc<AtomicU64>,
    last_service: AtomicU64,
    is_served: AtomicBool,
    sent_away: Notify,
}

impl MemberState {
    fn new(clock: Arc<AtomicU64>) -> Self {
        let last_service = AtomicU64::new(clock.fetch_add(1, Ordering::Relaxed));
        Self { clock, last_service, is_served: AtomicBool::new(false), sent_away: Notify::new() }
    }

    fn touch(&self) {
        self.last_service.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    fn last_service(&self) -> u64 {
        self.last_service.load(Ordering::Relaxed)
    }

    fn is_served(&self) -> bool {
        self.is_served.load(Ordering::Relaxed)
    }

    /// Being served lasts until the guard is dropped, also when the request is given up.
    fn serve(self: &Arc<Self>) -> Serving {
        self.is_served.store(true, Ordering::Relaxed);
        Serving(self.clone())
    }
}

struct Serving(Arc<MemberState>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.is_served.store(false, Ordering::Relaxed);
        self.0.touch();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_served_longest_ago_goes_first_and_the_served_stay() {
        let crowd = Crowd::new(3);
        let enter = || crowd.enter().expect("a place");
        let (first, second, third) = (enter(), enter(), enter());
        first.state.touch();
        let serving = second.state.serve();
        let fourth = enter();
        let known = |member: &Member| crowd.members.lock().unwrap().contains_key(&member.number);
        assert!(known(&first) && known(&second) && known(&fourth), "the third was served longest ago");
        assert!(!known(&third));
        let _others = [first.state.serve(), fourth.state.serve()];
        assert!(crowd.enter().is_none(), "all are being served");
        drop(serving);
        assert!(crowd.enter().is_some());
        drop((first, second, third, fourth));
        assert_eq!(crowd.members.lock().unwrap().len(), 0);
    }
}
