//! Messages that a host's transport does not carry. The application is told that they were abandoned, and the report on
//! unfinished messages states the reason.

use basis::Instant;
use demand::Message;
use node::UnfinishedWork;
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::transport::description;

/// The messages of a host that its transport has refused. Most hosts have none, and need only a pointer for that.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Refused(Option<Box<List>>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    /// The refused messages that the application has not been told of, each with the time of its refusal. The
    /// application is told when the host is next woken rather than at once, because it may respond by asking for
    /// another message.
    untold: Vec<(Instant, Message)>,
    /// Descriptions of all refused messages, each with its reason.
    reasons: Vec<(String, Refusal)>,
}

impl Refused {
    pub fn push(&mut self, now: Instant, message: Message, why: Refusal) {
        let list = self.0.get_or_insert_default();
        list.reasons.push((description(&message), why));
        list.untold.push((now, message));
    }

    /// Returns the time at which the application must be told of a refused message, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.as_ref()?.untold.first().map(|&(at, _)| at)
    }

    /// Removes and returns the messages that the application is to be told of now.
    pub fn take(&mut self) -> impl Iterator<Item = Message> {
        self.0.iter_mut().flat_map(|list| list.untold.drain(..)).map(|(_, message)| message)
    }

    /// Returns descriptions of the refused messages and their reasons, for people.
    pub fn waiting(&self) -> impl Iterator<Item = UnfinishedWork> {
        let reasons = self.0.iter().flat_map(|list| &list.reasons);
        reasons.map(|(what, why)| UnfinishedWork { what: what.clone(), why: why.to_string() })
    }
}
