//! Security groups as rules of nftables.

use vswitch::configuration::{Direction, Peer, SecurityRule};

/// The chains for two guests in a group of their own each, whose rules these are; `None` is a guest in no group.
pub fn chains(groups: [Option<&[SecurityRule]>; 2]) -> String {
    let mut text = String::new();
    for (number, rules) in groups.into_iter().enumerate() {
        for (name, direction, allow) in [("out", Direction::Out, "goto receive"), ("in", Direction::In, "accept")] {
            text.push_str(&format!("chain {name}{number} {{\n"));
            let Some(rules) = rules else {
                text.push_str(&format!("{allow}\n}}\n"));
                continue;
            };
            let mut own: Vec<_> = rules.iter().filter(|rule| rule.direction == direction).collect();
            // The lowest number decides, and among equals a denying rule.
            own.sort_by_key(|rule| (rule.priority, rule.allows));
            for rule in own {
                text.push_str(&format!("{} {}\n", condition(rule), if rule.allows { allow } else { "drop" }));
            }
            text.push_str("drop\n}\n");
        }
    }
    // A chain must be there before another one goes to it.
    let receive =
        "chain in0 { }\nchain in1 { }\nchain receive { oifname \"one\" goto in0; oifname \"two\" goto in1; accept; }\n";
    format!("{receive}{text}")
}

fn condition(rule: &SecurityRule) -> String {
    let mut text = String::new();
    if let Some(protocol) = rule.protocol {
        text.push_str(&format!("meta l4proto {protocol} "));
    }
    if let Some(ports) = &rule.ports {
        text.push_str(&format!("th dport {}-{} ", ports.start(), ports.end()));
    }
    if let Peer::Prefix(prefix) = rule.peer {
        let side = if rule.direction == Direction::In { "saddr" } else { "daddr" };
        let family = if prefix.to_string().contains(':') { "ip6" } else { "ip" };
        text.push_str(&format!("{family} {side} {prefix} "));
    }
    text
}
