//! The keys of a VPC, as they stand in a file.

use std::fmt;
use std::net::IpAddr;

use diagnostics::{Failure, Sources};
use files::PlanText;
use plans::{Entries, Findings, Section, parse};
use ring::hmac;

use crate::handover::FINGERPRINT;

/// The number of bytes of the salt behind a key (RFC 4106, section 8.1).
pub const SALT: usize = 4;
/// The security parameter indexes that are anybody's (RFC 4303, section 2.1).
const INDEXES: std::ops::RangeInclusive<u64> = 256..=u32::MAX as u64;
/// The most keys of other switches.
const MOST_INBOUND: usize = 4096;

/// The most tunnel endpoints of a switch: one of each version of IP.
const MOST_PEERS: usize = 2;

/// A key, with what is agreed on about its packets. It is never shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The security parameter index.
    pub index: u32,
    /// Whether sequence numbers have 64 bits, of which packets carry the low 32 (RFC 4303, section 2.2.1).
    pub is_extended: bool,
    material: Vec<u8>,
}

/// The key of another switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboundKey {
    /// The tunnel endpoints of the one switch that sends with it: at least one. It counts its packets together, whichever they are from.
    pub peers: Vec<IpAddr>,
    /// The key.
    pub key: Key,
}

/// The keys of a VPC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keys {
    /// The key that this switch sends with.
    pub outbound: Key,
    /// The keys of other switches.
    pub inbound: Vec<InboundKey>,
    /// The first initialization vector that this switch uses, greater than all that it has used before with the same key.
    pub first: u64,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("index", &self.index)
            .field("is_extended", &self.is_extended)
            .finish_non_exhaustive()
    }
}

impl Key {
    /// A key of AES of 16 or 32 bytes with the salt of 4 bytes behind it, as RFC 4106, section 8.1, orders them. Returns `None`
    /// for other lengths.
    pub fn new(index: u32, is_extended: bool, material: &[u8]) -> Option<Self> {
        let is_key = [16, 32].contains(&material.len().checked_sub(SALT)?);
        is_key.then(|| Self { index, is_extended, material: material.to_vec() })
    }

    /// Returns true if another key has the same bytes, whatever is agreed on about the packets of each.
    pub fn has_bytes_of(&self, other: &Self) -> bool {
        self.material == other.material
    }

    /// Returns what tells the key from others: a hash with the key as its own key (RFC 2104), from which nobody finds the key.
    pub(super) fn fingerprint(&self) -> [u8; FINGERPRINT] {
        let text: &[u8] = if self.is_extended { b"key with extended numbers" } else { b"key" };
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.material), text);
        let mut fingerprint = [0; FINGERPRINT];
        fingerprint.copy_from_slice(&tag.as_ref()[..FINGERPRINT]);
        fingerprint
    }

    /// Returns the key of AES and the salt.
    pub(super) fn parts(&self) -> (&[u8], [u8; SALT]) {
        let (key, salt) = self.material.split_at(self.material.len() - SALT);
        (key, salt.try_into().unwrap_or_default())
    }
}

impl Keys {
    /// Reads the keys of a VPC from TOML, as `docs/vswitch/encryption.md` describes. `first` becomes [`Keys::first`].
    ///
    /// # Errors
    /// Fails with a diagnostic for everything that is wrong. No diagnostic shows a key.
    pub fn read(plan: &PlanText, first: u64) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let id = sources.add(&plan.path, hidden(&plan.text));
        let (table, mut found) = parse(&plan.text, id);
        let mut keys = None;
        if !found.has_errors() {
            let findings = Findings::new(id);
            keys = keys_of(&Section::root(Entries::of(&findings, "a file of keys", &table, 0..0)), first);
            found.extend(findings.end());
        }
        match (keys, found.has_errors()) {
            (Some(keys), false) => Ok(keys),
            _ => Err(Failure::BadInput { diagnostics: found.at_characters(&sources), sources }),
        }
    }
}

