//! Runs htsim's public binaries on the flows of our own runs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Work;
use super::child::{Finished, finish};
use diagnostics::Failure;

/// The counts that htsim printed at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Htsim {
    /// The number of flows that finished.
    pub finished: u64,
    /// The number of data packets sent for the first time.
    pub new_packets: u64,
    /// The number of data packets that were retransmitted.
    pub retransmissions: u64,
}

/// Runs a binary of htsim on the flows of one of our runs, which are listed in `flows.csv`: the same pairs of hosts,
/// sizes and start times.
pub(super) fn run(binaries: &Path, work: &Work, folder: &Path) -> Result<(Htsim, Finished), Failure> {
    let matrix = folder.join("flows.cm");
    let flows = folder.join("flows.csv");
    let text = fs::read_to_string(&flows).map_err(|error| Failure::plain(format!("{}: {error}", flows.display())))?;
    let text = connection_matrix(&text, work.k)
        .ok_or_else(|| Failure::plain("`flows.csv` does not list flows of a fat-tree"))?;
    fs::write(&matrix, text).map_err(|error| Failure::plain(format!("{}: {error}", matrix.display())))?;
    let nodes = (work.k * work.k * work.k / 4).to_string();
    let mut command = Command::new(binaries.join(work.binary));
    // It writes a log into its working directory.
    command.current_dir(folder).args(["-nodes", &nodes, "-tm", "flows.cm", "-linkspeed", "100000"]);
    command.args(["-end", "1000000"]).args(work.arguments.split(' '));
    let finished = finish(&mut command)?;
    let htsim =
        read(&finished.output).ok_or_else(|| Failure::plain(format!("cannot read the output of {}", work.binary)))?;
    Ok((htsim, finished))
}

/// Converts one of our tables of flows into a connection matrix in htsim's format. Returns `None` if the table lacks a
/// column or the hosts are not those of a fat-tree.
fn connection_matrix(flows: &str, k: u32) -> Option<String> {
    let mut lines = flows.lines();
    let columns: Vec<&str> = lines.next()?.split(',').collect();
    let column = |name: &str| columns.iter().position(|column| *column == name);
    let (from, to, bytes, start) = (column("source")?, column("destination")?, column("bytes")?, column("started_ps")?);
    let (mut connections, mut count) = (String::new(), 0);
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let host = |column: usize| host_number(fields.get(column)?, k);
        count += 1;
        let (source, destination, bytes, start) = (host(from)?, host(to)?, fields.get(bytes)?, fields.get(start)?);
        writeln!(connections, "{source}->{destination} id {count} start {start} size {bytes}").ok()?;
    }
    Some(format!("Nodes {}\nConnections {count}\n{connections}", k * k * k / 4))
}

/// Returns the number of the host `host-POD-EDGE-HOST` in a fat-tree.
fn host_number(name: &str, k: u32) -> Option<u32> {
    let parts: Vec<u32> = name.strip_prefix("host-")?.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [pod, edge, host] = parts[..] else { return None };
    Some((pod * (k / 2) + edge) * (k / 2) + host)
}

/// Reads the output of htsim, which ends in a summary such as `New: 170752 Rtx: 23 Bounced: 0`.
fn read(output: &str) -> Option<Htsim> {
    let summary = output.lines().rev().find(|line| line.starts_with("New:"))?;
    let words: Vec<&str> = summary.split_whitespace().collect();
    let after = |name: &str| words.iter().skip_while(|word| **word != name).nth(1)?.parse().ok();
    let finished = output.lines().filter(|line| line.contains(" finished at ")).count() as u64;
    Some(Htsim { finished, new_packets: after("New:")?, retransmissions: after("Rtx:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_become_a_connection_matrix() {
        let flows = "source,message,destination,bytes,started_ps\nhost-1-0-1,0,host-3-1-0,2000,5\n";
        let matrix = "Nodes 16\nConnections 1\n5->14 id 1 start 5 size 2000\n";
        assert_eq!(connection_matrix(flows, 4).as_deref(), Some(matrix));
        assert_eq!(connection_matrix("source,destination\n", 4), None);
    }

    #[test]
    fn the_output_of_htsim_is_read() {
        let output =
            "Flow ndp_1_2 flow_id 16 finished at 1150.18 total bytes 2001000\n.Done\nNew: 12 Rtx: 3 Bounced: 0\n";
        assert_eq!(read(output), Some(Htsim { finished: 1, new_packets: 12, retransmissions: 3 }));
        assert_eq!(read("Unknown parameter 64\n"), None);
    }
}
