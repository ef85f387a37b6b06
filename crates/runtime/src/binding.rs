//! The binding of a program's fields to packets: where the value of a field comes from, and where its final value goes.
//!
//! A field gets its value from the part of the packet that a TOML file beside the program names, or else from the part
//! that its name suggests, if it has one of the usual names ([`default_source`]); otherwise it is 0 on arrival. Names
//! are resolved once; each packet costs one pass over its headers and one read per field.

mod condition;
mod field_file;
mod names;
mod path;
mod result;
mod source;

use diagnostics::{Diagnostics, SourceId, Sources};
use wire::{Layers, Packet};

use condition::Test;
pub use names::default_source;
use result::Target;
pub use source::Source;
use source::View;

use crate::arithmetic::mask;

/// The decision of a program about a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departure {
    /// The port on which the packet leaves; `None` is the port on which it arrived.
    pub port: Option<u16>,
    /// Whether the packet is dropped.
    pub drop: bool,
}

/// The name and the width of a program's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldShape<'a> {
    /// The name of the field.
    pub name: &'a str,
    /// The width in bits, 1 to 64.
    pub width: u32,
}

/// The binding of one program's fields to packets.
///
/// Values are raw bits, indexed by field in the order of the program, whose fields are its first variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    fields: Vec<BoundField>,
    /// The tests that a packet must pass for the program to apply to it.
    applies: Vec<Test>,
    /// The uses of the fields' final values.
    results: Vec<BoundResult>,
    /// The most bytes of one header, or of the payload, in front of the end of something that the program reads or writes.
    depth: usize,
    form: Form,
}

