//! What the server answers to the page.

mod common;

use common::{Running, add_frame, message, write_run};
use std::io::Cursor;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::container::ContainerReader;
use stiction_output::sections::{to_f32s, to_u32s};
use stiction_viewer::{Activity, NO_PAGE, PAGE};

fn container(bytes: Vec<u8>, magic: &[u8; 8]) -> ContainerReader<Cursor<Vec<u8>>> {
    ContainerReader::open(Cursor::new(bytes), Path::new("answer"), *magic, 1).unwrap()
}

#[test]
fn page_and_run_come_whole() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), 3).finish(None).unwrap();
    let server = Running::start(folder.path(), None);
    let page = server.get("/");
    assert_eq!((page.status, page.text() == PAGE.unwrap_or(NO_PAGE)), (200, true));
    assert!(page.head.contains("content-security-policy") && page.head.contains("nosniff"), "{}", page.head);
    let run = server.get("/api/run").json();
    assert_eq!(run["frames"], serde_json::json!([0, 1, 2]));
    assert_eq!(run["summary"]["status"], "finished");
    assert_eq!(run["layout"]["bodies"][0]["name"], "leaf");
    assert_eq!(run["channels"], serde_json::json!(["strain"]));
    assert_eq!(run["velocities"], true);
    server.end().unwrap();
}

#[test]
fn layout_and_frames_are_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), 3).finish(None).unwrap();
    let server = Running::start(folder.path(), None);
    let mut layout = container(server.get("/api/layout.bin").body, b"STVLAYOT");
    assert_eq!(to_u32s(&layout.read("body/0/triangles", &Budget::default()).unwrap()), [0, 1, 2]);
    assert_eq!(to_u32s(&layout.read("body/0/pinned", &Budget::default()).unwrap()), [1]);
    let mut plain = container(server.get("/api/frame/2").body, b"STVFRAME");
    let expected = [0.0, 0.0, 2.0, 1.0, 0.0, 2.0, 0.0, 1.0, 2.0];
    assert_eq!(to_f32s(&plain.read("positions", &Budget::default()).unwrap()), expected);
    assert_eq!(to_f32s(&plain.read("contacts", &Budget::default()).unwrap()).len(), 9);
    assert!(!plain.has("velocities") && !plain.has("channel/strain"), "only what was asked for");
    let mut full = container(server.get("/api/frame/1?velocities=1&channel=strain").body, b"STVFRAME");
    assert_eq!(to_f32s(&full.read("channel/strain", &Budget::default()).unwrap()), [0.1, 0.2, 0.3]);
    assert_eq!(to_f32s(&full.read("velocities", &Budget::default()).unwrap())[2], 10.0);
    server.end().unwrap();
}

/// Frames that are gone are listed; one under the name of another is refused with the way to mend it.
#[test]
fn missing_and_swapped_frames_are_told() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), 4).finish(None).unwrap();
    let path = |index: u32| folder.path().join(format!("frames/{index:06}.frame"));
    std::fs::remove_file(path(1)).unwrap();
    std::fs::copy(path(3), path(2)).unwrap();
    let server = Running::start(folder.path(), None);
    let run = server.get("/api/run").json();
    assert_eq!(run["frames"], serde_json::json!([0, 2, 3]));
    assert_eq!(run["missing"], serde_json::json!([1]));
    for (index, words) in [(1, "it is missing"), (2, "it holds frame 3 under the name of frame 2")] {
        let answer = server.get(&format!("/api/frame/{index}"));
        assert_eq!(answer.status, 500);
        assert!(answer.text().contains(words) && answer.text().contains("--resume"), "{}", answer.text());
    }
    assert_eq!(server.get("/api/frame/4").status, 404);
    server.end().unwrap();
}

#[test]
fn statistics_are_told_from_where_the_page_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = write_run(folder.path(), 3);
    let server = Running::start(folder.path(), None);
    let first = server.get("/api/stats").json();
    assert_eq!(first["records"].as_array().unwrap().len(), 2);
    add_frame(&mut writer, 3);
    let second = server.get(&format!("/api/stats?from={}", first["next"])).json();
    assert_eq!(second["records"][0]["step"], 3);
    assert_eq!(second["records"].as_array().unwrap().len(), 1);
    server.end().unwrap();
}

#[test]
fn new_frames_are_announced_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = write_run(folder.path(), 1);
    let server = Running::start(folder.path(), None);
    let (mut socket, status) = server.socket(&format!("http://{}", server.address));
    assert_eq!(status, 101);
    assert_eq!(message(&mut socket)["frames"], 1);
    add_frame(&mut writer, 1);
    let news = message(&mut socket);
    assert_eq!((&news["frames"], &news["last"], &news["status"]), (&2.into(), &1.into(), &"running".into()));
    assert_eq!(server.get("/api/frame/1").status, 200);
    writer.finish(None).unwrap();
    assert_eq!(message(&mut socket)["status"], "finished");
    server.end().unwrap();
}

#[test]
fn a_missing_run_is_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(&folder.path().join("nowhere"), None);
    let answer = server.get("/api/run");
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("is not a run folder"), "{}", answer.text());
    assert_eq!(server.get("/").status, 200, "the page comes, to show the message");
    server.end().unwrap();
}

#[test]
fn a_scene_that_starts_is_waited_for_and_one_that_fails_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let activity = Activity::new();
    let server = Running::start(folder.path(), Some(activity.clone()));
    let answer = server.get("/api/run");
    assert_eq!((answer.status, &answer.json()["waiting"]), (503, &true.into()));
    activity.fail("body `leaf` has no mass");
    let answer = server.get("/api/run");
    assert_eq!((answer.status, &answer.json()["error"]), (404, &"body `leaf` has no mass".into()));
    server.end().unwrap();
}

#[test]
fn a_run_deleted_under_the_page_is_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    write_run(&run, 2).finish(None).unwrap();
    let server = Running::start(&run, None);
    assert_eq!(server.get("/api/run").status, 200);
    std::fs::remove_dir_all(&run).unwrap();
    assert_eq!(server.get("/api/frame/0").status, 500);
    assert_eq!(server.get("/api/run").status, 404);
    server.end().unwrap();
}
