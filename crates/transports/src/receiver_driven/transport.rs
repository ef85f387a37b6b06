//! The implementation of the transport contract for endpoints.

/// Implements [`Endpoint`](crate::Endpoint) and [`Transport`](crate::Transport) for both ends of a protocol. It is not a generic implementation,
/// because that would be compiled in the crates that create hosts, apart from everything that it calls, and this code
/// is hot.
macro_rules! transport {
    ($endpoint:ty, $rules:ty) => {
        const _: () = {
            use basis::Instant;
            use demand::Message;
            use node::{Counter, MessageProgress, Reason, SenderState, UnfinishedWork};
            use wire::Packet;

            use $crate::receiver_driven::{Half, Protocol, Receiver, read};
            use $crate::{Endpoint, Notice, Refusal, Transport};

            impl Endpoint<Vec<Notice>> for $endpoint {
                fn receive(
                    &mut self,
                    now: Instant,
                    packet: Packet,
                    notices: &mut Vec<Notice>,
                ) -> Result<(), (Packet, Reason)> {
                    let Self { parameters, sender, receiver, counters, .. } = self;
                    let result = read(&packet).and_then(|received| {
                        if received.is_returned {
                            return sender.returned(&received, counters);
                        }
                        match <$rules as Protocol>::recipient(&received.header, counters)? {
                            Half::Sender => sender.answered(now, &received, parameters, counters, notices),
                            Half::Receiver => receiver.receive(now, &received, parameters, counters, notices),
                        }
                    });
                    result.map_err(|reason| (packet, reason))
                }

                fn wake(&mut self, now: Instant, notices: &mut Vec<Notice>) {
                    self.sender.wake(now, &self.parameters, &mut self.counters, notices);
                }

                fn transmit(&mut self, now: Instant) -> Option<Packet> {
                    let Self { address, parameters, sender, receiver, counters } = self;
                    receiver
                        .transmit(now, *address, parameters, counters)
                        .or_else(|| sender.transmit(now, *address, parameters, counters))
                }

                fn is_ready(&self, at: Instant) -> bool {
                    let is_due = |next: Instant| next <= at;
                    self.receiver.is_ready() || self.sender.is_ready() || self.receiver.next_paced().is_some_and(is_due)
                }

                fn deadline(&self) -> Option<Instant> {
                    self.sender.deadline().into_iter().chain(self.receiver.next_paced()).min()
                }

                fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
                    self.sender.waiting(&self.parameters)
                }

                fn counters(&self, tell: &mut dyn FnMut(Counter)) {
                    self.counters.tell(tell);
                }
            }

            impl Transport for $endpoint {
                fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)> {
                    self.sender.submit(now, Refusal::unless_length_for_one(message)?, &self.parameters);
                    Ok(())
                }

                fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
                    self.receiver.progress(tell);
                }

                fn senders(&self, _now: Instant, tell: &mut dyn FnMut(SenderState)) {
                    self.sender.states(tell);
                }
            }
        };
    };
}
pub(crate) use transport;
