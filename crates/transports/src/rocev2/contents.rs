//! The bytes of the messages that arrive on a queue pair, if they matter.

use std::collections::BTreeMap;

use demand::Content;
use serde::{Deserialize, Serialize};

/// The bytes that have arrived of the current message and of packets after a missing one. A message has content if every
/// payload of it is there as bytes; nothing is stored of others.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Contents {
    /// The bytes of the current message so far.
    current: Vec<u8>,
    /// The payloads of packets after the first missing one, by position.
    early: BTreeMap<u64, Vec<u8>>,
}

impl Contents {
    /// Appends the payload of the packet that was expected. Of content that is longer than `most` bytes, nothing more is
    /// stored, so that it arrives as a length.
    pub fn append(&mut self, payload: &[u8], most: u64) {
        if (self.current.len() + payload.len()) as u64 <= most {
            self.current.extend_from_slice(payload);
        }
    }

    /// Keeps the payload of a packet at a position after the first missing one.
    pub fn keep(&mut self, position: u64, payload: &[u8]) {
        if !payload.is_empty() {
            self.early.insert(position, payload.to_vec());
        }
    }

    /// Appends the payloads that were kept of packets before a position, none of which is missing any more.
    pub fn take_early(&mut self, until: u64, most: u64) {
        while let Some(first) = self.early.first_entry().filter(|first| *first.key() < until) {
            let payload = first.remove();
            self.append(&payload, most);
        }
    }

    /// Returns the content of the current message, which is complete and has so many bytes. The next message begins.
    pub fn finish(&mut self, bytes: u64) -> Content {
        let content = std::mem::take(&mut self.current);
        if bytes > 0 && content.len() as u64 == bytes { Content::from(content) } else { Content::Length(bytes) }
    }
}
