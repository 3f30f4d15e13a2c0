//! One binary container for layout, frames, checkpoints and bundles: named blocks with checksums.
//!
//! ```text
//! 0   8  magic
//! 8   4  version of the content, u32         all integers little-endian
//! 12  4  number of blocks, u32
//! 16  8  bytes of the table, u64
//! 24  8  XXH64 of the 24 bytes above and the table, u64
//! 32     table: per block  u16 length of name · name (UTF-8) · u8 filter · u8 codec
//!                          u64 raw bytes · u64 stored bytes · u64 XXH64 of the stored bytes
//!        stored bytes of the blocks, in the order of the table, without gaps
//! ```
//! Filter 0: none; 1: bytes of 4-byte words regrouped by significance (all first bytes, then all
//! second bytes, ...), which makes exponents of neighbouring floats lie together and halves what
//! zstd leaves. Codec 0: stored as is; 1: one zstd frame.

use crate::error::{OutputError, Result};
use crate::hash::hash_bytes;
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use stiction_limits::Budget;

const HEADER_BYTES: usize = 32;
/// A table larger than this is damage, not data.
const MAX_TABLE_BYTES: u64 = 1 << 26;
/// Memory reserved on the word of a file before its content proves it.
const MAX_RESERVED_BYTES: u64 = 1 << 24;
/// Level 1 keeps writing a frame well below the cost of a step; higher levels gain a few per cent.
const ZSTD_LEVEL: i32 = 1;

/// How a block's bytes are regrouped before compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// As they come.
    None = 0,
    /// 4-byte words split into byte planes.
    Shuffle4 = 1,
}

/// How a block's bytes are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// As they come.
    Raw = 0,
    /// Compressed with zstd.
    Zstd = 1,
}

/// Collects blocks and lays them out as the bytes of a file.
pub struct ContainerWriter {
    magic: [u8; 8],
    version: u32,
    count: u32,
    table: Vec<u8>,
    payload: Vec<u8>,
}

impl ContainerWriter {
    /// Starts a container of the given kind.
    pub fn new(magic: [u8; 8], version: u32) -> Self {
        Self { magic, version, count: 0, table: Vec::new(), payload: Vec::new() }
    }

    /// Adds a block; names shall be unique.
    pub fn add(&mut self, name: &str, raw: &[u8], filter: Filter, codec: Codec) {
        let filtered = match filter {
            Filter::None => std::borrow::Cow::Borrowed(raw),
            Filter::Shuffle4 => std::borrow::Cow::Owned(shuffle4(raw)),
        };
        let stored = match codec {
            Codec::Raw => filtered,
            Codec::Zstd => {
                let packed = zstd::bulk::compress(&filtered, ZSTD_LEVEL);
                std::borrow::Cow::Owned(packed.expect("compression into memory does not fail"))
            }
        };
        let name_length = u16::try_from(name.len()).expect("block names are short");
        self.table.extend_from_slice(&name_length.to_le_bytes());
        self.table.extend_from_slice(name.as_bytes());
        self.table.extend_from_slice(&[filter as u8, codec as u8]);
        for number in [raw.len() as u64, stored.len() as u64, hash_bytes(&stored)] {
            self.table.extend_from_slice(&number.to_le_bytes());
        }
        self.payload.extend_from_slice(&stored);
        self.count += 1;
    }

    /// Bytes of the whole file.
    pub fn size(&self) -> u64 {
        (HEADER_BYTES + self.table.len() + self.payload.len()) as u64
    }

    /// Writes header, table and blocks.
    pub fn write_to(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut head = Vec::with_capacity(HEADER_BYTES + self.table.len());
        head.extend_from_slice(&self.magic);
        head.extend_from_slice(&self.version.to_le_bytes());
        head.extend_from_slice(&self.count.to_le_bytes());
        head.extend_from_slice(&(self.table.len() as u64).to_le_bytes());
        head.extend_from_slice(&self.table);
        let checksum = hash_bytes(&head);
        out.write_all(&head[..24])?;
        out.write_all(&checksum.to_le_bytes())?;
        out.write_all(&self.table)?;
        out.write_all(&self.payload)
    }

    /// The whole file as bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + self.table.len() + self.payload.len());
        self.write_to(&mut bytes).expect("writing into memory does not fail");
        bytes
    }
}

#[derive(Debug)]
struct Entry {
    name: String,
    filter: u8,
    codec: u8,
    raw_bytes: u64,
    stored_bytes: u64,
    checksum: u64,
    offset: u64,
}

