//! Events of vNICs as lines of JSON, for those who listen.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use service::ByteQueue;
use service::socket::Stream;
use vswitch::configuration::Configuration;
use vswitch::{Event, PathChange};

/// The most that listen at once.
const MOST: usize = 64;

/// An event of a vNIC, as a line of JSON has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// The time at which it was told, in seconds since 1970.
    pub time: f64,
    /// The name of the vNIC; empty if it is about a path of the underlay.
    pub vnic: String,
    /// The interface of the path of the underlay, if it is about one.
    pub interface: Option<String>,
    /// What has happened.
    pub event: String,
    /// How often it has happened since it was told last.
    pub count: u64,
}

fn seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
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
            self.push(EventRow {
                time: seconds(),
                vnic: vnic.name.clone(),
                interface: None,
                event: event.kind.name().to_owned(),
                count: event.count,
            });
        }
    }

    /// Tells those who listen to the events of all which paths of the underlay have become alive or dead.
    pub fn tell_paths(&mut self, configuration: &Configuration, changes: impl Iterator<Item = PathChange>) {
        for change in changes {
            let paths = configuration.underlay.as_ref().map(|underlay| &underlay.paths);
            let Some(path) = paths.and_then(|paths| paths.get(change.path)) else { continue };
            let event = if change.is_alive { "path of the underlay alive" } else { "path of the underlay dead" };
            self.push(EventRow {
                time: seconds(),
                vnic: String::new(),
                interface: Some(path.interface.clone()),
                event: event.to_owned(),
                count: 1,
            });
        }
    }

    /// Passes an event on to those whom it concerns: the tenant of its vNIC, and those who listen to all.
    fn push(&self, row: EventRow) {
        let Ok(mut line) = serde_json::to_vec(&row) else { return };
        line.push(b'\n');
        for subscriber in &self.0 {
            if subscriber.vnic.as_ref().is_none_or(|name| *name == row.vnic) {
                // Who does not read loses events.
                subscriber.queue.push(&line);
            }
        }
    }

    /// Ends all of them.
    pub fn end(&mut self) {
        self.0.drain(..).for_each(|subscriber| subscriber.queue.end());
    }
}
