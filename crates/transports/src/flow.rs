//! What hosts tell of messages.

use measure::{Kind, Numbers, Told};

/// A flow: a message from one host to another. Unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId {
    /// The IPv4 address of the host that sends it, as a number.
    pub source: u32,
    /// Its number among the messages of that host.
    pub message: u32,
}

/// What happens to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEvent {
    /// An application handed the message over.
    Started {
        /// The IPv4 address of the host to which it goes, as a number.
        destination: u32,
        /// How many bytes, headers not counted.
        bytes: u64,
    },
    /// The receiver has every byte, and has given the message to its application.
    Delivered,
    /// The sender knows that the receiver has every byte.
    Completed,
    /// The transport has given the flow up.
    Abandoned,
}

/// Something happened to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Which.
    pub flow: FlowId,
    /// What.
    pub happened: FlowEvent,
}

/// In words: the flow; what happened, and to which host it goes; its bytes.
impl Told for Flow {
    const KIND: &'static Kind = {
        static KIND: Kind = Kind::new("transports", "flow", "Something happened to a message between hosts.");
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
    fn a_flow_is_read_as_it_was_told() {
        let flow = FlowId { source: 0x0A00_0001, message: u32::MAX };
        let started = FlowEvent::Started { destination: u32::MAX - 1, bytes: u64::MAX - 2 };
        for happened in [started, FlowEvent::Delivered, FlowEvent::Completed, FlowEvent::Abandoned] {
            assert_eq!(Event::of(Flow { flow, happened }).read(), Ok(Flow { flow, happened }));
        }
    }
}
