//! Bytes on their way from the node's thread to whoever reads them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most bytes that wait for the reader.
const MOST_BYTES: usize = 8 << 20;

/// A queue of bytes of bounded length, from the thread of a node to whoever reads them.
pub struct ByteQueue {
    inside: Mutex<Inside>,
    has_come: Condvar,
    notify: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Inside {
    bytes: Vec<u8>,
    /// Whether nothing more will come.
    is_ended: bool,
    /// Whether nobody reads any more.
    is_abandoned: bool,
}

impl ByteQueue {
    /// Returns an empty queue; `notify` is called when there are bytes to read after there were none.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        Self { inside: Mutex::default(), has_come: Condvar::new(), notify: Box::new(notify) }
    }

    /// No code panics while it holds the lock, so that the bytes are whole even if another thread has panicked.
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends bytes if there is room for all of them. Returns whether there was.
    pub fn push(&self, bytes: &[u8]) -> bool {
        let mut inside = self.lock();
        if inside.is_abandoned || inside.bytes.len() + bytes.len() > MOST_BYTES {
            return false;
        }
        let was_empty = inside.bytes.is_empty();
        inside.bytes.extend_from_slice(bytes);
        drop(inside);
        if was_empty {
            self.has_come.notify_one();
            (self.notify)();
        }
        true
    }

    /// Appends a few bytes that end the queue, whether there is room or not.
    pub fn push_last(&self, bytes: &[u8]) {
        let mut inside = self.lock();
        if !inside.is_abandoned {
            inside.bytes.extend_from_slice(bytes);
        }
    }

    /// Says that nothing more will come.
    pub fn end(&self) {
        self.lock().is_ended = true;
        self.has_come.notify_one();
        (self.notify)();
    }

    /// Says that nobody reads any more.
    pub fn abandon(&self) {
        let mut inside = self.lock();
        inside.is_abandoned = true;
        inside.bytes = Vec::new();
    }

    /// Returns whether nobody reads any more.
    pub fn is_abandoned(&self) -> bool {
        self.lock().is_abandoned
    }

    /// Takes all bytes; `None` once the queue has ended and is empty.
    pub fn take(&self) -> Option<Vec<u8>> {
        let mut inside = self.lock();
        if inside.bytes.is_empty() && inside.is_ended {
            return None;
        }
        Some(std::mem::take(&mut inside.bytes))
    }

    /// Waits for bytes, and takes all; `None` once the queue has ended and is empty.
    pub fn wait(&self) -> Option<Vec<u8>> {
        let mut inside = self.lock();
        while inside.bytes.is_empty() && !inside.is_ended {
            inside = self.has_come.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        drop(inside);
        self.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_takes_nothing_until_it_is_read() {
        let queue = ByteQueue::new(|| {});
        let block = vec![0; MOST_BYTES / 2];
        assert!(queue.push(&block) && queue.push(&block));
        assert!(!queue.push(&[1]), "there is no room");
        assert_eq!(queue.take().map(|bytes| bytes.len()), Some(MOST_BYTES));
        assert!(queue.push(&[1]));
        queue.end();
        assert_eq!(queue.wait(), Some(vec![1]), "what came before the end is read");
        assert_eq!(queue.wait(), None);
    }
}
