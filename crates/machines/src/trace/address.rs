//! Recognition and formatting of values that are addresses.
//!
//! A number of 48, 32 or 128 bits is an address if its name says so: either a word in the last part of the name is
//! `addr`, `mac`, `ip` or the like, or it is a field of a header that is called `ethernet`, `ipv4`, `ipv6`, `arp` or
//! the like. The same rule applies to headers, metadata, keys and action data.

use std::net::{Ipv4Addr, Ipv6Addr};

use runtime::Bits;

/// Formats the value of a name as an address, if it is one.
pub(super) fn address(name: &str, width: u32, bits: &Bits) -> Option<String> {
    let (family, headers): (&[&str], &[&str]) = match width {
        48 => (&["mac", "addr", "address"], &["ethernet", "eth", "arp"]),
        32 => (&["ip", "ipv", "addr", "address"], &["ip", "ipv", "arp"]),
        128 => (&["ip", "ipv", "addr", "address"], &["ip", "ipv"]),
        _ => return None,
    };
    if !is_named(name, family, headers) {
        return None;
    }
    let limbs = bits.limbs();
    let low = bits.low();
    Some(match width {
        48 => low.to_be_bytes()[2..].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":"),
        32 => Ipv4Addr::from(low as u32).to_string(),
        _ => {
            let high = limbs.get(1).copied().unwrap_or_default();
            Ipv6Addr::from(u128::from(high) << 64 | u128::from(low)).to_string()
        }
    })
}

fn is_named(name: &str, family: &[&str], headers: &[&str]) -> bool {
    let (around, last) = name.rsplit_once('.').unwrap_or(("", name));
    // Matches `nhop_dmac`, `srcAddr`, `ipAddr1`, `dst_ip`, `nhop_ipv4`; a one-letter prefix stands for source or
    // destination.
    let says = |word: &String| family.iter().any(|own| word == own || word.get(1..) == Some(*own));
    // Matches `hdr.inner_ethernet` and `hdr.ipv4`, but not `hdr.ipv4_option`.
    let is_header = |part: &str| words(part).last().is_some_and(|word| headers.contains(&word.as_str()));
    words(last).iter().any(says) || around.rsplit('.').next().is_some_and(is_header)
}

/// Splits a part of a name into words, in lower case and without digits. Words end at characters that are not
/// alphanumeric, and where an upper-case letter follows a lower-case one.
fn words(part: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in part.chars() {
        let parts = !character.is_alphanumeric() || (was_small && character.is_uppercase());
        if parts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && character.is_alphabetic()
        {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase() || character.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, width: u32, value: u64) -> Option<String> {
        address(name, width, &Bits::from_u64(value, width))
    }

    #[test]
    fn recognises_addresses_by_name_or_header() {
        for name in ["hdr.ethernet.dstAddr", "nhop_dmac", "smac", "srcMac", "hdr.inner_eth.destination", "hdr.arp.sha"]
        {
            assert_eq!(shown(name, 48, 0x103).as_deref(), Some("00:00:00:00:01:03"), "{name}");
        }
        for name in ["nhop_ipv4", "hdr.ipv4.source", "hdr.ipv4[1].dst", "ipAddr1", "meta.dst_ip", "hdr.arp.tpa", "dip"]
        {
            assert_eq!(shown(name, 32, 0x0a00_0303).as_deref(), Some("10.0.3.3"), "{name}");
        }
        assert_eq!(shown("hdr.ipv6.src", 128, 1).as_deref(), Some("::1"));
    }

    #[test]
    fn other_numbers_are_not_addresses() {
        let names = ["standard_metadata.ingress_global_timestamp", "index", "hdr.tcp.seqNo", "hdr.ipv4_option.data"];
        for name in names.into_iter().chain(["equip", "MyIngress.skip", "machine"]) {
            assert_eq!((shown(name, 48, 1), shown(name, 32, 1)), (None, None), "{name}");
        }
        assert_eq!(shown("hdr.ethernet.etherType", 16, 0x800), None);
    }
}
