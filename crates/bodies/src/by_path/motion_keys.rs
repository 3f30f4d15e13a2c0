//! Values of motions: the keys that scenes give them.

use super::Kind;
use super::value::{Bounds, ParameterError, ParameterValue};
use stiction_scene::motion::{KeyFrame, LEAST_KEY_INTERVAL, Motion};

/// A value of a motion.
#[derive(Clone, Copy, Debug)]
pub(super) enum MotionKey {
    Whole,
    Centre,
    Velocity,
    TurnRate,
    Start,
    End,
    /// A value of a key frame, by number.
    Key(usize, FrameKey),
}

/// A value of a key frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum FrameKey {
    Time,
    Translation,
    Degrees,
    Scale,
}

impl MotionKey {
    /// The values that a motion has.
    pub fn all(motion: &Motion) -> impl Iterator<Item = MotionKey> + '_ {
        use MotionKey::{Centre, End, Start, TurnRate, Velocity, Whole};
        let turns = motion.turn_axis.norm_squared() > 0.0;
        let own = [Whole, Centre, Velocity, TurnRate, Start, End];
        let own = own.into_iter().filter(move |key| turns || !matches!(key, TurnRate));
        own.chain(
            motion
                .keys
                .iter()
                .enumerate()
                .flat_map(|(k, frame)| FrameKey::all(frame).map(move |key| MotionKey::Key(k, key))),
        )
    }

    /// Its path below that of the motion.
    pub fn path(self, motion: &str) -> String {
        match self {
            MotionKey::Whole => motion.to_owned(),
            MotionKey::Centre => format!("{motion}.centre"),
            MotionKey::Velocity => format!("{motion}.velocity"),
            MotionKey::TurnRate => format!("{motion}.turn.degrees_per_second"),
            MotionKey::Start => format!("{motion}.start"),
            MotionKey::End => format!("{motion}.end"),
            MotionKey::Key(k, key) => format!("{motion}.keys.{k}.{}", key.name()),
        }
    }

    pub fn unit_and_bounds(self) -> (&'static str, Bounds) {
        match self {
            MotionKey::Whole => ("m, s, rad", Bounds::ANY),
            MotionKey::Centre => ("m", Bounds::PLACE),
            MotionKey::Velocity => ("m/s", Bounds::VELOCITY),
            MotionKey::TurnRate => ("°/s", Bounds::ANY),
            MotionKey::Start | MotionKey::End | MotionKey::Key(_, FrameKey::Time) => ("s", Bounds::ANY),
            MotionKey::Key(_, FrameKey::Translation) => ("m", Bounds::PLACE),
            MotionKey::Key(_, FrameKey::Degrees) => ("°", Bounds::ANY),
            MotionKey::Key(_, FrameKey::Scale) => ("1", Bounds::SCALE),
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            MotionKey::Whole => Kind::Motion,
            MotionKey::Centre | MotionKey::Velocity | MotionKey::Key(_, FrameKey::Translation) => {
                Kind::Vector
            }
            MotionKey::End => Kind::EndTime,
            MotionKey::Start | MotionKey::TurnRate | MotionKey::Key(..) => Kind::Number,
        }
    }

    pub fn read(self, motion: &Motion) -> ParameterValue {
        match self {
            MotionKey::Whole => motion.clone().into(),
            MotionKey::Centre => motion.centre.into(),
            MotionKey::Velocity => motion.velocity.into(),
            MotionKey::TurnRate => motion.angular_velocity.dot(&motion.turn_axis).to_degrees().into(),
            MotionKey::Start => motion.start.into(),
            MotionKey::End => motion.end.into(),
            MotionKey::Key(k, key) => key.read(&motion.keys[k]),
        }
    }

    /// The motion with another value, if that makes sense together with the others.
    pub fn written(
        self,
        motion: &Motion,
        path: &str,
        value: &ParameterValue,
    ) -> Result<Motion, ParameterError> {
        let mut out = motion.clone();
        match (self, value) {
            (MotionKey::Whole, ParameterValue::Motion(whole)) => out = whole.clone(),
            (MotionKey::Centre, ParameterValue::Vector(v)) => out.centre = *v,
            (MotionKey::Velocity, ParameterValue::Vector(v)) => out.velocity = *v,
            (MotionKey::TurnRate, ParameterValue::Number(rate)) => {
                out.angular_velocity = out.turn_axis * rate.to_radians();
            }
            (MotionKey::Start, ParameterValue::Number(time)) => out.start = *time,
            (MotionKey::End, ParameterValue::Number(time)) => out.end = *time,
            (MotionKey::Key(k, key), value) => key.write(&mut out.keys[k], value),
            // The kind of the value was checked before.
            _ => {}
        }
        match contradiction(&out) {
            None => Ok(out),
            Some(reason) => {
                Err(ParameterError::Refused { path: path.to_owned(), value: value.to_string(), reason })
            }
        }
    }
}

