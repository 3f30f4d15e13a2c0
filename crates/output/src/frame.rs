//! One frame: `frames/000042.frame`.
//!
//! In memory a frame always covers the whole global vertex array. On disk only `Free` bodies are
//! stored; `Posed` bodies store a pose and `Fixed` ones nothing, and reading fills them in from the
//! layout.

use crate::container::{Codec, ContainerReader, ContainerWriter, Filter};
use crate::error::{OutputError, Result};
use crate::layout::{Layout, StoredMotion, StoredPose};
use crate::run_id::RunId;
use crate::sections::{from_f32s, group, to_f32s};
use std::io::{Read, Seek};
use std::path::Path;
use stiction_limits::Budget;

/// Marker of frame files.
pub const MAGIC: [u8; 8] = *b"STFRAME\0";
/// Version of the frame content. Those of version 1 do not say which run they belong to.
pub const VERSION: u32 = 2;
/// Bytes of the head: what version 1 has, then the run.
const HEAD_BYTES: [u64; 2] = [24, 32];

const CHANNEL: &str = "channel/";
/// Most channels of a frame; a run has about ten.
pub const MAX_CHANNELS: usize = 256;

/// A named scalar per vertex, such as `strain` or `contact_pressure`.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name shown in legends and written to exports.
    pub name: String,
    /// One value per vertex of the global array; 0 on bodies that are not `Free`.
    pub values: Vec<f32>,
}

/// A contact as drawn: force acts on the first body at the point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Where \[m\].
    pub point: [f32; 3],
    /// Unit normal from the second body to the first.
    pub normal: [f32; 3],
    /// Force on the first body \[N\]: normal part and friction together.
    pub force: [f32; 3],
}

/// Everything that changes from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Number of the frame, from 0.
    pub index: u32,
    /// Steps done when it was taken.
    pub step: u64,
    /// Time [s], index / fps.
    pub time: f64,
    /// Positions of all bodies \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Velocities [m/s], or empty; 0 on bodies that are not `Free`.
    pub velocities: Vec<[f32; 3]>,
    /// Poses of `Posed` bodies in layout order.
    pub poses: Vec<StoredPose>,
    /// Scalars per vertex.
    pub channels: Vec<Channel>,
    /// Contacts.
    pub contacts: Vec<ContactPoint>,
    /// Places where surfaces or centrelines cross \[m\].
    pub intersections: Vec<[f32; 3]>,
}

/// Rounds 3-vectors to the single precision of files.
pub fn narrow<V: Copy + Into<[f64; 3]>>(vectors: &[V]) -> Vec<[f32; 3]> {
    vectors.iter().map(|&v| v.into().map(|c| c as f32)).collect()
}

impl Frame {
    /// A frame at rest: fixed bodies placed, the others at the origin, one identity pose per posed
    /// body.
    pub fn new(layout: &Layout, index: u32, step: u64) -> Self {
        let poses = vec![StoredPose::IDENTITY; layout.posed().count()];
        let mut positions = vec![[0.0; 3]; layout.vertex_count()];
        layout.place(&poses, &mut positions);
        Self { index, step, time: f64::from(index) / layout.fps, positions, poses, ..Self::default() }
    }

    /// The channel of that name.
    pub fn channel(&self, name: &str) -> Option<&[f32]> {
        self.channels.iter().find(|c| c.name == name).map(|c| c.values.as_slice())
    }

