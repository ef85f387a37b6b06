//! Events of vNICs as lines of JSON, for those who listen.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use service::ByteQueue;
use service::socket::Stream;
use vswitch::Event;
use vswitch::configuration::Configuration;

/// The most that listen at once.
const MOST: usize = 64;

/// An event of a vNIC, as a line of JSON has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// The time at which it was told, in seconds since 1970.
    pub time: f64,
    /// The name of the vNIC.
    pub vnic: String,
    /// What has happened.
    pub event: String,
    /// How often it has happened since it was told last.
    pub count: u64,
}

/// Those who listen to events.
#[derive(Default)]
pub(crate) struct Subscribers(Vec<Subscriber>);

struct Subscriber {
    /// The vNIC of whose events it is told, and of no other's; `None` for those of all.
    vnic: Option<String>,
    queue: Arc<ByteQueue>,
}

/// Events that somebody listens to. They end when this is dropped, or when the switch ends.
pub(crate) struct EventStream(pub Arc<ByteQueue>);

impl Stream for EventStream {
    fn take(&self) -> Option<Vec<u8>> {
        self.0.take()
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

impl Subscribers {
    /// Adds somebody who listens. Returns false if there are too many.
    pub fn add(&mut self, vnic: Option<String>, queue: Arc<ByteQueue>) -> bool {
        self.0.retain(|other| !other.queue.is_abandoned());
        let has_room = self.0.len() < MOST;
        if has_room {
            self.0.push(Subscriber { vnic, queue });
        }
        has_room
    }

    /// Tells events of vNICs at positions of a configuration.
    pub fn tell(&mut self, configuration: &Configuration, events: impl Iterator<Item = Event>) {
        for event in events {
            let Some(vnic) = configuration.vnics.get(event.vnic as usize).filter(|vnic| !vnic.is_vacant()) else {
                continue;
            };
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
            let row =
                EventRow { time, vnic: vnic.name.clone(), event: event.kind.name().to_owned(), count: event.count };
            let Ok(mut line) = serde_json::to_vec(&row) else { continue };
            line.push(b'\n');
            for subscriber in &self.0 {
                if subscriber.vnic.as_ref().is_none_or(|name| *name == vnic.name) {
                    // Who does not read loses events.
                    subscriber.queue.push(&line);
                }
            }
        }
    }

    /// Ends all of them.
    pub fn end(&mut self) {
        self.0.drain(..).for_each(|subscriber| subscriber.queue.end());
    }
}
