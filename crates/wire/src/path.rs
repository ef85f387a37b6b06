//! The way in which hosts encode the path that a packet should take, and how switches that let hosts choose read it.

/// The UDP source port of path 0; the number of the path is added to it. IANA's dynamic ports begin here.
pub const FIRST_SOURCE_PORT: u16 = 0xC000;
/// The number of paths that source ports can distinguish.
pub const PATHS: u16 = 0x4000;

/// Returns the source port that selects a path, 0 to [`PATHS`] - 1.
#[inline]
pub const fn source_port(path: u16) -> u16 {
    FIRST_SOURCE_PORT | path
}

/// Returns the path that a UDP source port selects, if it selects one.
#[inline]
pub fn of_source_port(port: u16) -> Option<u16> {
    port.checked_sub(FIRST_SOURCE_PORT)
}