    /// The bytes of the file.
    pub fn to_bytes(&self, layout: &Layout) -> Result<Vec<u8>> {
        self.check(layout)?;
        let mut out = ContainerWriter::new(MAGIC, VERSION);
        let mut head = Vec::with_capacity(32);
        head.extend_from_slice(&self.index.to_le_bytes());
        head.extend_from_slice(&(layout.stored_vertex_count() as u32).to_le_bytes());
        head.extend_from_slice(&self.step.to_le_bytes());
        head.extend_from_slice(&self.time.to_bits().to_le_bytes());
        head.extend_from_slice(&layout.run_id.number().to_le_bytes());
        out.add("head", &head, Filter::None, Codec::Raw);
        let mut add = |name: &str, bytes: Vec<u8>| {
            if !bytes.is_empty() {
                out.add(name, &bytes, Filter::Shuffle4, Codec::Zstd);
            }
        };
        add("positions", from_f32s(stored(layout, &self.positions).as_flattened()));
        add("velocities", from_f32s(stored(layout, &self.velocities).as_flattened()));
        let poses: Vec<[f32; 7]> = self.poses.iter().map(pose_numbers).collect();
        add("poses", from_f32s(poses.as_flattened()));
        for channel in &self.channels {
            add(&format!("{CHANNEL}{}", channel.name), from_f32s(&stored(layout, &channel.values)));
        }
        let contacts: Vec<[[f32; 3]; 3]> =
            self.contacts.iter().map(|c| [c.point, c.normal, c.force]).collect();
        add("contacts", from_f32s(contacts.as_flattened().as_flattened()));
        add("intersections", from_f32s(self.intersections.as_flattened()));
        Ok(out.into_bytes())
    }

    /// Reads a whole frame that fits into the budget.
    pub fn read(source: impl Read + Seek, path: &Path, layout: &Layout, budget: &Budget) -> Result<Self> {
        Self::from_file(FrameFile::open(source, path, layout, budget.clone())?)
    }

    /// Reads all of an open frame that fits into its budget.
    pub fn from_file<R: Read + Seek>(mut file: FrameFile<'_, R>) -> Result<Self> {
        let needed = file.container.unpacked_bytes_of_all();
        let allowed = file.budget.allow("the frame", needed);
        allowed.map_err(|source| OutputError::OverBudget { path: file.path.to_path_buf(), source })?;
        let positions = file.positions()?;
        let velocities = file.velocities()?;
        let names: Vec<String> = file.channel_names().map(String::from).collect();
        let mut channels = Vec::with_capacity(names.len());
        for name in names {
            channels.push(Channel { values: file.channel(&name)?, name });
        }
        let contacts = group::<_, 9>(&file.list_f32s("contacts")?).into_iter().map(|c| ContactPoint {
            point: [c[0], c[1], c[2]],
            normal: [c[3], c[4], c[5]],
            force: [c[6], c[7], c[8]],
        });
        Ok(Self {
            index: file.index,
            step: file.step,
            time: file.time,
            positions,
            velocities,
            poses: file.poses()?,
            channels,
            contacts: contacts.collect(),
            intersections: group(&file.list_f32s("intersections")?),
        })
    }

    fn check(&self, layout: &Layout) -> Result<()> {
        let vertices = layout.vertex_count();
        let frame = || format!("frame {}", self.index);
        let wrong = |what: &str, found: usize, expected: usize| {
            Err(OutputError::shape(frame(), format!("{found} {what}, expected {expected}")))
        };
        if self.positions.len() != vertices {
            return wrong("positions", self.positions.len(), vertices);
        }
        if !self.velocities.is_empty() && self.velocities.len() != vertices {
            return wrong("velocities", self.velocities.len(), vertices);
        }
        if self.poses.len() != layout.posed().count() {
            return wrong("poses", self.poses.len(), layout.posed().count());
        }
        for channel in &self.channels {
            if channel.values.len() != vertices {
                return wrong(&format!("values of `{}`", channel.name), channel.values.len(), vertices);
            }
        }
        if self.channels.len() > MAX_CHANNELS {
            return wrong("channels", self.channels.len(), MAX_CHANNELS);
        }
        self.check_finite()
    }

