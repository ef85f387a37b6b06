//! The plan of each switch, as `polyplane live` reads it.

use std::fmt::Write;
use std::path::Path;

use crate::namespace::NAMES;
use crate::plan::{End, LabPlan};
use crate::state::{Lab, Switch};

/// Returns the text of the plan of a switch.
pub fn text(plan: &LabPlan, number: usize, lab: &Lab, switch: &Switch) -> String {
    let of_plan = &plan.switches[number];
    let ports = plan.ports(number);
    let mut text = format!(
        "# Made by `polyplane lab up` from {}.\nname = {}\nprogram = {}\nmachine = {}\n",
        lab.plan,
        quoted(&switch.name),
        quoted_path(&switch.program),
        quoted(&switch.machine)
    );
    let tables: Vec<String> = of_plan.tables.iter().map(|path| quoted_path(path)).collect();
    let _ = writeln!(text, "tables = [{}]", tables.join(", "));
    for (port, link, other) in &ports {
        let interface = plan.end_name(End::Switch(number, *port));
        let _ = writeln!(text, "\n[[port]]\nport = {port}");
        let _ = writeln!(text, "interface = {}", quoted(&format!("packet:{interface}")));
        let namespace = format!("{NAMES}/{}", switch.namespace.name);
        let _ = writeln!(text, "namespace = {}", quoted(&namespace));
        if let Some(rate) = link.rate {
            let _ = writeln!(text, "rate = {}", quoted(&format!("{} b/s", rate.bits_per_second())));
        }
        let delay = units::duration_text(link.delay);
        let has_delay = link.delay > basis::Duration::ZERO;
        if has_delay {
            let _ = writeln!(text, "delay = {}", quoted(&delay));
        }
        // A host knows no rate and no delay of its link, so that the switch has the link's other direction, too.
        if matches!(other, End::Host(_)) && (has_delay || link.rate.is_some()) {
            text.push_str("\n[port.arriving]\n");
            if let Some(rate) = link.rate {
                let _ = writeln!(text, "rate = {}", quoted(&format!("{} b/s", rate.bits_per_second())));
            }
            if has_delay {
                let _ = writeln!(text, "delay = {}", quoted(&delay));
            }
        }
    }
    if ports.iter().any(|(_, link, _)| link.rate.is_some()) {
        let _ = writeln!(text, "\n[queues]\nqueue = \"drop-tail\"\nlimit = \"{} packets\"", of_plan.queue);
    }
    if let Some(address) = &switch.p4runtime {
        // Controllers of the tutorials count devices from 0.
        let _ = writeln!(text, "\n[p4runtime]\nlisten = {}\ndevice_id = {number}", quoted(address));
        if let Some(port) = of_plan.cpu_port {
            let _ = writeln!(text, "cpu_port = {port}");
        }
    }
    let _ = writeln!(text, "\n[control]\nsocket = {}", quoted_path(&lab.socket(&switch.name)));
    text
}

/// Returns a text in quotes. The escapes of JSON are those of TOML.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string())
}
