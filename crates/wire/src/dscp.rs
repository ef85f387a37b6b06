//! The code points (DSCP, RFC 2474) by which Polyplane's hosts and switches distinguish classes of packets.
//!
//! There are no registered code points for trimming: operators choose them (SAI's
//! `SAI_SWITCH_ATTR_PACKET_TRIM_DSCP_VALUE`). These are the defaults; plans may name others.

/// Data that may be trimmed: the default class (RFC 2474, section 4.2.2.1).
pub const DATA: u8 = 0;
/// Control packets of a transport, such as NDP's ACK, NACK and PULL: expedited forwarding (RFC 3246).
pub const CONTROL: u8 = 46;
/// A packet that a switch has trimmed (AF11 of RFC 2597, which nothing else uses here).
pub const TRIMMED: u8 = 10;
/// A packet that the last switch before its destination has trimmed (AF12).
pub const TRIMMED_AT_LAST_HOP: u8 = 12;
/// A trimmed packet on its way back to its sender (AF13).
pub const RETURNED: u8 = 14;
