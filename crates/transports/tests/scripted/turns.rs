//! Traffic in which hosts 0 and 1 take turns, and send to host 2 and to each other.

use basis::Instant;
use transports::FlowEvent;

use super::{Network, Sight};

/// The time in microseconds, the source and the destination of the message with this index.
pub fn turn(index: usize) -> (u64, usize, usize) {
    let from = index % 2;
    (index as u64 * 20, from, if index % 3 == 1 { 1 - from } else { 2 })
}

impl<Seen: Sight> Network<'_, Seen> {
    /// Asserts that messages of these sizes were each delivered once, and completed within the limit for their length.
    pub fn assert_turns_delivered(&self, sizes: &[u64], limit: impl Fn(u64) -> Instant) {
        let mut numbers = [0; 3];
        for (index, &bytes) in sizes.iter().enumerate() {
            let (_, source, _) = turn(index);
            let message = numbers[source];
            numbers[source] += 1;
            let delivered = self.when(source, message, FlowEvent::Delivered);
            let completed = self.when(source, message, FlowEvent::Completed);
            assert_eq!((delivered.len(), completed.len()), (1, 1), "message {message} of host {source}");
            assert!(delivered[0] <= completed[0]);
            let limit = limit(bytes);
            assert!(completed[0] <= limit, "{} is later than {limit}", completed[0]);
        }
        let bytes: u64 = (0..3).map(|host| self.counter(host, "bytes_delivered")).sum();
        assert_eq!(bytes, sizes.iter().sum::<u64>());
    }
}
