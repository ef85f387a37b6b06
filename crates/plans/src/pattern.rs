//! Patterns for the names of stations and ports: `edge-*`, `host-3`, `core-0:*`.

use std::fmt;

/// A pattern for names, in which each `*` matches any text, including none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// Returns the pattern that a text describes; white space around it does not count.
    pub fn new(text: &str) -> Self {
        Self { text: text.trim().to_owned() }
    }

    /// Returns true if the pattern matches a whole name.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.text.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        // Matching each part as early as possible leaves the most text for the parts that follow.
        for part in parts {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }

    /// Returns true if the pattern matches a port of a station: `edge-0-0:3` is one port, `edge-0-0` matches all ports
    /// of the station.
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
    fn a_star_matches_any_text() {
        let matches = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        assert!(matches("edge-*", "edge-0-1") && matches("*", "") && matches("*-1", "edge-0-1"));
        assert!(matches("e*-*1", "edge-0-1") && matches("host-3", "host-3") && matches("a*b*b", "a-b-b"));
        assert!(!matches("edge-*", "core-0") && !matches("host-3", "host-30") && !matches("a*b*b", "a-b"));
        assert!(Pattern::new("core-0").matches_port("core-0", 7) && Pattern::new("core-0:7").matches_port("core-0", 7));
        assert!(!Pattern::new("core-0:7").matches_port("core-0", 77));
    }
}
