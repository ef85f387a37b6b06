//! Writing of a trace as the two files of the published format.

use std::io::{self, Write};

use super::PublishedTrace;

impl PublishedTrace {
    /// Writes the file of flows. Flow 0 is left out if it accesses nothing, as in the published files.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer if it fails.
    pub fn write_flows(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "flowid,stage,index,stage,index,...")?;
        for (number, accesses) in self.numbers.iter().zip(&self.flows) {
            if *number == 0 && accesses.is_empty() {
                continue;
            }
            write!(out, "{number}")?;
            for access in accesses {
                write!(out, ",{},{}", access.stage, access.index)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the file of packets in order of time.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer if it fails.
    pub fn write_packets(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "port,pkt_size,flowid,time")?;
        for packet in &self.packets {
            writeln!(out, "{},{},{},{}", packet.port, packet.size, packet.flow, packet.cycle)?;
        }
        Ok(())
    }
}
