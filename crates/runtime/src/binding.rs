//! How a program's fields bind to packets: where a field's value comes from, and what becomes of it.
//!
//! A field takes its value from the packet by its name, if it has one of the usual names ([`default_source`]), or
//! from where a small TOML file beside the program says; else it is 0 on arrival. Names are resolved once; a packet
//! costs one pass over its headers and one read a field.

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

use crate::arithmetic::truncate;

/// What a program wants done with a packet when it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departure {
    /// The port to leave on; `None` is the port it came in on.
    pub port: Option<u16>,
    /// It goes no further.
    pub drop: bool,
}

/// A field of a program, as far as a binding knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its width in bits, 1 to 64.
    pub width: u32,
}

/// How the fields of one program bind to packets.
///
/// Values are raw bits, by field in the order of the program, whose fields are its first variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    fields: Vec<BoundField>,
    /// All of these hold for a packet that the program applies to.
    applies: Vec<Test>,
    /// What becomes of fields on the way out.
    results: Vec<BoundResult>,
    form: Form,
}

/// What the packets are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Headers.
    Wire,
    /// Values of fields.
    Record,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BoundField {
    name: String,
    width: u32,
    /// `None` is 0 on arrival.
    source: Option<Source>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BoundResult {
    field: usize,
    target: Target,
}

/// A field's binding in words, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The field.
    pub field: String,
    /// Where its value comes from, as a binding file says it; `None` is 0 on arrival.
    pub source: Option<String>,
    /// What becomes of it on the way out, as a binding file says it.
    pub result: Option<String>,
}

impl Binding {
    /// Fields as a record: big-endian 32-bit words at the front of the head, one a field, in order. The format of
    /// packets that were made from field values and stand for no protocol.
    pub fn record(widths: Vec<u32>) -> Self {
        let field = |(number, width)| BoundField { name: format!("field {number}"), width, source: None };
        let fields = widths.into_iter().enumerate().map(field).collect();
        Self { fields, applies: Vec::new(), results: Vec::new(), form: Form::Record }
    }

    /// Fields by name, and as `file` says: a text of the sources, in the TOML of `docs/binding.md`.
    ///
    /// # Errors
    /// What is wrong with the file, each finding with its place.
    pub fn resolve(fields: &[FieldShape<'_>], file: Option<(&Sources, SourceId)>) -> Result<Self, Diagnostics> {
        let bound = |field: &FieldShape<'_>| BoundField {
            name: field.name.to_owned(),
            width: field.width,
            source: default_source(field.name),
        };
        let fields = fields.iter().map(bound).collect();
        let mut binding = Self { fields, applies: Vec::new(), results: Vec::new(), form: Form::Wire };
        let mut found = Diagnostics::new();
        if let Some((sources, id)) = file {
            field_file::read(sources.text(id), id, &mut binding, &mut found);
        }
        found.into_result(binding)
    }

    /// The same program on records: its fields are read and written as [`Binding::record`] says, and those results
    /// still count that do not write into headers.
    pub fn for_records(&self) -> Self {
        let mut results = self.results.clone();
        results.retain(|result| matches!(result.target, Target::Port | Target::Drop));
        Self { fields: self.fields.clone(), applies: Vec::new(), results, form: Form::Record }
    }

    /// The fields, in the order of the program.
    pub fn fields(&self) -> impl Iterator<Item = FieldShape<'_>> {
        self.fields.iter().map(|field| FieldShape { name: &field.name, width: field.width })
    }

    /// True if packets must have headers for the program to mean anything on them: a field or a test reads one.
    pub fn reads_headers(&self) -> bool {
        let is_header =
            |source: &Source| !matches!(source, Source::Constant(_) | Source::Arrival | Source::Length | Source::Port);
        let mut sources = self.fields.iter().filter_map(|field| field.source.as_ref());
        self.form == Form::Wire && (sources.any(is_header) || !self.applies.is_empty())
    }

    /// Every field's binding in words, in the order of the program.
    pub fn describe(&self) -> Vec<Description> {
        let describe = |(number, field): (usize, &BoundField)| Description {
            field: field.name.clone(),
            source: match self.form {
                Form::Wire => field.source.as_ref().map(ToString::to_string),
                Form::Record => Some(format!("word {number} of the record")),
            },
            result: self.results.iter().find(|result| result.field == number).map(|result| result.target.to_string()),
        };
        self.fields.iter().enumerate().map(describe).collect()
    }

    /// Reads the fields of a packet into the first places of `values`. False if the program does not apply to
    /// this packet, for a header that a field or result needs is not there, or a test of the binding file fails;
    /// then `values` is not meaningful.
    pub fn load(&self, packet: &Packet, port: u16, values: &mut [u64]) -> bool {
        if self.form == Form::Record {
            return self.load_record(packet, values);
        }
        let view = View { packet, head: packet.head.bytes(), layers: Layers::of(packet), port };
        if !self.applies.iter().all(|test| test.holds(&view)) {
            return false;
        }
        for (value, field) in values.iter_mut().zip(&self.fields) {
            *value = match &field.source {
                None => 0,
                Some(source) => match source.load(&view) {
                    Some(loaded) => truncate(loaded, field.width),
                    None => return false,
                },
            };
        }
        self.results.iter().all(|result| result.target.is_there(&view))
    }

    fn load_record(&self, packet: &Packet, values: &mut [u64]) -> bool {
        let words = packet.head.bytes().chunks_exact(4);
        if words.len() < self.fields.len() {
            return false;
        }
        for ((value, word), field) in values.iter_mut().zip(words).zip(&self.fields) {
            let word = u32::from_be_bytes([word[0], word[1], word[2], word[3]]);
            *value = truncate(u64::from(word), field.width);
        }
        true
    }

    /// Writes the final values of the fields back into a packet, where they are bound to something on the way
    /// out, and says what becomes of it.
    pub fn store(&self, values: &[u64], packet: &mut Packet) -> Departure {
        let mut departure = Departure::default();
        if self.form == Form::Record {
            let words = packet.head.bytes_mut().chunks_exact_mut(4);
            for ((word, &value), _) in words.zip(values).zip(&self.fields) {
                word.copy_from_slice(&(value as u32).to_be_bytes());
            }
        }
        // Headers do not move between two results, so they are looked for once, and only if one is written.
        let mut layers = None;
        for result in &self.results {
            let Some(&value) = values.get(result.field) else { continue };
            match &result.target {
                Target::Port => departure.port = Some(value as u16),
                Target::Drop => departure.drop |= value != 0,
                Target::Header(place) => {
                    let layers = layers.get_or_insert_with(|| Layers::of(packet));
                    result::write(packet.head.bytes_mut(), layers, place, value);
                }
            }
        }
        departure
    }
}
