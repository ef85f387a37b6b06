//! The names that the headers of Polyplane declare, and headers that it lacks, for hints about missing includes.

use diagnostics::did_you_mean;

/// The header of the language.
pub(super) const CORE_HEADER: &str = "core.p4";
/// The names that `core.p4` declares (P4_16 1.2.5, appendix D).
const CORE: [&str; 5] = ["packet_in", "packet_out", "NoAction", "verify", "static_assert"];

/// Headers of architectures that are not supported.
const OTHERS: [(&str, &str); 7] = [
    ("psa", "PSA"),
    ("pna", "PNA"),
    ("t3na", "Tofino 3 (T3NA)"),
    ("ubpf_model", "uBPF"),
    ("ebpf_model", "eBPF"),
    ("xdp_model", "XDP"),
    ("tc", "TC"),
];

/// Returns a hint for an undeclared name that a header declares.
pub(crate) fn include_of(name: &str) -> Option<String> {
    let of_architecture = || arch::ALL.iter().find(|own| own.declares(name)).map(|own| own.header.name);
    let of_header = || {
        arch::ALL.iter().map(|own| own.header).find(|header| header.declares.contains(&name)).map(|header| header.name)
    };
    let header = if CORE.contains(&name) { CORE_HEADER } else { of_architecture().or_else(of_header)? };
    Some(format!("`#include <{header}>` declares it"))
}

/// Returns the names of the headers that come with Polyplane.
pub(super) fn headers() -> Vec<&'static str> {
    [CORE_HEADER].into_iter().chain(arch::ALL.iter().map(|own| own.header.name)).collect()
}

/// Returns a hint for a header that does not exist.
pub(super) fn instead_of(name: &str) -> Option<String> {
    let stem = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".p4");
    let other = OTHERS.iter().find(|(other, _)| *other == stem);
    if let Some((_, architecture)) = other {
        let ours =
            arch::ALL.iter().map(|own| format!("programs for {} are: `#include <{}>`", own.name, own.header.name));
        let ours: Vec<String> = ours.collect();
        return Some(format!("{architecture} is not supported; {}", ours.join("; ")));
    }
    did_you_mean(name, headers()).map(|hint| hint.replacen('`', "`<", 1).replacen("`?", ">`?", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_declares_every_name_of_these_lists() {
        let words =
            |text: &'static str| -> Vec<&str> { text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect() };
        let core = words(include_str!("../../include/core.p4"));
        assert!(CORE.iter().all(|name| core.contains(name)));
        for own in arch::ALL {
            let externs = own.functions.iter().map(|(name, _)| name).chain(own.objects.iter().map(|(name, _)| name));
            let packages = own.packages.iter().map(|package| &package.name);
            let names = externs.chain(own.header.declares).chain(packages);
            let words: Vec<_> = own.header.files().flat_map(|(_, text)| words(text)).collect();
            let absent: Vec<_> = names.filter(|name| !words.contains(name)).collect();
            assert!(absent.is_empty(), "{absent:?}");
        }
        for header in arch::ALL.iter().map(|own| own.header) {
            let words: Vec<_> = header.files().flat_map(|(_, text)| words(text)).collect();
            let absent: Vec<_> = header.declares.iter().filter(|name| !words.contains(name)).collect();
            assert!(absent.is_empty(), "{}: {absent:?}", header.name);
        }
    }
}
