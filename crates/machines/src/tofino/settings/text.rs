//! The settings of a chip as the text of its file.

use std::fmt::Write;

use queues::PacketColor;

use super::{
    ChipSettings, GeneratorApplication, GeneratorTrigger, LatencySettings, MirrorSession, MulticastNode, PortSettings,
    QueueSettings,
};

impl ChipSettings {
    /// Returns the text of a file that sets a chip as this one is set.
    pub fn to_text(&self) -> String {
        let mut text = format!("pipes = {}\ncpu_port = {}\n", self.pipes, self.cpu_port);
        if let Some(rid) = self.multicast.global_rid {
            let _ = writeln!(text, "global_rid = {rid}");
        }
        if let Some(timed) = &self.timed {
            latency(&mut text, &timed.latency);
            let ghost = &timed.ghost;
            let delay = units::duration_text(ghost.latency);
            let _ = writeln!(text, "\n[ghost]\nstage = {}\nlatency = \"{delay}\"", ghost.stage);
        }
        ports(&mut text, &self.ports, self.timed.as_ref().map(|timed| &timed.queues));
        if let Some(timed) = &self.timed {
            text.push_str(&queues::write::scheduler(&timed.queues.usual, "queue"));
            text.push_str(&queues::write::memory(&timed.queues.memory, "memory"));
        }
        for port in self.deflection.ports() {
            let _ = writeln!(text, "\n[[deflection]]\nport = {}\nqueue = {}", port.port, port.queue);
            optional(&mut text, "length", port.length);
        }
        self.write_multicast(&mut text);
        for (number, session) in self.mirrors.sessions() {
            let _ = writeln!(text, "\n[[mirror]]\nsession = {number}");
            mirror(&mut text, session);
        }
        for ((pipe, number), application) in self.generators.applications() {
            let _ = writeln!(text, "\n[[generator]]\napplication = {number}\npipes = [{pipe}]");
            generator(&mut text, application);
        }
        text
    }

    fn write_multicast(&self, text: &mut String) {
        for (group, tree) in &self.multicast.groups {
            let _ = writeln!(text, "\n[[multicast]]\ngroup = {group}");
            tree.nodes.iter().for_each(|own| node(text, "multicast.node", own));
            for alternatives in &tree.alternatives {
                let _ = writeln!(text, "\n[[multicast.ecmp]]");
                optional(text, "exclusion", alternatives.exclusion);
                alternatives.nodes.iter().for_each(|own| node(text, "multicast.ecmp.node", own));
            }
        }
        for (heading, lists) in [("lag", &self.multicast.lags), ("exclusion", &self.multicast.exclusions)] {
            for (number, ports) in lists {
                let _ = writeln!(text, "\n[[{heading}]]\nnumber = {number}\nports = {ports:?}");
            }
        }
    }
}

fn optional(text: &mut String, name: &str, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        let _ = writeln!(text, "{name} = {value}");
    }
}

fn latency(text: &mut String, latency: &LatencySettings) {
    let _ = writeln!(text, "clock = \"{}\"", units::frequency_text(latency.clock));
    let _ = writeln!(text, "ingress_buffer = {}\n\n[latency]", latency.ingress_buffer);
    let parts = [
        ("ingress_parser", latency.ingress_parser),
        ("ingress", latency.ingress),
        ("ingress_deparser", latency.ingress_deparser),
        ("traffic_manager", latency.traffic_manager),
        ("egress_parser", latency.egress_parser),
        ("egress", latency.egress),
        ("egress_deparser", latency.egress_deparser),
        ("recirculation", latency.recirculation),
    ];
    for (name, duration) in parts {
        let _ = writeln!(text, "{name} = \"{}\"", units::duration_text(duration));
    }
}