impl FrameKey {
    fn all(frame: &KeyFrame) -> impl Iterator<Item = FrameKey> + use<> {
        let turns = frame.rotation_axis.norm_squared() > 0.0;
        let all = [FrameKey::Time, FrameKey::Translation, FrameKey::Degrees, FrameKey::Scale];
        all.into_iter().filter(move |key| turns || !matches!(key, FrameKey::Degrees))
    }

    fn name(self) -> &'static str {
        match self {
            FrameKey::Time => "time",
            FrameKey::Translation => "translate",
            FrameKey::Degrees => "rotate.degrees",
            FrameKey::Scale => "scale",
        }
    }

    fn read(self, frame: &KeyFrame) -> ParameterValue {
        match self {
            FrameKey::Time => frame.time.into(),
            FrameKey::Translation => frame.translation.into(),
            FrameKey::Degrees => frame.rotation.dot(&frame.rotation_axis).to_degrees().into(),
            FrameKey::Scale => frame.scale.into(),
        }
    }

    fn write(self, frame: &mut KeyFrame, value: &ParameterValue) {
        match (self, value) {
            (FrameKey::Time, ParameterValue::Number(time)) => frame.time = *time,
            (FrameKey::Translation, ParameterValue::Vector(v)) => frame.translation = *v,
            (FrameKey::Degrees, ParameterValue::Number(degrees)) => {
                frame.rotation = frame.rotation_axis * degrees.to_radians();
            }
            (FrameKey::Scale, ParameterValue::Number(scale)) => frame.scale = *scale,
            // The kind of the value was checked before.
            _ => {}
        }
    }
}

/// What is wrong with a motion as a whole, with the fix: its numbers are finite (`end` may be
/// infinite), its keys in order, and it does not end before it starts.
fn contradiction(motion: &Motion) -> Option<String> {
    let vectors = motion.keys.iter().flat_map(|k| [k.translation, k.rotation]);
    let vectors = vectors.chain([motion.centre, motion.velocity, motion.angular_velocity]);
    let finite = vectors.into_iter().all(|v| v.iter().all(|c| c.is_finite())) && motion.start.is_finite();
    let frames = motion.keys.iter().all(|k| k.time.is_finite() && Bounds::SCALE.contain(k.scale));
    if !(finite && frames && !motion.end.is_nan()) {
        return Some("numbers of a motion must be finite and its scales from 1e-9 to 1e9".to_owned());
    }
    let apart = |pair: &[KeyFrame]| pair[1].time - pair[0].time >= LEAST_KEY_INTERVAL;
    if let Some(k) = motion.keys.windows(2).position(|pair| !apart(pair)) {
        let [first, second] = [motion.keys[k].time, motion.keys[k + 1].time];
        return Some(format!(
            "key {k} would be at {first} s and key {} at {second} s; keys must be in order of time, at least \
             {LEAST_KEY_INTERVAL:e} s apart",
            k + 1
        ));
    }
    (motion.end < motion.start).then(|| {
        let (start, end) = (motion.start, motion.end);
        format!("the motion would start at {start} s and end at {end} s; `end` must not be before `start`, so set the other one first")
    })
}
