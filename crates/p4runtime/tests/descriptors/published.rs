//! The published descriptors, as protoc has written them into the Python wheels.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use prost::Message;

use crate::facts::{Facts, Field, Label};

/// The wheels with the modules whose descriptors are wanted. `pip download --no-deps` finds them by name and version.
const WHEELS: [(&str, &str); 3] = [
    (
        "p4runtime-1.6.0",
        "p4/v1/p4runtime_pb2.py,p4/v1/p4data_pb2.py,p4/config/v1/p4info_pb2.py,p4/config/v1/p4types_pb2.py",
    ),
    ("googleapis_common_protos-1.56.4", "google/rpc/status_pb2.py,google/rpc/code_pb2.py"),
    ("protobuf-3.20.3", "google/protobuf/any_pb2.py"),
];

/// Returns the facts of all wheels.
///
/// # Errors
/// Returns what is missing: a wheel, or Python.
pub fn facts() -> Result<Facts, String> {
    let folder = std::env::var_os("P4RUNTIME_WHEELS").map_or_else(
        || Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("")).join("wheels"),
        PathBuf::from,
    );
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/descriptors/descriptors.py"));
    for (wheel, modules) in WHEELS {
        let path = find(&folder, wheel).ok_or_else(|| format!("no {wheel} in {}", folder.display()))?;
        command.arg(format!("{},{modules}", path.display()));
    }
    let output = command.output().map_err(|error| format!("python3: {error}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("hexadecimal digits");
    let mut facts = Facts::default();
    for line in text.lines() {
        let file = File::decode(&*bytes(line)).expect("a descriptor of a file");
        for message in &file.messages {
            add_message(&file.package, message, &mut facts);
        }
        file.enumerations.iter().for_each(|own| add_enumeration(&file.package, own, &mut facts));
    }
    Ok(facts)
}

fn find(folder: &Path, wheel: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with(".whl") && name.starts_with(&format!("{wheel}-"))
    })
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).expect("hexadecimal digits")).collect()
}

fn add_message(scope: &str, message: &Descriptor, facts: &mut Facts) {
    let name = format!("{scope}.{}", message.name);
    let maps: BTreeMap<String, &Descriptor> = message
        .messages
        .iter()
        .filter(|nested| nested.options.as_ref().is_some_and(|options| options.is_map_entry))
        .map(|nested| (format!(".{name}.{}", nested.name), nested))
        .collect();
    let fields = message.fields.iter().map(|field| {
        let label = match (maps.get(&field.type_name), field.label) {
            (Some(entry), _) => Label::Map(Box::new([type_of(&entry.fields[0]), type_of(&entry.fields[1])])),
            (None, 3) => Label::Repeated,
            _ => Label::Single,
        };
        let kind = if matches!(label, Label::Map(_)) { "map".to_owned() } else { type_of(field) };
        let oneof = field.oneof.map(|at| message.oneofs[at as usize].name.clone());
        (field.number, Field { name: field.name.clone(), kind, label, oneof })
    });
    facts.messages.insert(name.clone(), fields.collect());
    for nested in &message.messages {
        if !maps.contains_key(&format!(".{name}.{}", nested.name)) {
            add_message(&name, nested, facts);
        }
    }
    message.enumerations.iter().for_each(|own| add_enumeration(&name, own, facts));
}

fn add_enumeration(scope: &str, enumeration: &Enumeration, facts: &mut Facts) {
    let values = enumeration.values.iter().map(|value| (value.number, value.name.clone())).collect();
    facts.enumerations.insert(format!("{scope}.{}", enumeration.name), values);
}

/// Returns the type of a field as a word of protobuf, or the name of its message or enumeration.
fn type_of(field: &FieldDescriptor) -> String {
    match field.kind {
        11 | 14 => field.type_name.trim_start_matches('.').to_owned(),
        3 => "int64".to_owned(),
        4 => "uint64".to_owned(),
        5 => "int32".to_owned(),
        8 => "bool".to_owned(),
        9 => "string".to_owned(),
        12 => "bytes".to_owned(),
        13 => "uint32".to_owned(),
        other => panic!("type {other} of field {} is not expected", field.name),
    }
}

// What is needed of google/protobuf/descriptor.proto.

#[derive(Clone, PartialEq, Message)]
struct File {
    #[prost(string, tag = "2")]
    package: String,
    #[prost(message, repeated, tag = "4")]
    messages: Vec<Descriptor>,
    #[prost(message, repeated, tag = "5")]
    enumerations: Vec<Enumeration>,
}

#[derive(Clone, PartialEq, Message)]
struct Descriptor {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    fields: Vec<FieldDescriptor>,
    #[prost(message, repeated, tag = "3")]
    messages: Vec<Descriptor>,
    #[prost(message, repeated, tag = "4")]
    enumerations: Vec<Enumeration>,
    #[prost(message, optional, tag = "7")]
    options: Option<Options>,
    #[prost(message, repeated, tag = "8")]
    oneofs: Vec<Named>,
}

#[derive(Clone, PartialEq, Message)]
struct FieldDescriptor {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int32, tag = "3")]
    number: i32,
    #[prost(int32, tag = "4")]
    label: i32,
    #[prost(int32, tag = "5")]
    kind: i32,
    #[prost(string, tag = "6")]
    type_name: String,
    #[prost(int32, optional, tag = "9")]
    oneof: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct Options {
    #[prost(bool, tag = "7")]
    is_map_entry: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Enumeration {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    values: Vec<EnumerationValue>,
}

#[derive(Clone, PartialEq, Message)]
struct EnumerationValue {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int32, tag = "2")]
    number: i32,
}
