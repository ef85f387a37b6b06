//! What waits for one controller on its stream: bounded, so that a controller that reads nothing costs nothing.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use prost::Message;
use tokio_stream::Stream;
use tonic::Status;

use super::target::lock;
use crate::message::p4::v1::StreamMessageResponse;
use crate::message::p4::v1::stream_message_response::Update;

/// The most messages that wait, beside notices of arbitration.
const MOST_MESSAGES: usize = 4096;
/// The most bytes of them.
const MOST_BYTES: usize = 8 << 20;
/// The most notices of arbitration that wait. Of more than these the oldest are left out, since the last one says who is
/// primary now.
const MOST_NOTICES: usize = 64;

/// The end of the queue at the server. Clones put messages into the same queue.
#[derive(Clone)]
pub struct Outgoing(Arc<Mutex<Queue>>);

/// The end of the queue from which tonic takes messages for the controller.
pub struct Incoming(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<StreamMessageResponse>,
    messages: usize,
    bytes: usize,
    notices: usize,
    /// How the stream ends, once everything that waits is sent.
    end: Option<Result<(), Status>>,
    /// Whether the controller has gone.
    is_gone: bool,
    waker: Option<Waker>,
}

fn is_notice(message: &StreamMessageResponse) -> bool {
    matches!(message.update, Some(Update::Arbitration(_)))
}

/// Returns the two ends of a queue.
pub fn queue() -> (Outgoing, Incoming) {
    let queue = Arc::new(Mutex::new(Queue::default()));
    (Outgoing(Arc::clone(&queue)), Incoming(queue))
}

impl Outgoing {
    /// Puts a message into the queue. Returns false if there is no room or the controller has gone.
    pub fn send(&self, update: Update) -> bool {
        let message = StreamMessageResponse { update: Some(update) };
        let mut queue = lock(&self.0);
        if queue.end.is_some() || queue.is_gone {
            return false;
        }
        if is_notice(&message) {
            if queue.notices == MOST_NOTICES
                && let Some(oldest) = queue.waiting.iter().position(is_notice)
            {
                queue.waiting.remove(oldest);
                queue.notices -= 1;
            }
            queue.notices += 1;
        } else {
            let bytes = message.encoded_len();
            if queue.messages == MOST_MESSAGES || queue.bytes + bytes > MOST_BYTES {
                return false;
            }
            queue.messages += 1;
            queue.bytes += bytes;
        }
        queue.waiting.push_back(message);
        wake(queue);
        true
    }

    /// Ends the stream when everything that waits has been sent.
    pub fn end(&self, how: Result<(), Status>) {
        let mut queue = lock(&self.0);
        queue.end.get_or_insert(how);
        wake(queue);
    }
}

impl Queue {
    /// Takes the message that waits longest.
    fn take(&mut self) -> Option<StreamMessageResponse> {
        let message = self.waiting.pop_front()?;
        if is_notice(&message) {
            self.notices -= 1;
        } else {
            self.messages -= 1;
            self.bytes -= message.encoded_len();
        }
        Some(message)
    }
}

impl Incoming {
    /// Takes the message that waits longest, if one does, for who does not wait for more.
    pub fn take(&self) -> Option<StreamMessageResponse> {
        lock(&self.0).take()
    }
}

fn wake(mut queue: MutexGuard<'_, Queue>) {
    let waker = queue.waker.take();
    drop(queue);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Stream for Incoming {
    type Item = Result<StreamMessageResponse, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut queue = lock(&self.0);
        if let Some(message) = queue.take() {
            return Poll::Ready(Some(Ok(message)));
        }
        match &mut queue.end {
            None => {
                queue.waker = Some(context.waker().clone());
                Poll::Pending
            }
            Some(how) => Poll::Ready(std::mem::replace(how, Ok(())).err().map(Err)),
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let mut queue = lock(&self.0);
        queue.is_gone = true;
        queue.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::p4::v1::{MasterArbitrationUpdate, PacketIn};

    fn taken(mut incoming: Incoming) -> Vec<Option<Result<StreamMessageResponse, Status>>> {
        let mut context = Context::from_waker(Waker::noop());
        let mut all = Vec::new();
        while let Poll::Ready(item) = Pin::new(&mut incoming).poll_next(&mut context) {
            let is_last = item.is_none();
            all.push(item);
            if is_last {
                break;
            }
        }
        all
    }

    fn notice(device_id: u64) -> Update {
        Update::Arbitration(MasterArbitrationUpdate { device_id, ..Default::default() })
    }

    #[test]
    fn packets_beyond_the_limit_are_lost_and_notices_are_not() {
        let (outgoing, incoming) = queue();
        let sent = (0..2 * MOST_MESSAGES).filter(|_| outgoing.send(Update::Packet(PacketIn::default()))).count();
        assert_eq!(sent, MOST_MESSAGES);
        for number in 0..3 * MOST_NOTICES as u64 {
            assert!(outgoing.send(notice(number)), "there is always room for the last notices");
        }
        outgoing.end(Ok(()));
        let all = taken(incoming);
        assert_eq!(all.len(), MOST_MESSAGES + MOST_NOTICES + 1);
        let last = all[all.len() - 2].clone().expect("a message").expect("no error");
        assert_eq!(last.update, Some(notice(3 * MOST_NOTICES as u64 - 1)));
    }

    #[test]
    fn long_messages_are_limited_by_their_bytes() {
        let (outgoing, _incoming) = queue();
        let packet = || Update::Packet(PacketIn { payload: vec![0; 1 << 20], metadata: Vec::new() });
        assert_eq!((0..20).filter(|_| outgoing.send(packet())).count(), 7, "8 MiB with what is around them");
    }

    #[test]
    fn a_stream_ends_once_with_its_status_after_what_waits() {
        let (outgoing, incoming) = queue();
        outgoing.send(notice(1));
        outgoing.end(Err(Status::not_found("gone")));
        outgoing.end(Ok(()));
        assert!(!outgoing.send(notice(2)), "nothing comes after the end");
        let all = taken(incoming);
        assert!(matches!(&all[..], [Some(Ok(_)), Some(Err(status)), None] if status.message() == "gone"));
    }

    #[test]
    fn nothing_waits_for_a_controller_that_has_gone() {
        let (outgoing, incoming) = queue();
        drop(incoming);
        assert!(!outgoing.send(notice(1)));
    }
}
