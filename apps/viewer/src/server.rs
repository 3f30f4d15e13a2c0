//! Listening, serving, and stopping.

use crate::activity::Activity;
use crate::connections;
use crate::error::ViewerError;
use crate::guard::{self, Names};
use crate::limits::Limits;
use crate::live::Announcer;
use crate::routes::{self, Shared};
use crate::state::RunState;
use crate::work::Workshop;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use std::future::Future;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stiction_limits::Budget;
use tokio::sync::watch;

/// Requests have no bodies; this is the most that is read of one.
const MAX_BODY_BYTES: usize = 1024;
/// Open answers have this long to end after the server was told to stop.
const FAREWELL: Duration = Duration::from_secs(1);
/// How often a caller is asked whether to go on.
const ASKED_EVERY: Duration = Duration::from_millis(100);
/// Exit code of a process that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

/// Where to listen and what to show.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The run folder; it may still be empty when `activity` is given.
    pub folder: PathBuf,
    /// Name or address to listen on. Anything but loopback opens the run to the network.
    pub host: String,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// The simulation of this process that writes the folder, if there is one.
    pub activity: Option<Activity>,
    /// What clients may take.
    pub limits: Limits,
}

impl ServerOptions {
    /// Loopback and any free port.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let (host, limits) = ("127.0.0.1".into(), Limits::default());
        Self { folder: folder.into(), host, port: 0, activity: None, limits }
    }
}

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    names: Names,
    run: Arc<RunState>,
    limits: Limits,
}

impl Server {
    /// Takes the port.
    pub fn bind(options: &ServerOptions) -> Result<Self, ViewerError> {
        let fail =
            |source| ViewerError::Listen { address: format!("{}:{}", options.host, options.port), source };
        let host = options.host.trim_matches(['[', ']']);
        let candidates: Vec<SocketAddr> = (host, options.port).to_socket_addrs().map_err(fail)?.collect();
        let listener = TcpListener::bind(&candidates[..]).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let limits = options.limits.clone();
        // All answers together stay within the budget of the program.
        let budget = Budget::of_bytes(Budget::default().bytes() / limits.answers.max(1) as u64);
        let run = Arc::new(RunState::new(options.folder.clone(), options.activity.clone(), budget));
        Ok(Self { listener, address, names: Names::new(&options.host, address.port()), run, limits })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser on this machine.
    pub fn url(&self) -> String {
        let ip = self.address.ip();
        let loopback: std::net::IpAddr =
            if ip.is_ipv4() { [127, 0, 0, 1].into() } else { [0u16, 0, 0, 0, 0, 0, 0, 1].into() };
        let shown = if ip.is_unspecified() { loopback } else { ip };
        format!("http://{}/", SocketAddr::new(shown, self.address.port()))
    }

    /// Serves until Ctrl-C. From then on a further Ctrl-C ends the process at once, so that a
    /// caller that still waits for its simulation can be interrupted.
    pub fn serve_until_interrupt(self) -> Result<(), ViewerError> {
        self.serve_until(async {
            interrupt().await;
            std::thread::spawn(exit_on_interrupt);
        })
    }

    /// Serves as long as `wanted` says so; it is asked ten times a second.
    pub fn serve_while(self, wanted: impl Fn() -> bool) -> Result<(), ViewerError> {
        self.serve_until(async {
            while wanted() {
                tokio::time::sleep(ASKED_EVERY).await;
            }
        })
    }

    /// Serves until `stop` is ready, then closes all connections.
    pub fn serve_until(self, stop: impl Future<Output = ()>) -> Result<(), ViewerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let outcome = runtime.block_on(self.serve(stop));
        // A request that still reads a file shall not hold up the end.
        runtime.shutdown_timeout(FAREWELL);
        outcome
    }

    async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), ViewerError> {
        let Self { names, run, limits, .. } = self;
        let (closing, closed) = watch::channel(false);
        let announcer = Announcer::new(&limits, closed.clone());
        let watching = tokio::spawn(announcer.clone().watch_folder(run.clone()));
        let workshop = Workshop::new(limits.answers, limits.turn_time);
        let app = guarded(routes::router(Shared { run, announcer, workshop }), names);
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let mut serving = std::pin::pin!(connections::serve(listener, app, limits, closed));
        tokio::select! {
            () = &mut serving => {}
            () = stop => {
                let _ = closing.send(true);
                // What has not ended by then is closed.
                let _ = tokio::time::timeout(FAREWELL, serving).await;
            }
        }
        watching.abort();
        Ok(())
    }
}

fn guarded(routes: Router, names: Names) -> Router {
    routes
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn_with_state(Arc::new(names), guard::check))
}

async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without the signal only the end of the process stops the server.
        std::future::pending::<()>().await;
    }
}

fn exit_on_interrupt() {
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        runtime.block_on(interrupt());
        std::process::exit(INTERRUPTED);
    }
}
