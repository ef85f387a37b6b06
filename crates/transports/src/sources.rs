//! Which messages of other hosts have been seen, so that none is delivered twice.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::integer_hasher::IntegerHasher;
use crate::slots::Handle;
use serde::{Deserialize, Serialize};

type Map<K, V> = HashMap<K, V, BuildHasherDefault<IntegerHasher>>;

/// What is known of the messages of other hosts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sources {
    /// Messages on their way in, by source (high half) and number.
    open: Map<u64, Handle>,
    /// By source.
    sources: Map<u32, Source>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Source {
    /// The sender is done with every message below this number: what comes of them has been here, or was abandoned.
    floor: u32,
    /// Messages from the floor on that have arrived in full, in ascending order.
    arrived: Vec<u32>,
    /// Messages that have arrived in part.
    open: Vec<u32>,
}

fn key(source: u32, message: u32) -> u64 {
    u64::from(source) << 32 | u64::from(message)
}

impl Sources {
    /// The message, if it is on its way in.
    #[inline]
    pub fn open(&self, source: u32, message: u32) -> Option<Handle> {
        self.open.get(&key(source, message)).copied()
    }

    /// True if the message has been here in full, or was abandoned by its sender.
    pub fn is_over(&self, source: u32, message: u32) -> bool {
        self.sources
            .get(&source)
            .is_some_and(|known| message < known.floor || known.arrived.binary_search(&message).is_ok())
    }

    /// A message begins to arrive.
    pub fn begin(&mut self, source: u32, message: u32, handle: Handle) {
        self.open.insert(key(source, message), handle);
        self.sources.entry(source).or_default().open.push(message);
    }

    /// A message has arrived in full.
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

    /// The sender says that it is done with every message below `oldest`. Gives those that had arrived in part: the
    /// sender has abandoned them.
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
