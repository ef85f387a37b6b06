//! The events that hosts report about messages.

use measure::{EventKind, Numbers, TypedEvent};

/// The identifier of a flow, which is a message from one host to another. It is unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId {
    /// The IPv4 address of the sender, as a number.
    pub source: u32,
    /// The message's number among those of the sender.
    pub message: u32,
}

/// The kinds of flow events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEvent {
    /// The application has handed the message to its host.
    Started {
        /// The IPv4 address of the receiver, as a number.
        destination: u32,
        /// The length of the message in bytes, without headers.
        bytes: u64,
    },
    /// The receiver has every byte, and has given the message to its application.
    Delivered,
    /// The sender knows that the receiver has every byte.
    Completed,
    /// The transport has abandoned the flow.
    Abandoned,
}

/// An event in the life of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The flow.
    pub flow: FlowId,
    /// The event.
    pub happened: FlowEvent,
}

/// The words of the event are the flow, the kind of event with the destination, and the length in bytes.
impl TypedEvent for Flow {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new(
            "transports",
            "flow",
            "A message between hosts started, arrived, completed or was abandoned.",
        );
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        let (what, destination, bytes) = match self.happened {
            FlowEvent::Started { destination, bytes } => (0, destination, bytes),
            FlowEvent::Delivered => (1, 0, 0),
            FlowEvent::Completed => (2, 0, 0),
            FlowEvent::Abandoned => (3, 0, 0),
        };
        let FlowId { source, message } = self.flow;
        Numbers { words: [pair(source, message), pair(what, destination), bytes], ..Numbers::default() }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        let [flow, happened, bytes] = numbers.words;
        let (source, message) = ((flow >> 32) as u32, flow as u32);
        let happened = match happened >> 32 {
            0 => FlowEvent::Started { destination: happened as u32, bytes },
            1 => FlowEvent::Delivered,
            2 => FlowEvent::Completed,
            _ => FlowEvent::Abandoned,
        };
        Self { flow: FlowId { source, message }, happened }
    }
}

fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use measure::Event;

    use super::*;

    #[test]
    fn a_flow_event_survives_its_encoding() {
        let flow = FlowId { source: 0x0A00_0001, message: u32::MAX };
        let started = FlowEvent::Started { destination: u32::MAX - 1, bytes: u64::MAX - 2 };
        for happened in [started, FlowEvent::Delivered, FlowEvent::Completed, FlowEvent::Abandoned] {
            assert_eq!(Event::of(Flow { flow, happened }).read(), Ok(Flow { flow, happened }));
        }
    }
}
