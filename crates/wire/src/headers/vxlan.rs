//! VXLAN (RFC 7348): an Ethernet frame in UDP.

super::header! {
    /// A VXLAN header.
    Vxlan, 8 bytes:
    /// The flags; see [`crate::vxlan::VNI_IS_VALID`].
    flags, set_flags: u8 = 0;
    /// The VXLAN network identifier (high 24 bits) and a reserved byte.
    identifier, set_identifier: u32 = 4;
}

impl<T: AsRef<[u8]>> Vxlan<T> {
    /// Returns the VXLAN network identifier (VNI), 24 bits.
    pub fn vni(&self) -> u32 {
        self.identifier() >> 8
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Vxlan<T> {
    /// Sets [`Self::vni`], of which the low 24 bits count, and the reserved byte behind it to 0.
    pub fn set_vni(&mut self, vni: u32) {
        self.set_identifier(vni << 8);
    }
}

/// The destination UDP port of VXLAN (IANA).
pub const PORT: u16 = 4789;
/// The flag that the VNI is valid. A packet without it carries nothing that could be delivered (RFC 7348, section 5).
pub const VNI_IS_VALID: u8 = 0x08;
