//! Cutting an IPv4 packet into fragments (RFC 791, section 3.2).

use crate::{Ipv4, Layers, Network, Packet};

/// The flag for more fragments, in the field of fragmentation.
const MORE: u16 = 0x2000;
/// The bits of the field that are the offset, in units of 8 bytes.
const OFFSET: u16 = 0x1FFF;
/// Options of one byte: the end of the options, and nothing.
const END: u8 = 0;
const NOTHING: u8 = 1;
/// The bit of an option's type that every fragment has a copy of it.
const COPIED: u8 = 0x80;

impl Packet {
    /// Cuts an IPv4 packet into fragments of at most `mtu` bytes from the IP header on, and passes them on in order. A packet
    /// that is short enough is passed on as it is. The flag that it must not be cut is not looked at; the transport layer's
    /// checksum must not be partial.
    ///
    /// Payload in the tail is shared and not copied. Options that only the first fragment has are replaced by the option that
    /// means nothing, as Linux does.
    ///
    /// # Errors
    /// Returns the packet if it is not IPv4, if its header does not lie within the head, or if not even eight bytes of payload
    /// fit into a fragment.
    pub fn fragment(self, layers: &Layers, mtu: usize, mut pass_on: impl FnMut(Packet)) -> Result<(), Packet> {
        let head = self.head.bytes();
        let header = head.get(layers.network_start..).and_then(Ipv4::new);
        let Some(header) = header.filter(|_| layers.network == Network::Ipv4) else { return Err(self) };
        let start = layers.network_start + header.header_length();
        let field = header.fragmentation();
        let first_offset = usize::from(field & OFFSET) * 8;
        if layers.network_end - layers.network_start <= mtu {
            pass_on(self);
            return Ok(());
        }
        let size = mtu.saturating_sub(header.header_length()) / 8 * 8;
        let payload = layers.network_end.min(self.len()).saturating_sub(start);
        // The offset of the last fragment must fit into its field.
        if size == 0 || start > head.len() || first_offset + payload > usize::from(u16::MAX) {
            return Err(self);
        }
        for number in 0..payload.div_ceil(size) {
            let part = number * size..payload.min((number + 1) * size);
            let is_last = part.end == payload;
            let offset = first_offset + part.start;
            let mut fragment = self.piece(start, part);
            let length = fragment.len() - layers.network_start;
            let bytes = &mut fragment.head.bytes_mut()[layers.network_start..];
            let mut header = Ipv4::new(bytes).expect("it was read before");
            if number > 0 {
                let end = header.header_length();
                clear_options(&mut header.bytes_mut()[Ipv4::<&[u8]>::LENGTH..end]);
            }
            let more = if is_last { field & MORE } else { MORE };
            header.set_total_length(length as u16);
            header.set_fragmentation(field & !(MORE | OFFSET) | more | (offset / 8) as u16);
            header.fill_checksum();
            pass_on(fragment);
        }
        Ok(())
    }
}

/// Replaces the options that only the first fragment has.
fn clear_options(mut options: &mut [u8]) {
    while let [kind, ..] = *options {
        let length = match kind {
            END => return,
            NOTHING => 1,
            _ => match options.get(1) {
                Some(&length) if usize::from(length) >= 2 && usize::from(length) <= options.len() => length.into(),
                // What cannot be read is no option that anybody would miss.
                _ => options.len(),
            },
        };
        let (option, rest) = options.split_at_mut(length);
        if kind & COPIED == 0 {
            option.fill(NOTHING);
        }
        options = rest;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ChecksumState, SharedBytes, Tail};

    /// Returns a frame of IPv4 with these options and so many bytes of payload, of which the head has some.
    fn packet(options: &[u8], payload: usize, in_head: usize, field: u16) -> Packet {
        let mut bytes = vec![0; 14 + 20];
        bytes[12] = 8;
        bytes.extend_from_slice(options);
        let header = 20 + options.len();
        bytes.extend((0..payload).map(|at| (at * 7) as u8));
        let mut ip = Ipv4::new(&mut bytes[14..]).expect("long enough");
        ip.set_version_and_length(0x40 | (header / 4) as u8);
        ip.set_total_length((header + payload) as u16);
        ip.set_identification(77);
        ip.set_fragmentation(field);
        ip.set_protocol(17);
        ip.fill_checksum();
        let (head, tail) = bytes.split_at(14 + header + in_head.min(payload));
        let mut packet = Packet::of_bytes(head).with_tail(Tail::Bytes(SharedBytes::from(tail)));
        packet.sidecar.checksum = ChecksumState::Verified;
        packet
    }

    fn fragments(packet: Packet, mtu: usize) -> Result<Vec<Packet>, Packet> {
        let (layers, mut fragments) = (Layers::of(&packet), Vec::new());
        packet.fragment(&layers, mtu, |fragment| fragments.push(fragment)).map(|()| fragments)
    }

    proptest! {
        /// What a receiver puts together is what was sent, and no fragment is too long.
        #[test]
        fn fragments_hold_the_whole_payload(
            payload in 0..3000usize,
            in_head in 0..3000usize,
            mtu in 28..1600usize,
            words in 0..3usize,
            base in 0..100u16,
            more in any::<bool>(),
        ) {
            let options = vec![NOTHING; 4 * words];
            let field = base | if more { MORE } else { 0 };
            let whole = packet(&options, payload, in_head, field);
            let result = fragments(whole.clone(), mtu);
            if mtu < 20 + 4 * words + 8 && 20 + 4 * words + payload > mtu {
                prop_assert_eq!(result, Err(whole));
                return Ok(());
            }
            let mut together = Vec::new();
            let fragments = result.expect("it can be cut");
            for (number, fragment) in fragments.iter().enumerate() {
                let mut bytes = Vec::new();
                fragment.append_to(&mut bytes);
                let ip = Ipv4::new(&bytes[14..]).expect("an IPv4 header");
                prop_assert_eq!((ip.is_checksum_right(), ip.identification()), (Some(true), 77));
                prop_assert!(usize::from(ip.total_length()) <= mtu.max(20 + 4 * words));
                prop_assert_eq!(usize::from(ip.total_length()) + 14, bytes.len());
                prop_assert_eq!(ip.fragment_offset(), usize::from(base) * 8 + together.len());
                let is_last = number + 1 == fragments.len();
                prop_assert_eq!(ip.more_fragments(), more || !is_last);
                together.extend_from_slice(&bytes[14 + 20 + 4 * words..]);
            }
            let expected: Vec<u8> = (0..payload).map(|at| (at * 7) as u8).collect();
            prop_assert_eq!(together, expected);
        }
    }

    #[test]
    fn only_copied_options_are_in_every_fragment() {
        // A record of the route (7), which only the first has, and a loose source route (131), which all have.
        let options = [7, 7, 4, 1, 2, 3, 4, 131, 3, 4, NOTHING, NOTHING];
        let fragments = fragments(packet(&options, 100, 0, 0), 80).expect("it can be cut");
        let of = |number: usize| fragments[number].head.bytes()[34..46].to_vec();
        assert_eq!(of(0), options);
        assert_eq!(of(1), [1, 1, 1, 1, 1, 1, 1, 131, 3, 4, 1, 1]);
    }
}
