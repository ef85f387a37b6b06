//! The status of a lab: its parts that exist, and whether they run.

use std::net::TcpStream;
use std::time::Duration;

use serde::Serialize;

use crate::ip::links;
use crate::link::at_switches;
use crate::process;
use crate::state::{Host, Lab, Link, Namespace, Switch};

/// How long somebody on this computer may take to accept a connection.
const LONGEST_CONNECT: Duration = Duration::from_millis(300);

/// A lab at this moment.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The name.
    pub name: String,
    /// The file of the plan.
    pub plan: String,
    /// Whether the lab was made to the end.
    pub is_complete: bool,
    /// The hosts.
    pub hosts: Vec<HostStatus>,
    /// The switches.
    pub switches: Vec<SwitchStatus>,
    /// The links.
    pub links: Vec<LinkStatus>,
}

/// A host at this moment.
#[derive(Clone, Debug, Serialize)]
pub struct HostStatus {
    #[serde(flatten)]
    host: Host,
    /// Whether its namespace is there.
    pub is_there: bool,
}

/// A switch at this moment.
#[derive(Clone, Debug, Serialize)]
pub struct SwitchStatus {
    #[serde(flatten)]
    switch: Switch,
    /// The number of its process, if it runs.
    pub process: Option<u32>,
    /// Whether controllers are answered at its address.
    pub is_served: bool,
    /// Its control socket.
    pub socket: std::path::PathBuf,
}

/// A link at this moment.
#[derive(Clone, Debug, Serialize)]
pub struct LinkStatus {
    #[serde(flatten)]
    link: Link,
    /// Whether its interfaces at switches are up; `None` if they are gone.
    pub is_up: Option<bool>,
}

/// Returns the status of a lab.
pub fn status(lab: &Lab) -> Status {
    let interfaces: Vec<(&str, Vec<(String, bool)>)> = std::thread::scope(|scope| {
        let ask = |switch| (scope.spawn(move || interfaces(switch)), &*switch.name);
        let asked: Vec<_> = lab.switches.iter().map(ask).collect();
        asked.into_iter().map(|(thread, name)| (name, thread.join().unwrap_or_default())).collect()
    });
    let is_up = |node: &str, interface: &str| {
        let (_, all) = interfaces.iter().find(|(name, _)| *name == node)?;
        all.iter().find(|(name, _)| name == interface).map(|(_, is_up)| *is_up)
    };
    let link = |link: &Link| {
        let ends: Option<Vec<bool>> = at_switches(link).map(|end| is_up(&end.node, &end.interface)).collect();
        LinkStatus { link: link.clone(), is_up: ends.map(|ends| ends.iter().all(|is_up| *is_up)) }
    };
    Status {
        name: lab.name.clone(),
        plan: lab.plan.clone(),
        is_complete: lab.is_up,
        hosts: lab
            .hosts
            .iter()
            .map(|host| HostStatus { host: host.clone(), is_there: host.namespace.is_ours() })
            .collect(),
        switches: lab
            .switches
            .iter()
            .map(|switch| SwitchStatus {
                process: process::of_plan(&lab.switch_plan(&switch.name)),
                is_served: is_served(switch),
                socket: lab.socket(&switch.name),
                switch: switch.clone(),
            })
            .collect(),
        links: lab.links.iter().map(link).collect(),
    }
}

/// Returns whether somebody listens at the address for controllers.
fn is_served(switch: &Switch) -> bool {
    let address = switch.p4runtime.as_ref().and_then(|address| address.parse().ok());
    address.is_some_and(|address| TcpStream::connect_timeout(&address, LONGEST_CONNECT).is_ok())
}

/// Returns the interfaces in the namespace of a switch, and whether each is up.
fn interfaces(switch: &Switch) -> Vec<(String, bool)> {
    let is_up = |link: &serde_json::Value| {
        let flags = link["flags"].as_array().map(Vec::as_slice).unwrap_or_default();
        flags.iter().any(|flag| flag == "UP")
    };
    let named = |link: &serde_json::Value| Some((link["ifname"].as_str()?.to_owned(), is_up(link)));
    links(&switch.namespace).iter().filter_map(named).collect()
}

/// Returns whether all interfaces in a namespace carry packets. The kernel finds that out up to a second after they were made.
pub(crate) fn carry_packets(namespace: &Namespace) -> bool {
    let carries = |link: &serde_json::Value| link["ifname"] == "lo" || link["operstate"] == "UP";
    links(namespace).iter().all(carries)
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let whole = if self.is_complete { "" } else { ", which was not made to the end" };
        writeln!(f, "lab {} of {}{whole}", self.name, self.plan)?;
        let mut rows = vec![["host", "interface", "address", "MAC address", ""].map(str::to_owned)];
        for HostStatus { host, is_there } in &self.hosts {
            let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
            let state = if *is_there { "" } else { "gone" };
            rows.push([
                host.name.clone(),
                host.interface.clone(),
                text(&host.address),
                text(&host.mac),
                state.to_owned(),
            ]);
        }
        table(f, &rows)?;
        let mut rows = vec![["switch", "process", "program", "machine", "P4Runtime"].map(str::to_owned)];
        for SwitchStatus { switch, process, is_served, .. } in &self.switches {
            let process = process.map_or_else(|| "has ended".to_owned(), |process| process.to_string());
            let program = switch.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let p4runtime = switch.p4runtime.clone().filter(|_| *is_served).unwrap_or_else(|| "-".to_owned());
            rows.push([switch.name.clone(), process, program, switch.machine.clone(), p4runtime]);
        }
        table(f, &rows)?;
        let mut rows = vec![["link", "ends", "state", "rate", "delay"].map(str::to_owned)];
        for LinkStatus { link, is_up } in &self.links {
            let ends = link.ends.each_ref().map(|end| match end.port {
                None => format!("{} {}", end.node, end.interface),
                Some(_) => end.interface.clone(),
            });
            let state = is_up.map_or("gone", |is_up| if is_up { "up" } else { "down" });
            let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
            rows.push([link.name.clone(), ends.join(", "), state.to_owned(), text(&link.rate), text(&link.delay)]);
        }
        table(f, &rows)
    }
}

/// Writes rows with columns of one width each, after an empty line.
fn table<const N: usize>(f: &mut std::fmt::Formatter<'_>, rows: &[[String; N]]) -> std::fmt::Result {
    writeln!(f)?;
    let widths: Vec<usize> =
        (0..N).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
