//! The answers. No part of an address becomes a file name: frames are asked for by number, channels are looked up
//! in the frame's own table.

use crate::live::{self, Announcer};
use crate::page::{NO_PAGE, PAGE};
use crate::repack::{self, FrameParts, Offer};
use crate::state::{Absence, RunState};
use crate::stats_tail;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
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
}

/// A failed request: a code, and words for the page to show.
struct Refusal(StatusCode, String);

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

/// Reads files off the threads that serve connections.
async fn blocking(
    work: impl FnOnce() -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let outcome = tokio::task::spawn_blocking(work).await;
    outcome.unwrap_or_else(|_| Err(Refusal(StatusCode::INTERNAL_SERVER_ERROR, "the request failed".into())))
}

fn octets(bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
}

async fn run(State(shared): State<Shared>) -> Result<Response, Refusal> {
    blocking(move || {
        let reader = shared.run.reopen()?;
        let Some(&first) = reader.frame_indices().first() else {
            return Err(match shared.run.is_live() {
                true => Absence::NotYet.into(),
                false => Refusal(StatusCode::NOT_FOUND, "the run has no frames; run the scene again".into()),
            });
        };
        let offer =
            repack::frame_offer(&reader, first).unwrap_or(Offer { channels: vec![], velocities: false });
        let answer = json!({
            "summary": reader.summary()?,
            "layout": layout_json(&reader)?,
            "frames": reader.frame_indices(),
            "channels": offer.channels,
            "velocities": offer.velocities,
            "name": reader.folder().file_name().map(|n| n.to_string_lossy().into_owned()),
        });
        Ok(Json(answer).into_response())
    })
    .await
}

fn layout_json(reader: &RunReader) -> Result<serde_json::Value, Refusal> {
    let path = reader.folder().join("frames/layout.json");
    let text = stiction_output::layout_file::read_json(&path, reader.budget())?;
    Ok(serde_json::from_str(&text).map_err(|e| OutputError::Corrupt { path, reason: e.to_string() })?)
}

async fn layout(State(shared): State<Shared>) -> Result<Response, Refusal> {
    blocking(move || Ok(octets(repack::layout_bytes(shared.run.reader()?.layout())))).await
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
    blocking(move || {
        let reader = shared.run.reader()?;
        let parts = FrameParts { velocities: query.velocities != 0, channel: query.channel };
        Ok(octets(repack::frame_bytes(&reader, number, &parts)?))
    })
    .await
}

#[derive(Deserialize)]
struct StatsQuery {
    #[serde(default)]
    from: u64,
}

async fn stats(State(shared): State<Shared>, Query(query): Query<StatsQuery>) -> Result<Response, Refusal> {
    blocking(move || {
        let path = shared.run.reader()?.folder().join("stats.jsonl");
        let tail = stats_tail::read(&path, query.from).map_err(|e| OutputError::reading(&path, e))?;
        Ok(Json(tail).into_response())
    })
    .await
}
