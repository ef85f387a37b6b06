//! The standard headers, as bytes with named fields.
//!
//! Each type wraps bytes that are long enough for the fixed part of its header, so no accessor can fail. A header type
//! reads and writes fields; it does not validate them.

pub mod atp;
pub mod eqds;
mod ethernet;
mod icmp;
pub mod infiniband;
mod ipv4;
mod ipv6;
pub mod ndp;
mod pause;
pub mod switchml;
pub mod tcp;
pub mod trio_ml;
mod udp;
pub mod vxlan;

pub use atp::Atp;
pub use eqds::Eqds;
pub use ethernet::{Ethernet, VlanTag, ether_type};
pub use icmp::Icmp;
pub use infiniband::{Aeth, Bth, Reth};
pub use ipv4::Ipv4;
pub use ipv6::Ipv6;
pub use ndp::Ndp;
pub use pause::PriorityPause;
pub use switchml::SwitchMl;
pub use tcp::Tcp;
pub use trio_ml::TrioMl;
pub use udp::Udp;
pub use vxlan::Vxlan;

/// IP protocol numbers (IANA, "Assigned Internet Protocol Numbers").
pub mod protocol {
    /// IPv6 hop-by-hop options.
    pub const HOP_BY_HOP: u8 = 0;
    /// ICMP for IPv4.
    pub const ICMP: u8 = 1;
    /// IPv4 in a tunnel.
    pub const IPV4: u8 = 4;
    /// TCP.
    pub const TCP: u8 = 6;
    /// UDP.
    pub const UDP: u8 = 17;
    /// DCCP.
    pub const DCCP: u8 = 33;
    /// IPv6 in a tunnel.
    pub const IPV6: u8 = 41;
    /// IPv6 routing header.
    pub const ROUTING: u8 = 43;
    /// IPv6 fragment header.
    pub const FRAGMENT: u8 = 44;
    /// Generic routing encapsulation.
    pub const GRE: u8 = 47;
    /// Encapsulating security payload: what follows is encrypted.
    pub const ESP: u8 = 50;
    /// IP authentication header.
    pub const AUTHENTICATION: u8 = 51;
    /// ICMP for IPv6.
    pub const ICMPV6: u8 = 58;
    /// IPv6: no header follows.
    pub const NO_NEXT_HEADER: u8 = 59;
    /// IPv6 destination options.
    pub const DESTINATION_OPTIONS: u8 = 60;
    /// SCTP.
    pub const SCTP: u8 = 132;
    /// IPv6 mobility header.
    pub const MOBILITY: u8 = 135;
    /// UDP-Lite.
    pub const UDP_LITE: u8 = 136;
    /// MPLS in IP.
    pub const MPLS: u8 = 137;
    /// Host identity protocol.
    pub const HOST_IDENTITY: u8 = 139;
    /// Shim6.
    pub const SHIM6: u8 = 140;
}

/// Defines a header type with named big-endian fields at fixed offsets, over bytes that are long enough.
macro_rules! header {
    (
        $(#[$meta:meta])*
        $name:ident, $length:literal bytes:
        $( $(#[$field_meta:meta])* $get:ident, $set:ident: $ty:ty = $offset:literal; )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name<T>(T);

        impl<T: AsRef<[u8]>> $name<T> {
            /// The length in bytes of the fixed part.
            pub const LENGTH: usize = $length;

            /// Wraps the header at the start of `bytes`; `None` if they are too short for its fixed part.
            pub fn new(bytes: T) -> Option<Self> {
                (bytes.as_ref().len() >= Self::LENGTH).then_some(Self(bytes))
            }

            /// Returns all bytes: the header and what follows.
            pub fn bytes(&self) -> &[u8] {
                self.0.as_ref()
            }

            $(
                $(#[$field_meta])*
                pub fn $get(&self) -> $ty {
                    const WIDTH: usize = size_of::<$ty>();
                    let mut field = [0; WIDTH];
                    field.copy_from_slice(&self.0.as_ref()[$offset..$offset + WIDTH]);
                    <$ty>::from_be_bytes(field)
                }
            )*
        }

        impl<T: AsRef<[u8]> + AsMut<[u8]>> $name<T> {
            /// Returns all bytes for writing.
            pub fn bytes_mut(&mut self) -> &mut [u8] {
                self.0.as_mut()
            }

            $(
                #[doc = concat!("Sets [`Self::", stringify!($get), "`].")]
                pub fn $set(&mut self, value: $ty) {
                    const WIDTH: usize = size_of::<$ty>();
                    self.0.as_mut()[$offset..$offset + WIDTH].copy_from_slice(&value.to_be_bytes());
                }
            )*
        }
    };
}
use header;
