//! Messages that a host's transport does not carry: the application is told that they were given up, and who asks is
//! told why.

use basis::Instant;
use demand::Message;
use node::Waiting;
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::transport::description;

/// The messages of a host that its transport has refused. Of most hosts there are none, which takes a pointer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Refused(Option<Box<List>>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    /// Messages of which the application has not been told, with when they were refused. It is told when the host is woken
    /// next, and not at once: it may ask for another then.
    untold: Vec<(Instant, Message)>,
    /// All of them in words, and why.
    reasons: Vec<(String, Refusal)>,
}

impl Refused {
    pub fn push(&mut self, now: Instant, message: Message, why: Refusal) {
        let list = self.0.get_or_insert_default();
        list.reasons.push((description(&message), why));
        list.untold.push((now, message));
    }

    /// When the application must be told of one.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.as_ref()?.untold.first().map(|&(at, _)| at)
    }

    /// Takes out the messages of which the application is to be told now.
    pub fn take(&mut self) -> impl Iterator<Item = Message> {
        self.0.iter_mut().flat_map(|list| list.untold.drain(..)).map(|(_, message)| message)
    }

    /// What people read of them.
    pub fn waiting(&self) -> impl Iterator<Item = Waiting> {
        let reasons = self.0.iter().flat_map(|list| &list.reasons);
        reasons.map(|(what, why)| Waiting { what: what.clone(), why: why.to_string() })
    }
}
