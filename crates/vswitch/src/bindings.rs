//! Bindings: what pools have chosen for the flows of guests (RFC 2663, section 2.4), so that a switch that was killed and started again
//! can go on with them. Whoever wants that keeps them where they survive ([`VirtualSwitch::keep_bindings`]), and gives
//! them to the next switch ([`VirtualSwitch::restore`]). `docs/vswitch/upgrade.md` describes the bytes of a binding.
//!
//! [`VirtualSwitch::keep_bindings`]: crate::VirtualSwitch::keep_bindings
//! [`VirtualSwitch::restore`]: crate::VirtualSwitch::restore

use crate::handover::{read_keys, write_keys};
use crate::session::FlowKey;

/// The number of bytes of a binding.
pub const LENGTH: usize = 84;

/// A binding: the key of what a guest sends, and that of replies, which are to an address of a pool and outside all VPCs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding(pub [FlowKey; 2]);

/// A binding that has begun, or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingChange {
    /// The binding.
    pub binding: Binding,
    /// Whether it has begun.
    pub has_begun: bool,
}

impl Binding {
    /// Returns the binding of a session with these keys, if a pool translates it.
    pub(crate) fn of(keys: &[FlowKey; 2]) -> Option<Self> {
        let [key, reply] = keys;
        (key.vni() != 0 && reply.vni() == 0).then_some(Self(*keys))
    }

    /// Returns the bytes of the binding: both keys as in `docs/vswitch/handover.md`, and their CRC-32.
    pub fn bytes(&self) -> [u8; LENGTH] {
        let mut written = Vec::with_capacity(LENGTH);
        write_keys(&self.0, &mut written);
        let sum = crate::handover::checksum(&written);
        written.extend(sum.to_be_bytes());
        written.try_into().expect("two keys and a checksum are so long")
    }

    /// Reads a binding. Returns `None` if the bytes are damaged, or none.
    pub fn read(bytes: &[u8; LENGTH]) -> Option<Self> {
        let (keys, sum) = bytes.split_last_chunk::<4>()?;
        if crate::handover::checksum(keys) != u32::from_be_bytes(*sum) {
            return None;
        }
        Self::of(&read_keys(keys).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use wire::protocol;

    use super::*;

    fn binding(protocol: u8) -> Binding {
        let addresses = ["10.0.0.1", "203.0.113.9"].map(|text| text.parse().expect("an address"));
        let key = FlowKey::new(7001, addresses, protocol, [5000, 5000]);
        let seen = key.with_vni(0).with_source(0xFFFF_C633_6401, 4000);
        Binding([key, seen.reversed()])
    }

    #[test]
    fn bindings_are_read_back_and_damage_is_found() {
        for protocol in [protocol::TCP, protocol::UDP, protocol::ICMP] {
            let binding = binding(protocol);
            let bytes = binding.bytes();
            assert_eq!(Binding::read(&bytes), Some(binding));
            for at in 0..LENGTH {
                let mut damaged = bytes;
                damaged[at] ^= 4;
                assert_eq!(Binding::read(&damaged), None, "byte {at}");
            }
        }
        assert_eq!(Binding::read(&[0; LENGTH]), None);
        // What nothing is translated of is no binding.
        let [key, _] = binding(protocol::TCP).0;
        assert_eq!(Binding::read(&Binding([key, key.reversed()]).bytes()), None);
    }
}
