//! Ethernet and its VLAN tags (IEEE 802.3, 802.1Q).

/// EtherTypes (IANA, "IEEE 802 Numbers").
pub mod ether_type {
    /// IPv4.
    pub const IPV4: u16 = 0x0800;
    /// The Address Resolution Protocol (RFC 826).
    pub const ARP: u16 = 0x0806;
    /// IPv6.
    pub const IPV6: u16 = 0x86DD;
    /// A customer VLAN tag.
    pub const VLAN: u16 = 0x8100;
    /// A service VLAN tag, the outer one of QinQ (802.1ad).
    pub const SERVICE_VLAN: u16 = 0x88A8;
    /// MAC control: frames that pause a link and are never forwarded.
    pub const MAC_CONTROL: u16 = 0x8808;
    /// The outer tag of QinQ before 802.1ad.
    pub const OLD_SERVICE_VLAN: u16 = 0x9100;

    /// Returns true if a VLAN tag follows.
    pub const fn is_vlan(ether_type: u16) -> bool {
        matches!(ether_type, VLAN | SERVICE_VLAN | OLD_SERVICE_VLAN)
    }
}

super::header! {
    /// An Ethernet header.
    Ethernet, 14 bytes:
    /// The EtherType of what follows, or a length if below 0x0600.
    ether_type, set_ether_type: u16 = 12;
}

impl<T: AsRef<[u8]>> Ethernet<T> {
    /// Returns the destination address.
    pub fn destination(&self) -> [u8; 6] {
        self.bytes()[..6].try_into().expect("checked at construction")
    }

    /// Returns the source address.
    pub fn source(&self) -> [u8; 6] {
        self.bytes()[6..12].try_into().expect("checked at construction")
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Ethernet<T> {
    /// Sets the destination address.
    pub fn set_destination(&mut self, address: [u8; 6]) {
        self.bytes_mut()[..6].copy_from_slice(&address);
    }

    /// Sets the source address.
    pub fn set_source(&mut self, address: [u8; 6]) {
        self.bytes_mut()[6..12].copy_from_slice(&address);
    }
}

super::header! {
    /// A VLAN tag without the EtherType that announces it: tag control information, then the next EtherType.
    VlanTag, 4 bytes:
    /// The priority (3 bits), drop eligibility (1 bit) and VLAN (12 bits).
    control, set_control: u16 = 0;
    /// The EtherType of what follows.
    ether_type, set_ether_type: u16 = 2;
}

impl<T: AsRef<[u8]>> VlanTag<T> {
    /// Returns the VLAN, 0 to 4095.
    pub fn vlan(&self) -> u16 {
        self.control() & 0x0FFF
    }

    /// Returns the priority code point, 0 to 7.
    pub fn priority(&self) -> u8 {
        (self.control() >> 13) as u8
    }
}
