//! A topology in words.

use std::collections::BTreeSet;
use std::fmt;

use super::{Seen, Topology, TopologyEnd, moment_text, wanted_entry};

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.ends;
        writeln!(f, "{} and {} at {}", one.name, other.name, moment_text(self.at))?;
        self.ends.iter().try_for_each(|end| end.write(f))?;
        self.seen.iter().try_for_each(|seen| seen.write(f))?;
        if !self.lost.is_empty() {
            writeln!(f, "records were lost then, and some may be missing: {}", self.lost.join(", "))?;
        }
        if self.is_partial {
            writeln!(
                f,
                "records of version 2 have neither switches nor translations nor tunnels; these need, in [flow_log]:"
            )?;
            writeln!(f, "{}", wanted_entry())?;
        }
        Ok(())
    }
}

impl TopologyEnd {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        write!(f, "  {}:", self.name)?;
        match (self.vnics.is_empty(), self.hosts.is_empty()) {
            (false, _) => write!(f, " vNIC {}", several(&self.vnics))?,
            (true, false) => write!(f, " behind")?,
            (true, true) => write!(f, " no switch is known that had it")?,
        }
        if !self.vpcs.is_empty() {
            write!(f, " of VPC {}", several(&self.vpcs))?;
        }
        match (self.vnics.is_empty(), self.hosts.is_empty()) {
            (_, true) => {}
            (true, false) => write!(f, " {}", several(&self.hosts))?,
            (false, false) => write!(f, " on {}", several(&self.hosts))?,
        }
        writeln!(f)
    }
}

impl Seen {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = &self.flow;
        let verdict = if self.is_accepted { "" } else { ", rejected" };
        writeln!(f, "{} {from} > {to}{verdict}", self.protocol)?;
        let does = match self.direction.as_deref() {
            Some("egress") => "sent",
            Some(_) => "was given",
            None => "saw",
        };
        write!(f, "  vNIC {}", self.vnic.as_deref().unwrap_or("?"))?;
        if let Some(host) = &self.host {
            write!(f, " on {host}")?;
        }
        let packets = if self.packets == 1 { "1 packet".to_owned() } else { format!("{} packets", self.packets) };
        let [first, last] = self.times.map(moment_text);
        writeln!(f, " {does} {packets} from {first} to {last}")?;
        if let Some([from, to]) = &self.translated {
            writeln!(f, "  at the other end: {from} > {to}")?;
        }
        let way = match (&self.peer_vnic, &self.tunnel) {
            (Some(vnic), _) => Some(format!("vNIC {vnic} of the same switch")),
            (None, Some([local, remote])) => Some(format!("tunnel {local} - {remote}")),
            (None, None) => self.underlay.is_some().then(|| "the world outside".to_owned()),
        };
        if let Some(way) = way {
            let by = self.underlay.as_ref().map(|interface| format!(", by {interface}")).unwrap_or_default();
            writeln!(f, "  way: {way}{by}")?;
        }
        if let Some(start) = self.session_start {
            writeln!(f, "  session since {}", moment_text(start))?;
        }
        writeln!(f, "  {}", self.place)
    }
}
