//! How hosts say which way a packet is to take, and how switches that let them choose read it.

/// The first UDP source port; the number of the path that the packet is to take is added to it. IANA's dynamic ports
/// begin here.
pub const FIRST_SOURCE_PORT: u16 = 0xC000;
/// How many paths source ports can tell apart.
pub const PATHS: u16 = 0x4000;

/// The source port that asks for a path, 0 to [`PATHS`] - 1.
#[inline]
pub const fn source_port(path: u16) -> u16 {
    FIRST_SOURCE_PORT | path
}

/// The path that a UDP source port asks for, if it does.
#[inline]
pub fn of_source_port(port: u16) -> Option<u16> {
    port.checked_sub(FIRST_SOURCE_PORT)
}
