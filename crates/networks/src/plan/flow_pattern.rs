//! The flows that probes name: `host-3`, `host-3:12`, `host-*->host-0`.

use std::fmt;

use plans::{Pattern, Section};

use super::names::Of;

/// A pattern for flows: the pattern of their senders, which may be followed by the number of a message or by the pattern
/// of their receivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPattern {
    source: Pattern,
    /// The number of the message among those of its sender; any message if there is none.
    message: Option<u32>,
    /// The receivers; any receiver if there is none.
    destination: Option<Pattern>,
}

impl FlowPattern {
    /// Reads a pattern: `SOURCE`, `SOURCE:MESSAGE`, `SOURCE->DESTINATION` or `SOURCE:MESSAGE->DESTINATION`. Returns `None`
    /// if there is no number of a message behind the colon.
    pub fn new(text: &str) -> Option<Self> {
        let (sender, destination) = match text.split_once("->") {
            Some((sender, destination)) => (sender, Some(Pattern::new(destination))),
            None => (text, None),
        };
        let (source, message) = match sender.rsplit_once(':') {
            Some((source, message)) => (source, Some(message.trim().parse().ok()?)),
            None => (sender, None),
        };
        Some(Self { source: Pattern::new(source), message, destination })
    }

    /// Returns true if the pattern matches a message between two hosts; `destination` is `None` if no host has the
    /// address.
    pub fn matches(&self, source: &str, message: u32, destination: Option<&str>) -> bool {
        self.message.is_none_or(|number| number == message)
            && self.source.matches(source)
            && self.destination.as_ref().is_none_or(|pattern| destination.is_some_and(|name| pattern.matches(name)))
    }
}

impl fmt::Display for FlowPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)?;
        self.message.map_or(Ok(()), |message| write!(f, ":{message}"))?;
        self.destination.as_ref().map_or(Ok(()), |destination| write!(f, "->{destination}"))
    }
}

/// Reads a list of patterns for flows, whose senders and receivers must be hosts.
pub(super) fn patterns(section: &Section<'_>, name: &'static str) -> Vec<FlowPattern> {
    let texts = section.texts(name);
    let pattern = |(text, span): &(String, _)| {
        let Some(pattern) = FlowPattern::new(text) else {
            let hint = "`host-3` stands for all flows that host-3 sends, `host-3:0` for its first, `host-3->host-0` for \
                        those to host-0";
            section.error(span, format!("`{text}` has no number of a message behind its colon"), hint);
            return None;
        };
        for host in std::iter::once(&pattern.source).chain(&pattern.destination) {
            section.mentions().note(Of::Host.word(), &host.to_string(), span);
        }
        Some(pattern)
    };
    texts.iter().filter_map(pattern).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_named_by_its_sender_its_number_or_its_receiver() {
        let matches = |pattern: &str, source, message, destination| {
            FlowPattern::new(pattern).expect("a pattern").matches(source, message, destination)
        };
        assert!(matches("host-*", "host-3", 7, None) && matches("host-3:7", "host-3", 7, Some("host-0")));
        assert!(matches("*->host-0", "host-3", 7, Some("host-0")) && matches("*:7 -> host-0", "a", 7, Some("host-0")));
        assert!(!matches("host-3:7", "host-3", 8, None) && !matches("host-3:7", "host-4", 7, None));
        assert!(!matches("*->host-0", "host-3", 7, Some("host-1")) && !matches("*->*", "host-3", 7, None));
        assert_eq!(FlowPattern::new("host-3:x"), None);
        let text = "host-*:3->host-0";
        assert_eq!(FlowPattern::new(text).map(|pattern| pattern.to_string()).as_deref(), Some(text));
    }
}
