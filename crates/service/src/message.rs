//! The shape of all messages: an answer or a refusal, as JSON.

use diagnostics::{Diagnostic, Diagnostics, Failure, Severity, Sources};
use live::Traffic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The requests and the answers of a kind of nodes.
pub trait Messages: 'static {
    /// A request.
    type Request: Serialize + DeserializeOwned + Send + 'static;
    /// An answer.
    type Answer: Serialize + DeserializeOwned + Send + 'static;
    /// What somebody is to do whose request is longer than a line may be, as the end of a sentence.
    const INSTEAD_OF_LONG: &'static str;
}

/// Reads a request from a line of JSON.
///
/// # Errors
/// Fails if the line is not a request; the message says why.
pub fn read_request<Q: DeserializeOwned>(line: &[u8]) -> Result<Q, Refusal> {
    serde_json::from_slice(line).map_err(|error| Refusal::new(format!("this is not a request: {error}")))
}

/// The answer to a request: what was asked for, or why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "Written<A>", bound(deserialize = "A: Deserialize<'de>"))]
pub enum Answered<A> {
    /// What was asked was done.
    Ok {
        /// The answer.
        ok: A,
    },
    /// It was not.
    Refused(Refusal),
}

/// An answer as it is read. An untagged enumeration would lose maps by number on the way, whose keys JSON writes as texts.
#[derive(Deserialize)]
struct Written<A> {
    ok: Option<A>,
    #[serde(default)]
    error: String,
    #[serde(default)]
    exit_status: u8,
    #[serde(default)]
    busy: bool,
}

impl<A> From<Written<A>> for Answered<A> {
    fn from(Written { ok, error, exit_status, busy }: Written<A>) -> Self {
        ok.map_or(Self::Refused(Refusal { error, exit_status, busy }), |ok| Self::Ok { ok })
    }
}

impl<A> From<Result<A, Refusal>> for Answered<A> {
    fn from(result: Result<A, Refusal>) -> Self {
        match result {
            Ok(ok) => Self::Ok { ok },
            Err(refusal) => Self::Refused(refusal),
        }
    }
}

/// The reason why something was not done that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The reason, as it is printed for people.
    pub error: String,
    /// The exit status of a command that fails for this reason.
    pub exit_status: u8,
    /// Whether the request was not looked at, because there are too many others: the same request may be answered later.
    #[serde(default, skip_serializing_if = "is_false")]
    pub busy: bool,
}

/// Returns true if something does not hold, and need not be written.
fn is_false(holds: &bool) -> bool {
    !holds
}

impl Refusal {
    /// Returns a refusal with exit status 2.
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), exit_status: 2, busy: false }
    }

    /// Returns a refusal of a request for which there are too many others: the same request may be answered later.
    pub fn busy(error: impl Into<String>) -> Self {
        Self { busy: true, ..Self::new(error) }
    }

    /// Returns the reason as a part of another message: without the word that the first diagnostic begins with.
    pub fn reason(&self) -> &str {
        let error = self.error.trim_end();
        error.strip_prefix("error: ").unwrap_or(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { error: failure.render(false), exit_status: failure.exit_status(), busy: false }
    }
}

impl From<Refusal> for Failure {
    /// Returns the failure that was told, which was rendered where it arose.
    fn from(refusal: Refusal) -> Self {
        match refusal.exit_status {
            3 => Self::DoesNotFit(refusal.error),
            4 => Self::StandsStill(refusal.error),
            _ => Self::BadInput { sources: Sources::new(), diagnostics: told(&refusal.error) },
        }
    }
}

/// Returns the diagnostics of a text that they were rendered to, each with its place and hint in its message.
fn told(text: &str) -> Diagnostics {
    let mut all: Vec<Diagnostic> = Vec::new();
    for part in text.trim().split("\n\n") {
        let begins = |word: &str| part.strip_prefix(word).map(Diagnostic::without_place);
        let warning = || Some(Diagnostic { severity: Severity::Warning, ..begins("warning: ")? });
        match (begins("error: ").or_else(warning), all.last_mut()) {
            (Some(diagnostic), _) => all.push(diagnostic),
            // A refusal may be a plain sentence, and a message may have empty lines.
            (None, None) => all.push(Diagnostic::without_place(part)),
            (None, Some(last)) => {
                last.message.push_str("\n\n");
                last.message.push_str(part);
            }
        }
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(all);
    diagnostics
}

/// An amount of traffic in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficRow {
    /// The number of frames; one that carries several segments counts once.
    pub frames: u64,
    /// The number of packets; each segment counts.
    pub packets: u64,
    /// The number of bytes of the frames.
    pub bytes: u64,
}

impl From<Traffic> for TrafficRow {
    fn from(Traffic { frames, packets, bytes }: Traffic) -> Self {
        Self { frames, packets, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without this, the second diagnostic was a part of the message of the first one, with an "error:" of its own in it.
    #[test]
    fn several_diagnostics_stay_several() {
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(["one is wrong", "another is wrong"].map(Diagnostic::without_place));
        diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::without_place("a third is odd").hint("look")
        });
        let refusal = Refusal::from(Failure::BadInput { sources: Sources::new(), diagnostics });
        let Failure::BadInput { diagnostics, .. } = Failure::from(refusal.clone()) else { panic!("{refusal:?}") };
        let messages: Vec<(Severity, &str)> =
            diagnostics.iter().map(|it| (it.severity, it.message.lines().next().unwrap_or(""))).collect();
        let expected = [
            (Severity::Error, "one is wrong"),
            (Severity::Error, "another is wrong"),
            (Severity::Warning, "a third is odd"),
        ];
        assert_eq!(messages, expected);
        let text = Failure::from(refusal).render(false);
        assert_eq!((text.matches("error:").count(), text.matches("warning:").count()), (2, 1), "{text}");
        assert!(text.lines().all(|line| line.trim_start() == line || !line.contains("error:")), "{text}");
    }

    #[test]
    fn a_sentence_is_a_failure_as_it_is() {
        let text = Failure::from(Refusal::new("there is no vNIC called `three`\n")).render(false);
        assert_eq!(text.trim_end(), "error: there is no vNIC called `three`");
    }
}
