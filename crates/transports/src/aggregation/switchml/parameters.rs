//! What can be chosen about SwitchML.

use basis::Duration;

/// The numbers of values that a packet can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesPerPacket {
    /// 64 values, in a frame of 308 bytes.
    Few,
    /// 256 values, in a frame of 1,076 bytes.
    Many,
}

impl ValuesPerPacket {
    /// Returns the number.
    pub fn count(self) -> usize {
        match self {
            Self::Few => 64,
            Self::Many => 256,
        }
    }
}

/// The parameters of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchMlParameters {
    /// The number of values in a packet.
    pub values: ValuesPerPacket,
    /// The time after which a part without a sum is sent again; `None` if it never is, for networks that lose nothing.
    pub timeout: Option<Duration>,
}

impl Default for SwitchMlParameters {
    /// 64 values, and the timeout of 1 ms of the paper.
    fn default() -> Self {
        Self { values: ValuesPerPacket::Few, timeout: Some(Duration::from_microseconds(1000)) }
    }
}
