//! What a case measured: figures with names and units, and what they have to reach.

use crate::measure::Spent;
use serde_json::{Map, Value, json};

/// A value that a figure has to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FigureLimit {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

/// Whether a figure reaches its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// By what the clock on the wall showed.
    Yes,
    /// By core time shared by its threads: what an idle machine would show if the work is spread
    /// evenly.
    ByCoreTime,
    /// Not.
    No,
}

/// One number.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name with its unit, such as `ns_per_tet_energy`.
    pub name: String,
    /// Value; for times, the best wall time.
    pub value: f64,
    /// For times: mean core time of all threads in the same unit.
    pub core: Option<f64>,
    /// Threads that share the core time.
    pub threads: usize,
    /// What it has to reach.
    pub limit: Option<FigureLimit>,
}

/// The figures of one case in one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Name of the case.
    pub case: &'static str,
    /// What of the case: law, size, number of threads.
    pub variant: String,
    /// Method, for cases that take steps.
    pub method: Option<&'static str>,
    /// Figures in order.
    pub figures: Vec<Figure>,
    /// What the numbers do not say.
    pub note: Option<String>,
}

/// Keys that every record has in JSON, null where they make no sense.
const COMMON_KEYS: [&str; 4] = ["vertices", "contacts", "ns_per_contact", "ms_per_frame"];

impl FigureLimit {
    fn holds(self, value: f64) -> bool {
        match self {
            FigureLimit::AtMost(most) => value <= most,
            FigureLimit::AtLeast(least) => value >= least,
        }
    }

    fn to_json(self) -> Value {
        match self {
            FigureLimit::AtMost(most) => json!({ "at_most": most }),
            FigureLimit::AtLeast(least) => json!({ "at_least": least }),
        }
    }
}

impl Reached {
    /// In a word or three.
    pub fn word(self) -> &'static str {
        match self {
            Reached::Yes => "reached",
            Reached::ByCoreTime => "by core time",
            Reached::No => "missed",
        }
    }
}

impl Figure {
    /// Whether the limit is reached; `None` without one.
    pub fn reached(&self) -> Option<Reached> {
        let limit = self.limit?;
        let shared = self.core.map(|core| core / self.threads.max(1) as f64);
        Some(match shared {
            _ if limit.holds(self.value) => Reached::Yes,
            Some(shared) if limit.holds(shared) => Reached::ByCoreTime,
            _ => Reached::No,
        })
    }
}

impl Record {
    /// An empty record.
    pub fn new(case: &'static str, variant: impl Into<String>) -> Record {
        Record { case, variant: variant.into(), ..Record::default() }
    }

    /// Adds a number that is not a time.
    pub fn number(&mut self, name: impl Into<String>, value: f64) -> &mut Record {
        self.push(Figure { name: name.into(), value, core: None, threads: 1, limit: None })
    }

    /// Adds a time, already in the unit that its name says.
    pub fn time(&mut self, name: impl Into<String>, spent: Spent) -> &mut Record {
        self.push(Figure {
            name: name.into(),
            value: spent.wall,
            core: Some(spent.core),
            threads: spent.threads,
            limit: None,
        })
    }

    /// Adds a number measured by the wall clock and by core time, such as a ratio of times.
    pub fn both(&mut self, name: impl Into<String>, wall: f64, core: f64) -> &mut Record {
        self.push(Figure { name: name.into(), value: wall, core: Some(core), threads: 1, limit: None })
    }

    /// Sets what the figure added last has to reach.
    pub fn limit(&mut self, limit: FigureLimit) -> &mut Record {
        let last = self.figures.last_mut().expect("a figure comes before its limit");
        last.limit = Some(limit);
        self
    }

    fn push(&mut self, figure: Figure) -> &mut Record {
        self.figures.push(figure);
        self
    }

    /// The value of a figure.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    /// As a JSON object: figures by name, core times as `core_NAME`, limits in an object of their
    /// own.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("case".into(), json!(self.case));
        object.insert("variant".into(), json!(self.variant));
        object.insert("method".into(), json!(self.method));
        for key in COMMON_KEYS {
            object.insert(key.into(), Value::Null);
        }
        let mut limits = Map::new();
        for figure in &self.figures {
            object.insert(figure.name.clone(), number(figure.value));
            if let Some(core) = figure.core {
                object.insert(format!("core_{}", figure.name), number(core));
            }
            if let (Some(limit), Some(reached)) = (figure.limit, figure.reached()) {
                let mut entry = limit.to_json();
                entry["reached"] = json!(reached.word());
                limits.insert(figure.name.clone(), entry);
            }
        }
        object.insert("limits".into(), Value::Object(limits));
        if let Some(note) = &self.note {
            object.insert("note".into(), json!(note));
        }
        Value::Object(object)
    }
}

/// Counts stay whole numbers; what is not finite becomes null.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(wall: f64, core: f64, limit: FigureLimit) -> Figure {
        Figure { name: "t".into(), value: wall, core: Some(core), threads: 2, limit: Some(limit) }
    }

    #[test]
    fn limits_are_judged_by_the_wall_first() {
        assert_eq!(time(0.9, 3.0, FigureLimit::AtMost(1.0)).reached(), Some(Reached::Yes));
        assert_eq!(time(1.5, 1.8, FigureLimit::AtMost(1.0)).reached(), Some(Reached::ByCoreTime));
        assert_eq!(time(1.5, 2.2, FigureLimit::AtMost(1.0)).reached(), Some(Reached::No));
        assert_eq!(time(1.5, f64::NAN, FigureLimit::AtMost(1.0)).reached(), Some(Reached::No));
        assert_eq!(time(2.5, 0.0, FigureLimit::AtLeast(2.0)).reached(), Some(Reached::Yes));
    }

    #[test]
    fn common_keys_are_there_and_filled() {
        let mut record = Record::new("x", "y");
        record.number("contacts", 7.0).number("odd", f64::NAN);
        record.time("ns", Spent { wall: 1.5, core: 2.5, threads: 1 }).limit(FigureLimit::AtMost(2.0));
        let json = record.to_json();
        assert_eq!(json["contacts"], 7);
        assert!(json["vertices"].is_null() && json["odd"].is_null() && json["method"].is_null());
        assert_eq!(json["core_ns"], 2.5);
        assert_eq!(json["limits"]["ns"]["reached"], "reached");
    }
}