/// Opens a container and reads single blocks of it.
pub struct ContainerReader<R> {
    source: R,
    path: std::path::PathBuf,
    version: u32,
    entries: Vec<Entry>,
    /// Place in `entries` by name.
    places: BTreeMap<String, usize>,
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Reads and checks header and table; `path` only names the file in errors.
    pub fn open(source: R, path: &Path, magic: [u8; 8], version: u32) -> Result<Self> {
        Self::open_any_of(source, path, magic, version..=version)
    }

    /// The same for a file of any of these versions.
    pub fn open_any_of(
        mut source: R,
        path: &Path,
        magic: [u8; 8],
        versions: RangeInclusive<u32>,
    ) -> Result<Self> {
        let io = |e| OutputError::reading(path, e);
        let size = source.seek(SeekFrom::End(0)).map_err(io)?;
        source.seek(SeekFrom::Start(0)).map_err(io)?;
        if size < HEADER_BYTES as u64 {
            return Err(OutputError::corrupt(path, format!("{size} bytes are too few for a header")));
        }
        let mut header = [0u8; HEADER_BYTES];
        source.read_exact(&mut header).map_err(io)?;
        if header[..8] != magic {
            return Err(OutputError::corrupt(path, "it does not begin with the expected marker"));
        }
        let found = u32_at(&header, 8);
        if !versions.contains(&found) {
            let expected = *versions.end();
            return Err(OutputError::FormatVersion { path: path.to_path_buf(), found, expected });
        }
        let table_bytes = u64_at(&header, 16);
        if table_bytes > MAX_TABLE_BYTES || table_bytes > size - HEADER_BYTES as u64 {
            return Err(OutputError::corrupt(path, "its table is cut off"));
        }
        let mut checked = header[..24].to_vec();
        checked.resize(24 + table_bytes as usize, 0);
        source.read_exact(&mut checked[24..]).map_err(io)?;
        if hash_bytes(&checked) != u64_at(&header, 24) {
            return Err(OutputError::corrupt(path, "the checksum of its table is wrong"));
        }
        let start = HEADER_BYTES as u64 + table_bytes;
        let entries = parse_table(&checked[24..], u32_at(&header, 12), start, size)
            .ok_or_else(|| OutputError::corrupt(path, "it ends before its last block"))?;
        let places: BTreeMap<String, usize> =
            entries.iter().enumerate().map(|(place, entry)| (entry.name.clone(), place)).collect();
        if places.len() < entries.len() {
            return Err(OutputError::corrupt(path, "two of its blocks have the same name"));
        }
        Ok(Self { source, path: path.to_path_buf(), version: found, entries, places })
    }

    /// Version of the content.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Reads every block and checks its checksum, without unpacking any.
    pub fn check_blocks(&mut self) -> Result<()> {
        (0..self.entries.len()).try_for_each(|place| self.stored_bytes(place).map(|_| ()))
    }

    /// Names of all blocks in file order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.as_str())
    }

    /// Whether a block exists.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Unpacked bytes of a block by the word of the table; 0 when there is none.
    pub fn unpacked_bytes(&self, name: &str) -> u64 {
        self.places.get(name).map_or(0, |&place| self.entries[place].raw_bytes)
    }

    /// Unpacked bytes of all blocks by the word of the table.
    pub fn unpacked_bytes_of_all(&self) -> u64 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.raw_bytes))
    }

    /// Reads, checks and unpacks one block of exactly `bytes` bytes; another size is damage,
    /// noticed before it is unpacked.
    pub fn read_exactly(&mut self, name: &str, bytes: u64) -> Result<Vec<u8>> {
        let found = self.unpacked_bytes(name);
        if found != bytes {
            let reason = format!("block `{name}` has {found} bytes, expected {bytes}");
            return Err(OutputError::corrupt(&self.path, reason));
        }
        self.unpack_block(name)
    }

    /// Reads, checks and unpacks one block that fits into the budget.
    pub fn read(&mut self, name: &str, budget: &Budget) -> Result<Vec<u8>> {
        let needed = self.unpacked_bytes(name);
        let allowed = budget.allow(&format!("block `{name}`"), needed);
        allowed.map_err(|source| OutputError::OverBudget { path: self.path.clone(), source })?;
        self.unpack_block(name)
    }

    fn unpack_block(&mut self, name: &str) -> Result<Vec<u8>> {
        let place = self.places.get(name).copied();
        let place =
            place.ok_or_else(|| OutputError::corrupt(&self.path, format!("it has no block `{name}`")))?;
        let stored = self.stored_bytes(place)?;
        unpack(stored, &self.entries[place])
            .ok_or_else(|| OutputError::corrupt(&self.path, format!("block `{name}` cannot be unpacked")))
    }

    /// The bytes of a block as they are in the file, held against their checksum.
    fn stored_bytes(&mut self, place: usize) -> Result<Vec<u8>> {
        let Self { source, path, entries, .. } = self;
        let entry = &entries[place];
        let io = |e| OutputError::reading(path, e);
        source.seek(SeekFrom::Start(entry.offset)).map_err(io)?;
        let mut stored = vec![0u8; entry.stored_bytes as usize];
        source.read_exact(&mut stored).map_err(io)?;
        if hash_bytes(&stored) != entry.checksum {
            let reason = format!("the checksum of block `{}` is wrong", entry.name);
            return Err(OutputError::corrupt(path, reason));
        }
        Ok(stored)
    }
}

