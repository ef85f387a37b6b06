//! Binding files: whatever the TOML says, it is refused with a reason or binds; then packets of any bytes are read and
//! written, nothing changes that no result names, and IPv4's checksum stays right or wrong as it was.

#![no_main]

use diagnostics::Sources;
use libfuzzer_sys::fuzz_target;
use runtime::binding::{Binding, FieldShape};
use wire::{Ipv4, Layers, Network, Packet};

const FIELDS: [FieldShape<'_>; 8] = [
    FieldShape { name: "a", width: 32 },
    FieldShape { name: "b", width: 1 },
    FieldShape { name: "c", width: 64 },
    FieldShape { name: "d", width: 16 },
    FieldShape { name: "sport", width: 32 },
    FieldShape { name: "ttl", width: 8 },
    FieldShape { name: "rdata", width: 32 },
    FieldShape { name: "next hop", width: 32 },
];

fn checksum_is_right(packet: &Packet, layers: &Layers) -> Option<bool> {
    let bytes = packet.head.bytes().get(layers.network_start..)?;
    if layers.network == Network::Ipv4 { Ipv4::new(bytes)?.is_checksum_right() } else { None }
}

/// A binding's description, written into a file, is the same binding.
fn says_itself(binding: &Binding) {
    let (mut fields, mut results) = ("[fields]\n".to_owned(), "[results]\n".to_owned());
    for said in binding.describe() {
        let field = &said.field;
        match said.source {
            Some(source) if source.starts_with(|first: char| first.is_ascii_digit()) => {
                fields += &format!("{field:?} = {source}\n");
            }
            Some(source) => fields += &format!("{field:?} = {}\n", quoted(&source)),
            None => {}
        }
        results += &said.result.map_or(String::new(), |result| format!("{field:?} = {}\n", quoted(&result)));
    }
    let text = fields + &results;
    let mut sources = Sources::new();
    let id = sources.add("said.toml", text.as_str());
    let again = Binding::resolve(&FIELDS, Some((&sources, id)));
    let again = again.unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    assert_eq!(again.describe(), binding.describe(), "{text}");
}

/// A TOML string: a path may hold white space of any kind around its numbers.
fn quoted(text: &str) -> String {
    let escaped = |c: char| if c.is_ascii_graphic() { c.to_string() } else { format!("\\U{:08X}", u32::from(c)) };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

fuzz_target!(|data: &[u8]| {
    let (text, bytes) = fuzz::parts(data);
    let mut sources = Sources::new();
    let id = sources.add("fuzz.toml", String::from_utf8_lossy(text).into_owned());
    // Only what there is by name; a field that a file unbinds or binds elsewhere makes other packets apply.
    let binding = match Binding::resolve(&FIELDS, Some((&sources, id))) {
        Err(found) => {
            assert!(found.has_errors(), "refused without a reason");
            found.render(&sources, true);
            return;
        }
        Ok(binding) => binding,
    };
    let packet = Packet::of_bytes(bytes);
    let mut values = [0; FIELDS.len()];
    if binding.load(&packet, 3, &mut values) {
        for (value, field) in values.iter().zip(&FIELDS) {
            assert!(field.width == 64 || value >> field.width == 0, "{value:#x} in `{}`", field.name);
        }
        let layers = Layers::of(&packet);
        for change in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
            let mut changed = packet.clone();
            binding.store(&values.map(|value| value ^ change), &mut changed);
            assert_eq!(changed.head.len(), packet.head.len());
            let after = Layers::of(&changed);
            // A result that changes the header's length or version makes another header of it.
            if (after.network_start, after.transport) == (layers.network_start, layers.transport) {
                let (before, after) = (checksum_is_right(&packet, &layers), checksum_is_right(&changed, &after));
                if before == Some(true) && after.is_some() {
                    assert_eq!(after, before, "{:?}", binding.describe());
                }
            }
        }
    }
    says_itself(&binding);
    let records = binding.for_records();
    if records.load(&packet, 3, &mut values) {
        let mut stored = packet.clone();
        records.store(&values, &mut stored);
        let mut again = [0; FIELDS.len()];
        assert!(records.load(&stored, 3, &mut again));
        assert_eq!(values, again);
    }
});
