//! The answers. No part of an address becomes a file name: frames are asked for by number, channels are looked up
//! in the frame's own table.

use crate::live::{self, Announcer};
use crate::page::{NO_PAGE, PAGE};
use crate::repack::{self, FrameParts, Offer};
use crate::state::{Absence, RunState};
use crate::stats_tail;
use crate::work::{Client, Content, Workshop};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Json, Response};
use axum::{Router, routing::get};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use stiction_output::{OutputError, RunReader};

/// What handlers share.
#[derive(Clone)]
pub struct Shared {
    pub run: Arc<RunState>,
    pub announcer: Announcer,
    pub workshop: Workshop,
}

/// A failed request: a code, and words for the page to show.
#[derive(Debug)]
pub struct Refusal(pub StatusCode, pub String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let waiting = self.0 == StatusCode::SERVICE_UNAVAILABLE;
        (self.0, Json(json!({ "error": self.1, "waiting": waiting }))).into_response()
    }
}

impl From<Absence> for Refusal {
    fn from(absence: Absence) -> Self {
        match absence {
            Absence::NotYet => Refusal(StatusCode::SERVICE_UNAVAILABLE, "the scene is being built".into()),
            Absence::Unreadable(reason) => Refusal(StatusCode::NOT_FOUND, reason),
        }
    }
}

impl From<OutputError> for Refusal {
    fn from(error: OutputError) -> Self {
        let code = match error {
            OutputError::NoSuchFrame { .. } | OutputError::Shape { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal(code, error.to_string())
    }
}

/// All addresses of the server.
pub fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(|| async { Html(PAGE.unwrap_or(NO_PAGE)) }))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .route("/api/run", get(run))
        .route("/api/layout.bin", get(layout))
        .route("/api/frame/{number}", get(frame))
        .route("/api/stats", get(stats))
        .route("/api/live", get(live::upgrade))
        .fallback(|| async { Refusal(StatusCode::NOT_FOUND, "there is nothing at this address".into()) })
        .with_state(shared)
}

const BINARY: &str = "application/octet-stream";
const JSON: &str = "application/json";

fn json_content(value: &impl serde::Serialize) -> Result<Content, Refusal> {
    let failed = |_| Refusal(StatusCode::INTERNAL_SERVER_ERROR, "the answer cannot be written".into());
    Ok(Content { kind: JSON, bytes: serde_json::to_vec(value).map_err(failed)? })
}

async fn run(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let run = shared.run;
    shared.workshop.answer(move |client| describe_run(&run, client)).await
}

/// Everything that a page needs before its first frame.
fn describe_run(run: &RunState, client: &Client) -> Result<Content, Refusal> {
    let reader = run.reopen()?;
    client.still_waits()?;
    let Some(&first) = reader.frame_indices().first() else {
        return Err(match run.is_live() {
            true => Absence::NotYet.into(),
            false => Refusal(StatusCode::NOT_FOUND, "the run has no frames; run the scene again".into()),
        });
    };
    let offer = repack::frame_offer(&reader, first).unwrap_or(Offer { channels: vec![], velocities: false });
    json_content(&json!({
        "summary": reader.summary()?,
        "layout": layout_json(&reader)?,
        "frames": reader.frame_indices(),
        "missing": reader.missing_frames(),
        "channels": offer.channels,
        "velocities": offer.velocities,
        "name": reader.folder().file_name().map(|n| n.to_string_lossy().into_owned()),
    }))
}

fn layout_json(reader: &RunReader) -> Result<serde_json::Value, Refusal> {
    let path = reader.folder().join("frames/layout.json");
    let text = stiction_output::layout_file::read_json(&path, reader.budget())?;
    Ok(serde_json::from_str(&text).map_err(|e| OutputError::Corrupt { path, reason: e.to_string() })?)
}

async fn layout(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let run = shared.run;
    let work =
        move |_: &Client| Ok(Content { kind: BINARY, bytes: repack::layout_bytes(run.reader()?.layout()) });
    shared.workshop.answer(work).await
}

#[derive(Deserialize)]
struct FrameQuery {
    #[serde(default)]
    velocities: u8,
    channel: Option<String>,
}

async fn frame(
    State(shared): State<Shared>,
    Path(number): Path<String>,
    Query(query): Query<FrameQuery>,
) -> Result<Response, Refusal> {
    let Ok(number) = number.parse::<u32>() else {
        return Err(Refusal(StatusCode::BAD_REQUEST, "a frame is asked for by its number".into()));
    };
    let parts = FrameParts { velocities: query.velocities != 0, channel: query.channel };
    let run = shared.run;
    let work = move |client: &Client| {
        let bytes = repack::frame_bytes(&*run.reader()?, number, &parts, client)?;
        Ok(Content { kind: BINARY, bytes })
    };
    shared.workshop.answer(work).await
}

#[derive(Deserialize)]
struct StatsQuery {
    #[serde(default)]
    from: u64,
}

async fn stats(State(shared): State<Shared>, Query(query): Query<StatsQuery>) -> Result<Response, Refusal> {
    let run = shared.run;
    let work = move |_: &Client| {
        let reader = run.reader()?;
        let path = reader.folder().join("stats.jsonl");
        let tail = stats_tail::read(&path, query.from, reader.layout().run_id)
            .map_err(|e| OutputError::reading(&path, e))?;
        Ok(Content { kind: JSON, bytes: tail.into_json() })
    };
    shared.workshop.answer(work).await
}
