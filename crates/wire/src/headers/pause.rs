//! Priority-based flow control (IEEE 802.1Qbb; IEEE 802.3, annex 31D).

use basis::{Duration, Rate};

use super::{Ethernet, ether_type};
use crate::{LinkLayer, Packet};

super::header! {
    /// The part of a priority pause frame that follows the Ethernet header.
    PriorityPause, 20 bytes:
    /// The opcode of the frame: [`PriorityPause::OPCODE`].
    opcode, set_opcode: u16 = 0;
    /// The priorities whose pause times the frame sets: bit n stands for priority n.
    enabled, set_enabled: u16 = 2;
}

impl PriorityPause<()> {
    /// The opcode of priority pause frames. Other opcodes are other MAC control frames; 1 pauses the whole link.
    pub const OPCODE: u16 = 0x0101;
    /// The destination address of pause frames, which reach the peer of the link and are never forwarded (IEEE 802.3,
    /// annex 31B).
    pub const DESTINATION: [u8; 6] = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x01];
    /// The length of the frame in bytes without frame check sequence: the shortest that Ethernet carries.
    pub const FRAME: usize = 60;

    /// Returns a frame that sets the pause time, in quanta, of each priority that is not `None`; 0 ends a pause.
    pub fn frame(source: [u8; 6], quanta: [Option<u16>; 8]) -> Packet {
        let mut packet = Packet::of_bytes(&[0; Self::FRAME]);
        let mut ethernet = Ethernet::new(packet.head.bytes_mut()).expect("60 bytes are enough");
        ethernet.set_destination(Self::DESTINATION);
        ethernet.set_source(source);
        ethernet.set_ether_type(ether_type::MAC_CONTROL);
        let after = &mut packet.head.bytes_mut()[Ethernet::<&[u8]>::LENGTH..];
        let mut pause = PriorityPause::new(after).expect("46 bytes are enough");
        pause.set_opcode(Self::OPCODE);
        for (priority, quanta) in quanta.into_iter().enumerate() {
            if let Some(quanta) = quanta {
                pause.set_enabled(pause.enabled() | 1 << priority);
                pause.set_quanta(priority, quanta);
            }
        }
        packet
    }

    /// Returns the part of `packet` behind the Ethernet header if it is a priority pause frame.
    pub fn of(packet: &Packet) -> Option<PriorityPause<&[u8]>> {
        let bytes = packet.head.bytes();
        let ethernet = Ethernet::new(bytes).filter(|_| packet.sidecar.link == LinkLayer::Ethernet)?;
        let pause = PriorityPause::new(&bytes[Ethernet::<&[u8]>::LENGTH..])?;
        (ethernet.ether_type() == ether_type::MAC_CONTROL && pause.opcode() == Self::OPCODE).then_some(pause)
    }

    /// Returns how long `quanta` last at this link rate: each is the time of 512 bits (IEEE 802.3, annex 31B.2).
    pub fn time_of(quanta: u16, rate: Rate) -> Duration {
        rate.time_of(u64::from(quanta) * 64)
    }
}

impl<T: AsRef<[u8]>> PriorityPause<T> {
    /// Returns the pause time of a priority, 0 to 7, in quanta; `None` if the frame does not set it.
    ///
    /// # Panics
    ///
    /// May panic if `priority` is above 7.
    pub fn quanta(&self, priority: usize) -> Option<u16> {
        let at = 4 + 2 * priority;
        let field = [self.bytes()[at], self.bytes()[at + 1]];
        (self.enabled() & 1 << priority != 0).then_some(u16::from_be_bytes(field))
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> PriorityPause<T> {
    /// Sets the pause time of a priority, 0 to 7. It takes effect if [`PriorityPause::set_enabled`] names the
    /// priority.
    ///
    /// # Panics
    ///
    /// May panic if `priority` is above 7.
    pub fn set_quanta(&mut self, priority: usize, quanta: u16) {
        let at = 4 + 2 * priority;
        self.bytes_mut()[at..at + 2].copy_from_slice(&quanta.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_a_frame_as_in_the_standard() {
        let mut quanta = [None; 8];
        quanta[3] = Some(0xFFFF);
        quanta[4] = Some(0);
        let packet = PriorityPause::frame([2, 0, 0, 0, 0, 9], quanta);
        let mut expected = vec![0x01, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08, 0x01, 0x01, 0x00, 0x18];
        expected.extend([0, 0, 0, 0, 0, 0, 0xFF, 0xFF]);
        expected.resize(60, 0);
        assert_eq!(packet.head.bytes(), expected);
        let pause = PriorityPause::of(&packet).unwrap();
        assert_eq!((pause.quanta(2), pause.quanta(3), pause.quanta(4)), (None, Some(0xFFFF), Some(0)));
    }

    #[test]
    fn other_frames_are_not_recognised() {
        let mut packet = PriorityPause::frame([0; 6], [Some(1); 8]);
        packet.head.bytes_mut()[15] = 0; // opcode 0x0100
        assert!(PriorityPause::of(&packet).is_none());
        assert!(PriorityPause::of(&Packet::of_bytes(&[0; 20])).is_none());
    }

    #[test]
    fn a_quantum_is_512_bit_times() {
        let rate = Rate::from_gigabits_per_second(100);
        assert_eq!(PriorityPause::time_of(100, rate), Duration::from_nanoseconds(512));
    }
}
