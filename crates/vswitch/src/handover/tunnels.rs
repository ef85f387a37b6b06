//! What the end of a tunnel must not forget when another process takes its place: the numbers that it has used, and those that have come.

/// The number of words of the window of an encrypted tunnel, each of 64 sequence numbers.
pub const WINDOW_WORDS: usize = 32;
/// The number of bytes of what tells a key from others.
pub const FINGERPRINT: usize = 16;
/// The most ranges of sequence numbers of a reliable tunnel. Of 4,097 numbers below the greatest one, every second may have come.
pub const MOST_RANGES: usize = 2050;
/// The greatest sequence number of a reliable tunnel, and one more.
pub const END_OF_SEQUENCE: u64 = 1 << 32;

/// The sequence numbers that have come with a key of another switch (RFC 4303, section 3.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandedWindow {
    /// The tunnel endpoint that sends with the key, as a number.
    pub peer: u128,
    /// The VXLAN network identifier of the VPC whose key it is.
    pub vni: u32,
    /// The security parameter index.
    pub index: u32,
    /// A keyed hash that tells the key from others, and from which nobody finds the key.
    pub fingerprint: [u8; FINGERPRINT],
    /// The greatest sequence number that has come, at least 1.
    pub greatest: u64,
    /// A bit for each sequence number up to the greatest one, at the place of the number modulo 2,048, from the lowest bit of the first
    /// word on.
    pub seen: [u64; WINDOW_WORDS],
}

/// The numbers that a switch has sent with its own key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandedNumbers {
    /// The VXLAN network identifier of the VPC whose key it is.
    pub vni: u32,
    /// The security parameter index.
    pub index: u32,
    /// A keyed hash that tells the key from others, and from which nobody finds the key.
    pub fingerprint: [u8; FINGERPRINT],
    /// The initialization vector that comes next.
    pub next: u64,
    /// The number of packets that were sent.
    pub sent: u64,
}

/// The receiving end of a reliable tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedTunnel {
    /// The VXLAN network identifier of its VPC.
    pub vni: u32,
    /// The other endpoint, as a number.
    pub endpoint: u128,
    /// Whether the other switch has said that it knows such tunnels.
    pub is_answered: bool,
    /// The number of the sender of which something has come, and that of the one before it.
    pub senders: [Option<u32>; 2],
    /// The sequence numbers of the sender that have come, as half-open ranges in ascending order, of which no two are adjacent.
    pub ranges: Vec<(u64, u64)>,
}