fn keys_of(root: &Section<'_>, first: u64) -> Option<Keys> {
    // What the sections print has keys in it, and goes nowhere.
    let mut unused = String::new();
    root.require("out", "the key that this switch sends with: [out]");
    let outbound = key(root.section("out"), &mut unused, |_| Some(()));
    let (mut inbound, mut places) = (Vec::<InboundKey>::new(), Vec::new());
    for section in root.sections("in") {
        section.require("peer", "the tunnel endpoint that sends with the key: peer = \"192.0.2.2\"");
        let place = section.span().clone();
        if let Some((key, peers)) = key(section, &mut unused, peers) {
            inbound.push(InboundKey { peers, key });
            places.push(place);
        }
    }
    if inbound.len() > MOST_INBOUND {
        root.error(
            root.span(),
            format!("there are more than {MOST_INBOUND} keys of other switches"),
            "remove old ones",
        );
    }
    let all = outbound.iter().map(|(key, ())| &key.material);
    let mut seen: Vec<&Vec<u8>> = all.collect();
    for (at, (own, place)) in inbound.iter().zip(&places).enumerate() {
        let before = inbound[..at].iter().filter(|other| other.key.index == own.key.index);
        if let Some(peer) = before.flat_map(|other| &other.peers).find(|peer| own.peers.contains(peer)) {
            let message = format!("a second key of {peer} with the index {}", own.key.index);
            root.error(place, message, "give each key of a sender an index of its own");
        }
        if seen.contains(&&own.key.material) {
            let hint = "two senders with one key would use its initialization vectors twice, which gives it away; the addresses of one \
                        sender are a list: peer = [\"192.0.2.2\", \"2001:db8::2\"]";
            root.error(place, "this key stands in the file twice", hint);
        }
        seen.push(&own.key.material);
    }
    Some(Keys { outbound: outbound?.0, inbound, first })
}

/// Reads the tunnel endpoints of a sender: one, or a list with at most one of each version of IP.
fn peers(section: &Section<'_>) -> Option<Vec<IpAddr>> {
    let texts =
        if section.is_list("peer") { section.texts("peer") } else { section.text("peer").into_iter().collect() };
    let mut peers: Vec<IpAddr> = Vec::with_capacity(MOST_PEERS);
    let mut is_whole = !texts.is_empty();
    if !is_whole && section.is_list("peer") {
        section.error(&section.span_of("peer"), "nobody sends with this key", "name the tunnel endpoint of its sender");
    }
    for (text, span) in texts {
        let wrong = match text.parse::<IpAddr>() {
            Err(_) => Some((format!("`{text}` is not an IP address"), "such as \"192.0.2.2\"")),
            Ok(address) if peers.iter().any(|other| other.is_ipv4() == address.is_ipv4()) => {
                let version = if address.is_ipv4() { "IPv4" } else { "IPv6" };
                let hint = "a switch has at most one of each version, and another switch has another key";
                Some((format!("a second address of {version}"), hint))
            }
            Ok(address) => {
                peers.push(address);
                None
            }
        };
        if let Some((message, hint)) = wrong {
            section.error(&span, message, hint);
            is_whole = false;
        }
    }
    is_whole.then_some(peers)
}

/// Reads a key, and what else its section says.
fn key<T>(section: Section<'_>, unused: &mut String, more: impl FnOnce(&Section<'_>) -> Option<T>) -> Option<(Key, T)> {
    if !section.is_given() {
        section.end(unused);
        return None;
    }
    section.require("index", "the security parameter index: index = 4097");
    section.require("key", "the key and its salt: key = \"…\", 40 or 72 hexadecimal digits");
    let index = section.optional_count("index", INDEXES);
    let is_extended = section.flag("extended", true);
    let material = section.text("key").and_then(|(text, span)| {
        let read = bytes(&text).filter(|bytes| Key::new(0, true, bytes).is_some());
        if read.is_none() {
            let hint = "a key of AES has 16 or 32 bytes, and 4 bytes of salt behind it: 40 or 72 hexadecimal digits";
            section.error(&span, "this is no key", hint);
        }
        read
    });
    let more = more(&section);
    section.end(unused);
    Some((Key::new(index? as u32, is_extended, &material?)?, more?))
}

/// Reads hexadecimal digits, perhaps behind `0x`.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    pairs.collect()
}

/// Returns a text of the same length without what could be a key: every word of more than 15 letters and digits. Diagnostics show
/// lines of it.
fn hidden(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for word in text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let length = word.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric()).len();
        if length > 15 {
            shown.extend(std::iter::repeat_n('*', length));
            shown.push_str(&word[length..]);
        } else {
            shown.push_str(word);
        }
    }
    shown
}