/// Writes ports, those in one section of which the same is set.
fn ports(text: &mut String, all: &[PortSettings], queues: Option<&QueueSettings>) {
    let own = |port: &PortSettings| queues.and_then(|queues| queues.own.get(&port.number));
    let mut kinds: Vec<(&PortSettings, Vec<u16>)> = Vec::new();
    for port in all {
        let is_same = |kind: &&mut (&PortSettings, Vec<u16>)| {
            PortSettings { number: port.number, ..kind.0.clone() } == *port && own(kind.0) == own(port)
        };
        match kinds.iter_mut().find(is_same) {
            Some((_, numbers)) => numbers.push(port.number),
            None => kinds.push((port, vec![port.number])),
        }
    }
    for (port, numbers) in kinds {
        let PortSettings { rate, is_up, .. } = port;
        let _ = writeln!(text, "\n[[port]]\nports = {numbers:?}\nrate = \"{rate}\"\nup = {is_up}");
        if !port.metadata.is_empty() {
            let _ = writeln!(text, "metadata = \"{}\"", digits(&port.metadata));
        }
        if let Some(own) = own(port) {
            text.push_str(&queues::write::scheduler(own, "port.queue"));
        }
    }
}

fn node(text: &mut String, heading: &str, node: &MulticastNode) {
    let _ = writeln!(text, "\n[[{heading}]]\nrid = {}\nports = {:?}\nlags = {:?}", node.rid, node.ports, node.lags);
    optional(text, "exclusion", node.exclusion);
}

fn mirror(text: &mut String, session: &MirrorSession) {
    let direction = match session.directions {
        [true, true] => "both",
        [true, false] => "ingress",
        [false, true] => "egress",
        [false, false] => "none",
    };
    let color = match session.color {
        PacketColor::Green => "green",
        PacketColor::Yellow => "yellow",
        PacketColor::Red => "red",
    };
    let _ = writeln!(text, "direction = \"{direction}\"\nqueue = {}\ncolor = \"{color}\"", session.queue);
    optional(text, "port", session.port);
    optional(text, "length", session.length);
    let _ = writeln!(text, "ingress_cos = {}\ndeflect_on_drop = {}", session.class_of_service, session.deflects);
    if let Some(class) = session.to_cpu {
        let _ = writeln!(text, "copy_to_cpu = true\nicos_for_copy_to_cpu = {class}");
    }
    let own = &session.selection;
    if own.groups != [0; 2] {
        let numbers = [
            ("mcast_grp_a", own.groups[0]),
            ("mcast_grp_b", own.groups[1]),
            ("level1_mcast_hash", own.node_hash.into()),
            ("level2_mcast_hash", own.lag_hash.into()),
            ("level1_exclusion_id", own.node_exclusion.into()),
            ("level2_exclusion_id", own.port_exclusion.into()),
            ("rid", own.rid.into()),
        ];
        numbers.into_iter().for_each(|(name, number)| optional(text, name, Some(number)));
    }
}

fn generator(text: &mut String, application: &GeneratorApplication) {
    let _ = writeln!(text, "enabled = {}", application.is_enabled);
    let _ = match &application.trigger {
        GeneratorTrigger::OneShot(time) => {
            writeln!(text, "trigger = \"one_shot\"\ntimer = \"{}\"", units::duration_text(*time))
        }
        GeneratorTrigger::Periodic(time) => {
            writeln!(text, "trigger = \"periodic\"\ntimer = \"{}\"", units::duration_text(*time))
        }
        GeneratorTrigger::PortDown(ports) => writeln!(text, "trigger = \"port_down\"\nports = {ports:?}"),
        GeneratorTrigger::Recirculation { pattern, mask } => {
            let (pattern, mask) = (digits(pattern), digits(mask));
            writeln!(text, "trigger = \"recirculation\"\npattern = \"{pattern}\"\nmask = \"{mask}\"")
        }
    };
    optional(text, "triggers", application.most_triggers);
    let _ = writeln!(text, "packet = \"{}\"", digits(&application.packet));
    let _ = writeln!(text, "batches = {}\npackets = {}", application.batches, application.packets);
    let gaps = [("batch_gap", application.batch_gap), ("packet_gap", application.packet_gap)];
    for (name, gap) in gaps {
        let _ = writeln!(text, "{name} = \"{}\"", units::duration_text(gap));
    }
    optional(text, "port", application.port);
    let _ = writeln!(text, "increment_port = {}", application.increments_port);
}

/// Returns bytes as hexadecimal digits.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}
