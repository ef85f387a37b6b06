//! What the headers that we bring along declare, and those that we have not: for the hints of whoever forgot one.

use diagnostics::did_you_mean;

/// What `core.p4` declares (P4_16 1.2.5, appendix D).
const CORE: [&str; 5] = ["packet_in", "packet_out", "NoAction", "verify", "static_assert"];

/// What `v1model.p4` declares.
const V1MODEL: [&str; 35] = [
    "V1Switch",
    "standard_metadata_t",
    "CounterType",
    "MeterType",
    "HashAlgorithm",
    "CloneType",
    "counter",
    "direct_counter",
    "meter",
    "direct_meter",
    "register",
    "action_profile",
    "action_selector",
    "Checksum16",
    "random",
    "digest",
    "mark_to_drop",
    "hash",
    "verify_checksum",
    "update_checksum",
    "verify_checksum_with_payload",
    "update_checksum_with_payload",
    "resubmit",
    "resubmit_preserving_field_list",
    "recirculate",
    "recirculate_preserving_field_list",
    "clone",
    "clone3",
    "clone_preserving_field_list",
    "truncate",
    "assert",
    "assume",
    "log_msg",
    "optional",
    "selector",
];

/// Architectures of others.
const OTHERS: [(&str, &str); 9] = [
    ("psa", "PSA"),
    ("pna", "PNA"),
    ("tna", "Tofino (TNA)"),
    ("t2na", "Tofino 2 (T2NA)"),
    ("tofino", "Tofino (TNA)"),
    ("ubpf_model", "uBPF"),
    ("ebpf_model", "eBPF"),
    ("xdp_model", "XDP"),
    ("tc", "TC"),
];

/// A hint for a name that is not declared, but would be if a header were included.
pub(crate) fn include_of(name: &str) -> Option<String> {
    let header = match () {
        () if CORE.contains(&name) => "core.p4",
        () if V1MODEL.contains(&name) => "v1model.p4",
        () => return None,
    };
    Some(format!("`#include <{header}>` declares it"))
}

/// A hint for a header that is not there.
pub(super) fn instead_of(name: &str) -> Option<String> {
    let stem = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".p4");
    let other = OTHERS.iter().find(|(other, _)| *other == stem);
    if let Some((_, architecture)) = other {
        return Some(format!("{architecture} is not supported; programs for v1model are: `#include <v1model.p4>`"));
    }
    did_you_mean(name, ["core.p4", "v1model.p4"]).map(|hint| hint.replacen('`', "`<", 1).replacen("`?", ">`?", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_these_lists_is_in_its_header() {
        for (names, text) in [
            (&CORE[..], include_str!("../../include/core.p4")),
            (&V1MODEL[..], include_str!("../../include/v1model.p4")),
        ] {
            let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
            let absent: Vec<_> = names.iter().filter(|name| !words.contains(name)).collect();
            assert!(absent.is_empty(), "{absent:?}");
        }
    }
}
