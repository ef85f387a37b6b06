//! Names of stations and ports with stars: `edge-*`, `host-3`, `core-0:*`.

use std::fmt;

/// A name in which each `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// The pattern of a text.
    pub fn new(text: &str) -> Self {
        Self { text: text.trim().to_owned() }
    }

    /// True if a name is one of those.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.text.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        // The earliest place of each part leaves the most for those behind it.
        for part in parts {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }

    /// True if the port of a station is meant: `edge-0-0:3`, or `edge-0-0` for all of its ports.
    pub fn matches_port(&self, station: &str, port: u16) -> bool {
        self.matches(station) || self.matches(&format!("{station}:{port}"))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        let matches = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        assert!(matches("edge-*", "edge-0-1") && matches("*", "") && matches("*-1", "edge-0-1"));
        assert!(matches("e*-*1", "edge-0-1") && matches("host-3", "host-3") && matches("a*b*b", "a-b-b"));
        assert!(!matches("edge-*", "core-0") && !matches("host-3", "host-30") && !matches("a*b*b", "a-b"));
        assert!(Pattern::new("core-0").matches_port("core-0", 7) && Pattern::new("core-0:7").matches_port("core-0", 7));
        assert!(!Pattern::new("core-0:7").matches_port("core-0", 77));
    }
}