fn unpack(stored: Vec<u8>, entry: &Entry) -> Option<Vec<u8>> {
    let filtered = match entry.codec {
        0 => stored,
        1 => {
            // Read as a stream with a limit: a forged length must not reserve memory.
            let mut raw = Vec::with_capacity(entry.raw_bytes.min(MAX_RESERVED_BYTES) as usize);
            let decoder = zstd::stream::read::Decoder::new(stored.as_slice()).ok()?;
            decoder.take(entry.raw_bytes.saturating_add(1)).read_to_end(&mut raw).ok()?;
            raw
        }
        _ => return None,
    };
    if filtered.len() as u64 != entry.raw_bytes {
        return None;
    }
    match entry.filter {
        0 => Some(filtered),
        1 => Some(unshuffle4(&filtered)),
        _ => None,
    }
}

fn parse_table(table: &[u8], count: u32, start: u64, size: u64) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut cursor = 0usize;
    let mut offset = start;
    for _ in 0..count {
        let name_length = u16::from_le_bytes(table.get(cursor..cursor + 2)?.try_into().ok()?) as usize;
        cursor += 2;
        let name = String::from_utf8(table.get(cursor..cursor + name_length)?.to_vec()).ok()?;
        cursor += name_length;
        let fixed = table.get(cursor..cursor + 26)?;
        cursor += 26;
        let entry = Entry {
            name,
            filter: fixed[0],
            codec: fixed[1],
            raw_bytes: u64_at(fixed, 2),
            stored_bytes: u64_at(fixed, 10),
            checksum: u64_at(fixed, 18),
            offset,
        };
        offset = offset.checked_add(entry.stored_bytes)?;
        if offset > size {
            return None;
        }
        entries.push(entry);
    }
    Some(entries)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Writes the checksums that the content of a container should have, as far as its table can be
/// read. For tests: damage that a forger has hidden must be noticed by other means.
#[doc(hidden)]
pub fn repair_checksums(file: &mut [u8]) {
    let size = file.len() as u64;
    if size < HEADER_BYTES as u64 {
        return;
    }
    let table_bytes = u64_at(file, 16);
    if table_bytes > size - HEADER_BYTES as u64 {
        return;
    }
    let start = HEADER_BYTES + table_bytes as usize;
    let mut offset = start;
    let mut cursor = HEADER_BYTES;
    for _ in 0..u32_at(file, 12) {
        if cursor + 2 > start {
            break;
        }
        let name_length = usize::from(file[cursor]) + 256 * usize::from(file[cursor + 1]);
        let fixed = cursor + 2 + name_length;
        if fixed + 26 > start {
            break;
        }
        let stored = u64_at(file, fixed + 10);
        let Some(end) = (offset as u64).checked_add(stored).filter(|end| *end <= size) else { break };
        let checksum = hash_bytes(&file[offset..end as usize]);
        file[fixed + 18..fixed + 26].copy_from_slice(&checksum.to_le_bytes());
        (cursor, offset) = (fixed + 26, end as usize);
    }
    let mut head = file[..24].to_vec();
    head.extend_from_slice(&file[HEADER_BYTES..start]);
    let checksum = hash_bytes(&head);
    file[24..32].copy_from_slice(&checksum.to_le_bytes());
}

