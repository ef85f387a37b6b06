//! The program that finds headers before the switch is given packets.

use super::VirtualSwitch;
use crate::configuration::Configuration;
use crate::preprocessor::headers::{HeaderCounts, program};

impl VirtualSwitch {
    /// Returns the program that finds the headers of packets in front of AF_XDP sockets, if a configuration wants it. It writes
    /// [`crate::headers::LENGTH`] bytes in front of a frame, which only this switch believes.
    pub fn header_program(&self, configuration: &Configuration) -> Option<Vec<bpf::Instruction>> {
        configuration.path.xdp.then(|| program(self.edge.reader.mark()))
    }

    /// Returns how the headers of packets were found that have passed the program.
    pub fn header_counts(&self) -> HeaderCounts {
        self.edge.reader.counts
    }
}
