//! The frames of reliable tunnels: within VXLAN, from gateway to gateway, with the EtherType for local experiments (IEEE 802,
//! clause 9.2.4), the version 1, and a kind.

use wire::{Ethernet, Layers, Packet, Tail};

use crate::configuration::MacAddress;
use crate::congestion::message::ETHER_TYPE;

const START: usize = Ethernet::<&[u8]>::LENGTH;
/// The number of bytes in front of a frame that has a number: Ethernet, version, kind, path, a zero, sender, sequence number.
pub const FRONT: usize = START + 12;
/// The most ranges of an acknowledgement.
pub const MOST_RANGES: usize = 8;
/// The length of the longest message, in bytes; a number and those of [`crate::congestion::message`] are shorter.
pub const LONGEST_MESSAGE: usize = START + 8 + 8 * MOST_RANGES;

const VERSION: u8 = 1;
const DATA: u8 = 2;
const ACKNOWLEDGEMENT: u8 = 3;
const QUESTION: u8 = 4;
const ANSWER: u8 = 5;

/// The number of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number of the sender, which is another one after it was started again.
    pub sender: u32,
    /// The sequence number.
    pub sequence: u32,
    /// The path that it has taken.
    pub path: u8,
}

/// What a switch says to another one about their tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Whether it knows reliable tunnels. Carries the number of the sender that asks.
    Question(u32),
    /// It does. Carries the number of the sender that has asked.
    Answer(u32),
    /// The sequence numbers of a sender that have come, as half-open ranges.
    Acknowledgement(u32, Vec<(u32, u32)>),
}

/// A frame of a reliable tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// A packet with a number.
    Data(Numbered),
    /// A message.
    Message(Message),
}

fn header(gateway: MacAddress, kind: u8, third: u8, sender: u32) -> [u8; START + 8] {
    let mut header = [0; START + 8];
    let mut ethernet = Ethernet::new(&mut header[..]).expect("long enough");
    ethernet.set_source(gateway);
    ethernet.set_destination(gateway);
    ethernet.set_ether_type(ETHER_TYPE);
    header[START..START + 4].copy_from_slice(&[VERSION, kind, third, 0]);
    header[START + 4..].copy_from_slice(&sender.to_be_bytes());
    header
}

/// Puts the number in front of a frame.
pub fn wrap(packet: &mut Packet, gateway: MacAddress, numbered: Numbered) {
    let mut front = [0; FRONT];
    front[..FRONT - 4].copy_from_slice(&header(gateway, DATA, numbered.path, numbered.sender));
    front[FRONT - 4..].copy_from_slice(&numbered.sequence.to_be_bytes());
    packet.replace_front(0, &front);
}

/// Writes another path into a frame that has a number.
pub fn set_path(packet: &mut Packet, path: u8) {
    packet.head.bytes_mut()[START + 2] = path;
}

/// Takes the number away from a frame.
pub fn unwrap(packet: &mut Packet) {
    packet.replace_front(FRONT, &[]);
}

/// Returns a message as a frame of a VPC.
pub fn make(gateway: MacAddress, message: &Message) -> Packet {
    let mut frame = match message {
        Message::Question(sender) => header(gateway, QUESTION, 0, *sender).to_vec(),
        Message::Answer(sender) => header(gateway, ANSWER, 0, *sender).to_vec(),
        Message::Acknowledgement(sender, ranges) => {
            let ranges = &ranges[..ranges.len().min(MOST_RANGES)];
            let mut frame = header(gateway, ACKNOWLEDGEMENT, ranges.len() as u8, *sender).to_vec();
            for (start, end) in ranges {
                frame.extend_from_slice(&start.to_be_bytes());
                frame.extend_from_slice(&end.to_be_bytes());
            }
            frame
        }
    };
    // What a VXLAN endpoint forwards is not shorter than a frame of Ethernet (IEEE 802.3, clause 3.2.7, without its check sequence).
    frame.resize(frame.len().max(60), 0);
    Packet::of_bytes(&frame)
}

/// Reads a frame that came out of a tunnel; `None` if it is none of a reliable one.
pub fn read(packet: &Packet, layers: &Layers) -> Option<Read> {
    if layers.ether_type != Some(ETHER_TYPE) {
        return None;
    }
    // A frame whose beginning lies in the tail was cut by somebody else than an interface.
    let bytes = packet.head.bytes();
    let [version, kind, third, 0] = *bytes.get(START..START + 4)?.first_chunk()? else { return None };
    let word = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..at + 4)?.first_chunk()?));
    let sender = word(START + 4)?;
    match (version, kind) {
        (VERSION, DATA) => {
            let is_whole = bytes.len() >= FRONT || matches!(packet.tail, Tail::Bytes(_));
            let sequence = word(START + 8).filter(|_| is_whole)?;
            Some(Read::Data(Numbered { sender, sequence, path: third }))
        }
        (VERSION, QUESTION) => Some(Read::Message(Message::Question(sender))),
        (VERSION, ANSWER) => Some(Read::Message(Message::Answer(sender))),
        (VERSION, ACKNOWLEDGEMENT) if usize::from(third) <= MOST_RANGES => {
            let range = |at: usize| {
                let place = START + 8 + 8 * at;
                Some((word(place)?, word(place + 4)?)).filter(|(start, end)| start < end)
            };
            let ranges = (0..usize::from(third)).map(range).collect::<Option<Vec<_>>>()?;
            Some(Read::Message(Message::Acknowledgement(sender, ranges)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATEWAY: MacAddress = [2, 0, 0, 0, 0, 9];

    #[test]
    fn frames_are_read_back() {
        let ranges: Vec<(u32, u32)> = (0..8).map(|number| (10 * number, 10 * number + 5)).collect();
        for message in [
            Message::Question(7),
            Message::Answer(u32::MAX),
            Message::Acknowledgement(7, vec![]),
            Message::Acknowledgement(8, ranges),
        ] {
            let frame = make(GATEWAY, &message);
            assert_eq!(read(&frame, &Layers::of(&frame)), Some(Read::Message(message)));
        }
        let inner = Packet::of_bytes(&[5; 80]);
        let mut packet = inner.clone();
        let numbered = Numbered { sender: 3, sequence: 99, path: 4 };
        wrap(&mut packet, GATEWAY, numbered);
        assert_eq!(read(&packet, &Layers::of(&packet)), Some(Read::Data(numbered)));
        set_path(&mut packet, 6);
        assert_eq!(read(&packet, &Layers::of(&packet)), Some(Read::Data(Numbered { path: 6, ..numbered })));
        unwrap(&mut packet);
        assert_eq!(packet.head.bytes(), inner.head.bytes());
    }

    #[test]
    fn what_is_no_such_frame_is_not_read() {
        let frame = make(GATEWAY, &Message::Acknowledgement(1, vec![(1, 3)]));
        // The EtherType, the version, the kind, the number of ranges, a range that ends before it begins.
        for (at, change) in [(12, 1), (14, 2), (15, 0x40), (16, 0x40), (17, 1), (25, 8)] {
            let mut other = frame.clone();
            other.head.bytes_mut()[at] ^= change;
            assert_eq!(read(&other, &Layers::of(&other)), None, "{at}");
        }
        for length in 14..22 {
            let mut other = frame.clone();
            other.truncate(length);
            assert_eq!(read(&other, &Layers::of(&other)), None, "{length}");
        }
    }
}