    /// Other programs read what is written here: no number may be without a value.
    fn check_finite(&self) -> Result<()> {
        let finite = |values: &[f32]| values.iter().all(|x| x.is_finite());
        let vectors = [("a position", &self.positions), ("a velocity", &self.velocities)];
        let vector = vectors.into_iter().find(|(_, list)| !finite(list.as_flattened()));
        let channel = self.channels.iter().find(|channel| !finite(&channel.values));
        let of_contact = |c: &ContactPoint| finite(&c.point) && finite(&c.normal) && finite(&c.force);
        let what = if let Some((what, _)) = vector {
            what.to_owned()
        } else if let Some(channel) = channel {
            format!("a value of the channel `{}`", channel.name)
        } else if !self.poses.iter().all(|pose| finite(&pose_numbers(pose))) {
            "a pose".to_owned()
        } else if !self.contacts.iter().all(of_contact) {
            "a contact".to_owned()
        } else if !finite(self.intersections.as_flattened()) {
            "the place of an intersection".to_owned()
        } else {
            return Ok(());
        };
        Err(OutputError::shape(format!("frame {}", self.index), format!("{what} is not a finite number")))
    }
}

fn pose_numbers(pose: &StoredPose) -> [f32; 7] {
    let [x, y, z] = pose.translation;
    let [qx, qy, qz, qw] = pose.rotation_xyzw;
    [x, y, z, qx, qy, qz, qw]
}

/// The part of a global array that belongs to `Free` bodies.
fn stored<T: Copy>(layout: &Layout, values: &[T]) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    let free = layout.bodies.iter().filter(|b| b.motion == StoredMotion::Free);
    free.flat_map(|b| values[b.range()].iter().copied()).collect()
}

/// An open frame file: reads single parts without touching the others.
pub struct FrameFile<'a, R> {
    container: ContainerReader<R>,
    layout: &'a Layout,
    path: &'a Path,
    budget: Budget,
    /// Number of the frame.
    pub index: u32,
    /// Steps done.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
}

impl<'a, R: Read + Seek> FrameFile<'a, R> {
    /// Opens a frame and checks that it belongs to the layout. Lists whose length the layout does
    /// not tell (contacts, intersections) must fit into the budget.
    pub fn open(source: R, path: &'a Path, layout: &'a Layout, budget: Budget) -> Result<Self> {
        let mut container = ContainerReader::open_any_of(source, path, MAGIC, 1..=VERSION)?;
        let channels = container.names().filter(|n| n.starts_with(CHANNEL)).count();
        if channels > MAX_CHANNELS {
            let reason = format!("it has {channels} channels, but {MAX_CHANNELS} are the most");
            return Err(OutputError::corrupt(path, reason));
        }
        let mut head = container.read_exactly("head", HEAD_BYTES[container.version() as usize - 1])?;
        // A head without a run belongs to one without a number.
        head.resize(32, 0);
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let run_id = RunId::from_number(number(24));
        if run_id != layout.run_id {
            let reason = format!("it belongs to run {run_id}, the layout to run {}", layout.run_id);
            return Err(OutputError::corrupt(path, reason));
        }
        let (index, vertices) = (number(0) as u32, (number(0) >> 32) as usize);
        if vertices != layout.stored_vertex_count() {
            let reason =
                format!("it stores {vertices} vertices, the layout {}", layout.stored_vertex_count());
            return Err(OutputError::corrupt(path, reason));
        }
        let (step, time) = (number(8), f64::from_bits(number(16)));
        Ok(Self { container, layout, path, budget, index, step, time })
    }

    /// Fails unless it is the frame of that number.
    pub fn expect_index(self, index: u32) -> Result<Self> {
        if self.index == index {
            return Ok(self);
        }
        let reason = format!("it holds frame {} under the name of frame {index}", self.index);
        Err(OutputError::corrupt(self.path, reason))
    }

    /// Reads every block and checks its checksum, without unpacking any.
    pub fn check_blocks(&mut self) -> Result<()> {
        self.container.check_blocks()
    }

