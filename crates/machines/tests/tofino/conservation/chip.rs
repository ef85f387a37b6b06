//! Random files of chips with slow links and little memory.

use std::collections::BTreeSet;
use std::fmt::Write;

use basis::Random;

pub const PIPES: u64 = 4;
/// The ports of a pipe that lead outside, four apart.
const PORTS: u64 = 3;
/// Groups, sessions and lists have numbers below this, of which 0 and the last are not there.
pub const NUMBERS: u64 = 5;

/// Draws a port that leads outside.
pub fn outside(random: &mut Random) -> u64 {
    128 * random.below(PIPES) + 4 * random.below(PORTS)
}

/// Returns the file of a chip, for Tofino 2 or for Tofino.
pub fn file(random: &mut Random, is_for_tofino_2: bool) -> String {
    let mut all: Vec<u64> = (0..PIPES).flat_map(|pipe| (0..PORTS).map(move |port| 128 * pipe + 4 * port)).collect();
    let down = random.chance(0.3).then(|| all.remove(random.below(all.len() as u64) as usize));
    let again: Vec<u64> = (0..PIPES).map(|pipe| 128 * pipe + 68).collect();
    let mut text = format!("pipes = {PIPES}\ningress_buffer = {}\n", 1 + random.below(8));
    let _ = writeln!(text, "[latency]\ntraffic_manager = \"{} ns\"", random.below(50));
    let _ = writeln!(text, "[queue]\nqueues = 4\n[[queue.class]]\nlimit = {}", 2 + random.below(8));
    text += "yellow = 0.5\nred = 0.25\n";
    let _ = writeln!(text, "[memory]\ncell = \"80 B\"\n[[memory.pool]]\nsize = \"{} B\"", 80 * (4 + random.below(30)));
    let _ = writeln!(text, "[[port]]\nports = {all:?}\nrate = \"1 Gb/s\"");
    let _ = writeln!(text, "[[port]]\nports = {again:?}\nrate = \"10 Gb/s\"");
    if let Some(down) = down {
        let _ = writeln!(text, "[[port]]\nports = [{down}]\nup = false");
    }
    if random.chance(0.5) {
        text += "[[port]]\nports = [64]\nrate = \"1 Gb/s\"\n";
    }
    for pipe in 0..PIPES {
        if random.chance(0.7) {
            let port = 128 * pipe + 4 * random.below(PORTS);
            let _ = writeln!(text, "[[deflection]]\nport = {port}\nqueue = {}", random.below(4));
            if random.chance(0.5) {
                let _ = writeln!(text, "length = {}", 16 + random.below(64));
            }
        }
    }
    for number in 1..NUMBERS - 1 {
        multicast(random, number, &mut text);
        mirror(random, number, &mut text);
    }
    generators(random, is_for_tofino_2, &mut text);
    text
}

fn ports(random: &mut Random) -> String {
    let ports: BTreeSet<u64> = (0..1 + random.below(3)).map(|_| outside(random)).collect();
    format!("{:?}", ports.into_iter().collect::<Vec<_>>())
}

fn multicast(random: &mut Random, number: u64, text: &mut String) {
    let _ = writeln!(text, "[[multicast]]\ngroup = {number}");
    for _ in 0..random.below(3) {
        let _ = writeln!(text, "[[multicast.node]]\nrid = {}\nports = {}", random.below(4), ports(random));
        if random.chance(0.7) {
            let _ = writeln!(text, "exclusion = {}", 1 + random.below(2));
        }
        if random.chance(0.3) {
            let _ = writeln!(text, "lags = [{number}]");
        }
    }
    if random.chance(0.25) {
        text.push_str("[[multicast.ecmp]]\n");
        for rid in 0..2 {
            let _ = writeln!(text, "[[multicast.ecmp.node]]\nrid = {rid}\nports = {}", ports(random));
        }
    }
    let _ = writeln!(text, "[[lag]]\nnumber = {number}\nports = {}", ports(random));
    let _ = writeln!(text, "[[exclusion]]\nnumber = {number}\nports = {}", ports(random));
}

fn mirror(random: &mut Random, number: u64, text: &mut String) {
    let _ = writeln!(text, "[[mirror]]\nsession = {number}\nport = {}", outside(random));
    let _ = writeln!(text, "length = {}\ndeflect_on_drop = {}", 16 + random.below(99), random.chance(0.5));
    if random.chance(0.3) {
        let _ = writeln!(text, "mcast_grp_a = {}\nrid = {}", 1 + random.below(NUMBERS - 1), random.below(4));
    }
    if random.chance(0.2) {
        text.push_str("copy_to_cpu = true\n");
    }
    if random.chance(0.2) {
        text.push_str("direction = \"egress\"\n");
    }
}

fn generators(random: &mut Random, is_for_tofino_2: bool, text: &mut String) {
    let triggers = [
        "trigger = \"periodic\"\ntimer = \"3 us\"\ntriggers = 3\npackets = 3".to_owned(),
        "trigger = \"port_down\"\nbatches = 2".to_owned(),
        {
            let zeros = "00".repeat(if is_for_tofino_2 { 16 } else { 4 });
            format!("trigger = \"recirculation\"\ntriggers = 5\npattern = \"0x{zeros}\"\nmask = \"0x{zeros}\"")
        },
    ];
    for (application, trigger) in triggers.iter().enumerate() {
        if random.chance(0.4) {
            let bytes: String = (0..8).map(|_| format!("{:02x}", random.below(64))).collect();
            let _ = writeln!(text, "[[generator]]\napplication = {application}\n{trigger}\npacket = \"0x{bytes}\"");
        }
    }
}
