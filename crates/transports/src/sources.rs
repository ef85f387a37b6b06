//! The messages of other hosts that have been seen, so that none is delivered twice.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::integer_hasher::IntegerHasher;
use crate::slots::Handle;
use serde::{Deserialize, Serialize};

type Map<K, V> = HashMap<K, V, BuildHasherDefault<IntegerHasher>>;

/// The receiver's record of the messages of other hosts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sources {
    /// The messages that are arriving, by source (high half) and number.
    open: Map<u64, Handle>,
    /// The record of each source.
    sources: Map<u32, Source>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Source {
    /// The sender has finished all messages below this number: they have arrived in full or were abandoned.
    floor: u32,
    /// The messages from the floor on that have arrived in full, in ascending order.
    arrived: Vec<u32>,
    /// The messages that have arrived in part.
    open: Vec<u32>,
}

fn key(source: u32, message: u32) -> u64 {
    u64::from(source) << 32 | u64::from(message)
}

impl Sources {
    /// Returns the handle of the message, if it is arriving.
    #[inline]
    pub fn open(&self, source: u32, message: u32) -> Option<Handle> {
        self.open.get(&key(source, message)).copied()
    }

    /// Returns true if the message has arrived in full or was abandoned by its sender.
    pub fn is_over(&self, source: u32, message: u32) -> bool {
        self.sources
            .get(&source)
            .is_some_and(|known| message < known.floor || known.arrived.binary_search(&message).is_ok())
    }

    /// Records that a message begins to arrive.
    pub fn begin(&mut self, source: u32, message: u32, handle: Handle) {
        self.open.insert(key(source, message), handle);
        self.sources.entry(source).or_default().open.push(message);
    }

    /// Records that a message has arrived in full.
    pub fn complete(&mut self, source: u32, message: u32) {
        self.open.remove(&key(source, message));
        let known = self.sources.entry(source).or_default();
        known.open.retain(|&open| open != message);
        if message >= known.floor
            && let Err(place) = known.arrived.binary_search(&message)
        {
            known.arrived.insert(place, message);
        }
    }

    /// Records that the sender has finished all messages below `oldest`. Returns those of them that had arrived only in
    /// part, which the sender has abandoned.
    pub fn raise_floor(&mut self, source: u32, oldest: u32) -> Vec<Handle> {
        let known = self.sources.entry(source).or_default();
        if oldest <= known.floor {
            return Vec::new();
        }
        known.floor = oldest;
        let below = known.arrived.partition_point(|&message| message < oldest);
        known.arrived.drain(..below);
        let mut abandoned = Vec::new();
        known.open.retain(|&message| {
            if message < oldest {
                abandoned.extend(self.open.remove(&key(source, message)));
            }
            message >= oldest
        });
        abandoned
    }
}