/// The format of the packets.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// The packets have headers.
    Wire,
    /// The packets are records of field values.
    Record {
        /// The masks of the fields' widths in a word.
        masks: Vec<u32>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BoundField {
    name: String,
    width: u32,
    /// A mask of that width.
    mask: u64,
    /// The source of the value; `None` is 0 on arrival.
    source: Option<Source>,
}

impl BoundField {
    fn new(name: String, width: u32, source: Option<Source>) -> Self {
        Self { name, width, mask: mask(width), source }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BoundResult {
    field: usize,
    target: Target,
}

/// The binding of a field as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The name of the field.
    pub field: String,
    /// The source of its value, in the syntax of binding files; `None` is 0 on arrival.
    pub source: Option<String>,
    /// The use of its final value, in the syntax of binding files.
    pub result: Option<String>,
}

impl Binding {
    /// Binds fields to records: big-endian 32-bit words at the front of the packet's head, one per field, in order.
    /// This is the format of packets that were made from field values and belong to no protocol.
    pub fn record(widths: Vec<u32>) -> Self {
        let field = |(number, width)| BoundField::new(format!("field {number}"), width, None);
        Self::of_records(widths.into_iter().enumerate().map(field).collect(), Vec::new())
    }

    /// Binds fields by their names and by `file`, a text of the sources in the TOML format of `docs/binding.md`.
    ///
    /// # Errors
    /// Reports everything that is wrong with the file, with its location.
    pub fn resolve(fields: &[FieldShape<'_>], file: Option<(&Sources, SourceId)>) -> Result<Self, Diagnostics> {
        let bound =
            |field: &FieldShape<'_>| BoundField::new(field.name.to_owned(), field.width, default_source(field.name));
        let fields = fields.iter().map(bound).collect();
        let mut binding = Self { fields, applies: Vec::new(), results: Vec::new(), depth: 0, form: Form::Wire };
        let mut found = Diagnostics::new();
        if let Some((sources, id)) = file {
            field_file::read(sources.text(id), id, &mut binding, &mut found);
        }
        binding.depth = binding.deepest();
        found.into_result(binding)
    }

    /// Returns a binding of the same program to records: its fields are read and written as in [`Binding::record`], and
    /// results are kept unless they write into headers.
    pub fn for_records(&self) -> Self {
        let mut results = self.results.clone();
        results.retain(|result| matches!(result.target, Target::Port | Target::Drop));
        Self::of_records(self.fields.clone(), results)
    }

    fn of_records(fields: Vec<BoundField>, results: Vec<BoundResult>) -> Self {
        // A word of a record has the low 32 bits of its field.
        let masks = fields.iter().map(|field| field.mask as u32).collect();
        Self { fields, applies: Vec::new(), results, depth: 0, form: Form::Record { masks } }
    }

    fn deepest(&self) -> usize {
        let read = self.fields.iter().filter_map(|field| field.source.as_ref());
        let tested = self.applies.iter().filter_map(Test::source);
        let of_sources = read.chain(tested).filter_map(|source| match source {
            Source::Header(bits) => Some(bits.depth()),
            _ => None,
        });
        let of_results = self.results.iter().filter_map(|result| match &result.target {
            Target::Header(bits) => Some(bits.depth()),
            _ => None,
        });
        of_sources.chain(of_results).max().unwrap_or(0)
    }

    /// Returns the fields, in the order of the program.
    pub fn fields(&self) -> impl Iterator<Item = FieldShape<'_>> {
        self.fields.iter().map(|field| FieldShape { name: &field.name, width: field.width })
    }

    /// Returns true if the program makes sense only for packets with headers, because a field or a test reads one.
    pub fn reads_headers(&self) -> bool {
        let is_header =
            |source: &Source| !matches!(source, Source::Constant(_) | Source::Arrival | Source::Length | Source::Port);
        let mut sources = self.fields.iter().filter_map(|field| field.source.as_ref());
        self.form == Form::Wire && (sources.any(is_header) || !self.applies.is_empty())
    }

    /// Describes the binding of every field, in the order of the program.
    pub fn describe(&self) -> Vec<Description> {
        let describe = |(number, field): (usize, &BoundField)| Description {
            field: field.name.clone(),
            source: match &self.form {
                Form::Wire => field.source.as_ref().map(ToString::to_string),
                Form::Record { .. } => Some(format!("word {number} of the record")),
            },
            result: self.results.iter().find(|result| result.field == number).map(|result| result.target.to_string()),
        };
        self.fields.iter().enumerate().map(describe).collect()
    }

    /// Reads the fields of a packet into the first elements of `values`. Returns false if the program does not apply to
    /// this packet, because it lacks a header that a field or result needs, or fails a test of the binding file; then
    /// `values` is not meaningful.
    #[inline]
    pub fn load(&self, packet: &Packet, port: u16, values: &mut [u64]) -> bool {
        match &self.form {
            Form::Wire => self.load_headers(packet, port, values),
            Form::Record { masks } => Self::load_record(masks, packet, values),
        }
    }

    fn load_headers(&self, packet: &Packet, port: u16, values: &mut [u64]) -> bool {
        let (layers, mut copy) = Layers::of_all(packet);
        let wanted = self.wanted(&layers).min(packet.len());
        if copy.as_ref().unwrap_or(packet).head.len() < wanted {
            copy.get_or_insert_with(|| packet.clone()).lengthen_head(wanted);
        }
        let packet = copy.as_ref().unwrap_or(packet);
        let view = View { packet, head: packet.head.bytes(), layers, port };
        if !self.applies.iter().all(|test| test.holds(&view)) {
            return false;
        }
        for (value, field) in values.iter_mut().zip(&self.fields) {
            *value = match &field.source {
                None => 0,
                Some(source) => match source.load(&view) {
                    Some(loaded) => loaded & field.mask,
                    None => return false,
                },
            };
        }
        self.results.iter().all(|result| result.target.is_there(&view))
    }

    /// Returns the number of bytes from the front of a packet in which everything lies that the program reads or writes.
    #[inline]
    fn wanted(&self, layers: &Layers) -> usize {
        let last = layers.payload.or(layers.transport).unwrap_or(layers.network_start);
        last + self.depth
    }

    fn load_record(masks: &[u32], packet: &Packet, values: &mut [u64]) -> bool {
        let (words, _) = packet.head.bytes().as_chunks();
        let Some(words) = words.get(..masks.len()) else { return false };
        for ((value, word), mask) in values.iter_mut().zip(words).zip(masks) {
            *value = u64::from(u32::from_be_bytes(*word) & mask);
        }
        true
    }

    /// Writes the final values of the fields to the parts of the packet that they are bound to, and returns the
    /// program's decision about the packet.
    #[inline]
    pub fn store(&self, values: &[u64], packet: &mut Packet) -> Departure {
        if let Form::Record { .. } = self.form {
            self.store_record(values, packet);
        }
        if self.results.is_empty() { Departure::default() } else { self.store_results(values, packet) }
    }

    fn store_record(&self, values: &[u64], packet: &mut Packet) {
        let (words, _) = packet.head.bytes_mut().as_chunks_mut();
        for (word, &value) in words.iter_mut().zip(&values[..self.fields.len().min(values.len())]) {
            *word = (value as u32).to_be_bytes();
        }
    }

    fn store_results(&self, values: &[u64], packet: &mut Packet) -> Departure {
        let mut departure = Departure::default();
        // Results do not move headers, so the layers are located once, and only if a header is written.
        let mut layers = None;
        for result in &self.results {
            let Some(&value) = values.get(result.field) else { continue };
            match &result.target {
                Target::Port => departure.port = Some(value as u16),
                Target::Drop => departure.drop |= value != 0,
                Target::Header(place) => {
                    let layers = *layers.get_or_insert_with(|| {
                        let layers = Layers::reach(packet);
                        packet.lengthen_head(self.wanted(&layers));
                        layers
                    });
                    result::write(packet.head.bytes_mut(), &layers, place, value);
                }
            }
        }
        departure
    }
}