    /// Positions of all bodies \[m\].
    pub fn positions(&mut self) -> Result<Vec<[f32; 3]>> {
        let stored = group(&self.block_f32s("positions", 3 * self.layout.stored_vertex_count())?);
        let poses = self.poses()?;
        let mut positions = self.spread(&stored)?;
        self.layout.place(&poses, &mut positions);
        Ok(positions)
    }

    /// Velocities [m/s] over the global vertex array, or empty when the frame has none.
    pub fn velocities(&mut self) -> Result<Vec<[f32; 3]>> {
        match self.block_f32s("velocities", 3 * self.layout.stored_vertex_count())? {
            values if values.is_empty() => Ok(Vec::new()),
            values => self.spread(&group(&values)),
        }
    }

    /// Poses of `Posed` bodies.
    pub fn poses(&mut self) -> Result<Vec<StoredPose>> {
        let numbers: Vec<[f32; 7]> = group(&self.block_f32s("poses", 7 * self.layout.posed().count())?);
        if numbers.len() != self.layout.posed().count() {
            return Err(OutputError::corrupt(self.path, "its poses do not fit the layout"));
        }
        let pose = |n: [f32; 7]| StoredPose {
            translation: [n[0], n[1], n[2]],
            rotation_xyzw: [n[3], n[4], n[5], n[6]],
        };
        Ok(numbers.into_iter().map(pose).collect())
    }

    /// Names of the scalar channels.
    pub fn channel_names(&self) -> impl Iterator<Item = &str> {
        self.container.names().filter_map(|n| n.strip_prefix(CHANNEL))
    }

    /// One scalar channel over the global vertex array.
    pub fn channel(&mut self, name: &str) -> Result<Vec<f32>> {
        let values = self.block_f32s(&format!("{CHANNEL}{name}"), self.layout.stored_vertex_count())?;
        self.spread(&values)
    }

    /// Unpacked bytes of a part by the word of the file; 0 when it has none.
    pub fn size_of(&self, part: &str) -> u64 {
        self.container.unpacked_bytes(part)
    }

    /// The bytes of a part (`head`, `positions`, `channel/strain`, ...) as they are stored, or
    /// `None` when the frame has none. Their number is what the layout says, or within the budget
    /// where it says nothing.
    pub fn bytes_of(&mut self, part: &str) -> Result<Option<Vec<u8>>> {
        if !self.container.has(part) {
            return Ok(None);
        }
        let vertices = self.layout.stored_vertex_count();
        let numbers = match part {
            "positions" | "velocities" => 3 * vertices,
            "poses" => 7 * self.layout.posed().count(),
            channel if channel.starts_with(CHANNEL) => vertices,
            _ => return self.container.read(part, &self.budget).map(Some),
        };
        self.container.read_exactly(part, 4 * numbers as u64).map(Some)
    }

    /// A block of so many numbers as the layout says; empty when there is none.
    fn block_f32s(&mut self, name: &str, count: usize) -> Result<Vec<f32>> {
        if !self.container.has(name) {
            return Ok(Vec::new());
        }
        Ok(to_f32s(&self.container.read_exactly(name, 4 * count as u64)?))
    }

    /// A block of any length.
    fn list_f32s(&mut self, name: &str) -> Result<Vec<f32>> {
        if !self.container.has(name) {
            return Ok(Vec::new());
        }
        Ok(to_f32s(&self.container.read(name, &self.budget)?))
    }

    /// From the stored array of `Free` bodies to the global one.
    fn spread<T: Copy + Default>(&self, stored: &[T]) -> Result<Vec<T>> {
        if stored.len() != self.layout.stored_vertex_count() {
            return Err(OutputError::corrupt(self.path, "an array does not fit the layout"));
        }
        let mut all = vec![T::default(); self.layout.vertex_count()];
        let mut rest = stored;
        for body in self.layout.bodies.iter().filter(|b| b.motion == StoredMotion::Free) {
            let (own, tail) = rest.split_at(body.vertex_count());
            all[body.range()].copy_from_slice(own);
            rest = tail;
        }
        Ok(all)
    }
}
