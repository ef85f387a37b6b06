//! The shape of all messages: an answer or a refusal, as JSON.

use diagnostics::Failure;
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
}

impl<A> From<Written<A>> for Answered<A> {
    fn from(Written { ok, error, exit_status }: Written<A>) -> Self {
        ok.map_or(Self::Refused(Refusal { error, exit_status }), |ok| Self::Ok { ok })
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
}

impl Refusal {
    /// Returns a refusal with exit status 2.
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), exit_status: 2 }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { error: failure.render(false), exit_status: failure.exit_status() }
    }
}

impl From<Refusal> for Failure {
    /// Returns the failure that was told, which was rendered where it arose.
    fn from(Refusal { error, exit_status }: Refusal) -> Self {
        match exit_status {
            3 => Self::DoesNotFit(error),
            4 => Self::StandsStill(error),
            _ => {
                let error = error.trim_end();
                Self::plain(error.strip_prefix("error: ").unwrap_or(error))
            }
        }
    }
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
