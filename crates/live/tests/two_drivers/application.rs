//! An application that sends queues of messages, those of each queue one after the other, and writes down what arrives.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};

use basis::Instant;
use demand::{Application, Arrived, Content, Message, Wanted};

/// The messages that have arrived from each host, in order.
pub type Log = Arc<Mutex<BTreeMap<u32, Vec<Received>>>>;

/// A message that has arrived.
#[derive(Clone, PartialEq)]
pub struct Received(Content);

/// Says little enough to be read.
impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Length(length) => write!(f, "{length} bytes"),
            Content::Bytes(bytes) => write!(f, "{} bytes from {:02x?}", bytes.len(), &bytes[..bytes.len().min(4)]),
        }
    }
}

pub struct Sender {
    /// The messages that are still to be sent, by their tag.
    queues: BTreeMap<u32, VecDeque<Wanted>>,
    has_begun: bool,
    log: Log,
}

impl Sender {
    /// Returns an application that sends these messages, of which those with the same tag are a queue, and where it
    /// writes what arrives.
    pub fn new(messages: impl IntoIterator<Item = Wanted>) -> (Self, Log) {
        let (mut queues, log) = (BTreeMap::<u32, VecDeque<Wanted>>::new(), Log::default());
        for wanted in messages {
            queues.entry(wanted.tag).or_default().push_back(wanted);
        }
        (Self { queues, has_begun: false, log: Arc::clone(&log) }, log)
    }
}

impl Application for Sender {
    fn deadline(&self) -> Option<Instant> {
        (!self.has_begun).then_some(Instant::ZERO)
    }

    fn wake(&mut self, _: Instant, wanted: &mut Vec<Wanted>) {
        self.has_begun = true;
        wanted.extend(self.queues.values_mut().filter_map(VecDeque::pop_front));
    }

    fn arrived(&mut self, _: Instant, message: Arrived, _: &mut Vec<Wanted>) {
        self.log.lock().expect("nobody panics").entry(message.source).or_default().push(Received(message.content));
    }

    fn finished(&mut self, _: Instant, message: Message, wanted: &mut Vec<Wanted>) {
        wanted.extend(self.queues.get_mut(&message.tag).and_then(VecDeque::pop_front));
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.queues.values().map(|queue| queue.len() as u64).sum())
    }
}

basis::snapshot!(Sender { values has_begun; });