/// Splits 4-byte words into planes; up to three bytes at the end stay where they are.
fn shuffle4(raw: &[u8]) -> Vec<u8> {
    let words = raw.len() / 4;
    let mut out = vec![0u8; raw.len()];
    for (plane, target) in out[..words * 4].chunks_exact_mut(words.max(1)).enumerate() {
        for (byte, word) in target.iter_mut().zip(raw.chunks_exact(4)) {
            *byte = word[plane];
        }
    }
    out[words * 4..].copy_from_slice(&raw[words * 4..]);
    out
}

fn unshuffle4(planes: &[u8]) -> Vec<u8> {
    let words = planes.len() / 4;
    let mut out = vec![0u8; planes.len()];
    for (plane, source) in planes[..words * 4].chunks_exact(words.max(1)).enumerate() {
        for (byte, word) in source.iter().zip(out.chunks_exact_mut(4)) {
            word[plane] = *byte;
        }
    }
    out[words * 4..].copy_from_slice(&planes[words * 4..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    const MAGIC: [u8; 8] = *b"STTEST\0\0";

    fn sample(bytes: &[u8]) -> Vec<u8> {
        let mut writer = ContainerWriter::new(MAGIC, 3);
        writer.add("raw", bytes, Filter::None, Codec::Raw);
        writer.add("packed", bytes, Filter::Shuffle4, Codec::Zstd);
        writer.into_bytes()
    }

    fn read_all(file: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut reader = ContainerReader::open(Cursor::new(file), Path::new("x"), MAGIC, 3)?;
        let names: Vec<String> = reader.names().map(String::from).collect();
        names.iter().map(|name| reader.read(name, &Budget::of_bytes(1 << 20))).collect()
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(read_all(&sample(&bytes)).unwrap(), vec![bytes.clone(), bytes]);
        }

        #[test]
        fn any_cut_and_any_flipped_bit_is_noticed(
            bytes in prop::collection::vec(any::<u8>(), 1..300), at in any::<prop::sample::Index>(), bit in 0..8u8,
        ) {
            let mut file = sample(&bytes);
            let at = at.index(file.len());
            prop_assert!(read_all(&file[..at]).is_err());
            file[at] ^= 1u8 << bit;
            prop_assert!(read_all(&file).is_err());
        }
    }

    #[test]
    fn other_versions_are_refused_by_number() {
        let file = sample(b"abc");
        let error = ContainerReader::open(Cursor::new(&file), Path::new("x"), MAGIC, 4).err().unwrap();
        assert!(matches!(error, OutputError::FormatVersion { found: 3, expected: 4, .. }));
    }

    /// 65 kB that unpack to 64 MB: the table tells, so nothing is unpacked beyond the budget.
    #[test]
    fn blocks_beyond_budget_or_expectation_are_not_unpacked() {
        let mut writer = ContainerWriter::new(MAGIC, 3);
        writer.add("bomb", &vec![0; 64 << 20], Filter::None, Codec::Zstd);
        let file = writer.into_bytes();
        assert!(file.len() < 65_000, "{}", file.len());
        let mut reader = ContainerReader::open(Cursor::new(&file), Path::new("x"), MAGIC, 3).unwrap();
        let error = reader.read("bomb", &Budget::of_bytes(1 << 20)).unwrap_err().to_string();
        assert!(error.contains("67.1 MB") && error.contains("1.0 MB"), "{error}");
        let error = reader.read_exactly("bomb", 12).unwrap_err().to_string();
        assert!(error.contains("67108864 bytes, expected 12"), "{error}");
        assert_eq!(reader.read("bomb", &Budget::of_bytes(1 << 27)).unwrap().len(), 64 << 20);
    }

    #[test]
    fn two_blocks_of_one_name_are_damage() {
        let mut writer = ContainerWriter::new(MAGIC, 3);
        writer.add("a", b"1", Filter::None, Codec::Raw);
        writer.add("a", b"2", Filter::None, Codec::Raw);
        assert!(read_all(&writer.into_bytes()).unwrap_err().to_string().contains("same name"));
    }

    #[test]
    fn a_forged_raw_length_does_not_reserve_memory() {
        let entry = Entry {
            name: String::new(),
            filter: 0,
            codec: 1,
            raw_bytes: u64::MAX - 1,
            stored_bytes: 0,
            checksum: 0,
            offset: 0,
        };
        assert!(unpack(zstd::bulk::compress(b"abc", 1).unwrap(), &entry).is_none());
    }
}
