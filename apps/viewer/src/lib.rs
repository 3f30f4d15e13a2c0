//! Runs in a browser: a small server for one run folder, and the page that it serves.
//!
//! Comes in: a run folder, finished or growing. Goes out: a page, and over HTTP the layout, single
//! frames and the statistics, as they are stored. Does not know: scenes, solvers, physics, or any
//! other folder.
//!
//! ```text
//! GET /                 the page                                   page.rs
//! GET /api/run          summary, layout, frame numbers (JSON)      routes.rs
//! GET /api/layout.bin   topology (container of blocks)             repack.rs
//! GET /api/frame/N      positions, poses, contacts, ... (blocks)   repack.rs
//! GET /api/stats        step records from a byte offset (JSON)     stats_tail.rs
//! GET /api/live         WebSocket: tells of new frames             live.rs
//! ```
//! Every connection passes `connections.rs`, every request `guard.rs`, and what reads files gets
//! its turn from `work.rs`. `docs/viewer.md` says more, also about the page.

#![forbid(unsafe_code)]

mod activity;
mod connections;
mod error;
mod guard;
mod limits;
mod live;
mod paced_stream;
mod page;
mod repack;
mod routes;
mod server;
mod state;
mod stats_tail;
mod work;

pub use activity::Activity;
pub use error::ViewerError;
pub use limits::Limits;
pub use page::{NO_PAGE, PAGE};
pub use server::{Server, ServerOptions};
