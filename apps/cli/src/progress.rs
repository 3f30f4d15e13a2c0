//! How far a run is: a bar with the time left on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use stiction::RunProgress;

/// Shows progress on standard error.
pub struct Reporter {
    bar: Option<ProgressBar>,
    notes_shown: bool,
    last_line: f64,
}

/// Plain lines come at most this often \[s\].
const LINE_INTERVAL: f64 = 5.0;

impl Reporter {
    /// For a run of so many frames.
    pub fn new(frames: u64) -> Reporter {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(
                "{bar:32} frame {pos}/{len}  {elapsed} elapsed, {eta} left  {msg}",
            );
            let bar = ProgressBar::new(frames);
            style.into_iter().for_each(|style| bar.set_style(style));
            bar
        });
        Reporter { bar, notes_shown: false, last_line: 0.0 }
    }

    /// Shows where the run is.
    pub fn show(&mut self, progress: &RunProgress<'_>) {
        if !std::mem::replace(&mut self.notes_shown, true) {
            progress.notes.iter().for_each(|sentence| note!("note: {sentence}"));
        }
        let iterations = progress.last.map_or(0, |r| r.iterations);
        let contacts = progress.last.map_or(0, |r| r.contacts);
        let detail = format!("{iterations} iterations, {contacts} contacts");
        match &self.bar {
            Some(bar) => {
                bar.set_message(detail);
                bar.set_position(progress.frame);
            }
            None if progress.seconds - self.last_line >= LINE_INTERVAL
                || progress.frame == progress.frames =>
            {
                self.last_line = progress.seconds;
                note!("frame {}/{}  {:.1} s  {detail}", progress.frame, progress.frames, progress.seconds);
            }
            None => {}
        }
    }

    /// Ends the display.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}
