//! `lab`: the hosts, switches and links of a lab, from the same file as `polyplane lab`.

use std::net::IpAddr;
use std::path::Path;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Span};
use files::PlanText;
use lab::plan::{End, LabPlan, read_source};
use netsim::topology::{Cable, CableProperties, Role, StationPlan, SwitchPlan, Topology, add_shortest_routes};
use plans::Section;

use super::{Reading, TopologyKind};

pub(super) struct Labs;

impl TopologyKind for Labs {
    fn name(&self) -> &'static str {
        "lab"
    }

    fn first_entry(&self) -> &'static str {
        "file"
    }

    fn read(&self, section: &Section<'_>, link: CableProperties, reading: &mut Reading<'_>) -> Option<Topology> {
        if !section.require("file", "the file of the lab: file = \"topology.json\"") {
            return None;
        }
        let (file, span) = section.text("file")?;
        let (path, text) = reading.text(section, &file, &span)?;
        let id = reading.sources.add(&path, &text);
        let folder = Path::new(&path).parent().unwrap_or(Path::new("")).to_owned();
        let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (plan, mut found) = read_source(id, &PlanText { name, path, text, folder }, None);
        let topology = plan.filter(|_| !found.has_errors()).map(|plan| topology(&plan, link, id, &mut found));
        let has_errors = found.has_errors();
        reading.found.extend(found);
        let topology = topology.filter(|_| !has_errors)?;
        let wrong = topology.verify();
        wrong.iter().for_each(|wrong| section.error(&span, wrong, "docs/lab.md describes the fields of labs"));
        wrong.is_empty().then_some(topology)
    }
}

/// Returns the network of a lab. Packets take shortest paths. Links without a rate or delay have those of `link`.
fn topology(plan: &LabPlan, link: CableProperties, id: diagnostics::SourceId, found: &mut Diagnostics) -> Topology {
    let mut topology = Topology::default();
    for host in &plan.hosts {
        let address = match host.address.map(|address| address.address) {
            Some(IpAddr::V4(address)) => address.to_bits(),
            _ => {
                let message = format!("the host `{}` has no address of IPv4, which simulated hosts need", host.name);
                found.push(Diagnostic::error(Span::new(id, host.place.start, host.place.end), message));
                0
            }
        };
        topology.stations.push(StationPlan { name: host.name.clone(), role: Role::Host { address, paths: 1 } });
    }
    for switch in &plan.switches {
        let role = Role::Switch(SwitchPlan::default());
        topology.stations.push(StationPlan { name: switch.name.clone(), role });
    }
    for cable in &plan.links {
        let ends = cable.ends.map(|end| match end {
            End::Host(host) => (host, 0),
            End::Switch(switch, port) => (plan.hosts.len() + switch, port),
        });
        let delay = if cable.delay > Duration::ZERO { cable.delay } else { link.delay };
        let link = CableProperties { rate: cable.rate.unwrap_or(link.rate), delay, ..link };
        topology.cables.push(Cable { ends, link });
    }
    add_shortest_routes(&mut topology);
    topology
}
