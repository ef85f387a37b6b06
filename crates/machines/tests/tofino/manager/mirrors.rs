//! Mirror sessions that settings give, and the copy for the CPU.

use machines::tofino::{TofinoParameters, reasons};

use super::support::{Order, PROGRAM, Seen, bench, bench_of_tofino_2, drain, flag, hold_queues, read, seen, settings};
use crate::bench::{Bench, End, chip_with};

const SESSIONS: &str = r#"
[[mirror]]
session = 7
port = 20
queue = 3
length = 40
ingress_cos = 5
[[mirror]]
session = 8
direction = "egress"
mcast_grp_a = 5
level2_mcast_hash = 1
copy_to_cpu = true
icos_for_copy_to_cpu = 6
[[mirror]]
session = 9
direction = "none"
port = 20
[[multicast]]
group = 5
[[multicast.node]]
rid = 4
ports = [21]
lags = [1]
[[lag]]
number = 1
ports = [22, 23]
"#;

fn order(flags: u8, session: u16) -> Order {
    Order { port: 4, flags, session, ..Order::default() }
}

#[test]
fn a_session_gives_port_queue_length_and_class() {
    for mut bench in [bench(SESSIONS), bench_of_tofino_2(SESSIONS)] {
        let ends = bench.packet(0, &order(flag::MIRROR_IN_INGRESS, 7).packet(100));
        let [mirrored, own] = &seen(&ends)[..] else { panic!("{ends:?}") };
        let mirrored = mirrored.unwrap();
        assert_eq!((mirrored.port, mirrored.queue, mirrored.class_of_service, mirrored.length), (20, 3, 5, 40));
        // Egress takes the program's header away, which counts towards the length, and writes its own.
        let End::Sent(20, bytes) = &ends[0] else { panic!("{ends:?}") };
        assert_eq!(Seen::of(bytes).1, &order(flag::MIRROR_IN_INGRESS, 7).packet(100)[..39]);
        assert_eq!(own.unwrap().port, 4);
    }
}

#[test]
fn a_session_can_have_groups_and_the_cpu_and_be_for_one_gress() {
    let mut bench = bench(SESSIONS);
    let ends = bench.packet(0, &order(flag::MIRROR_IN_EGRESS, 8).packet(1));
    let all: Vec<Seen> = seen(&ends).into_iter().map(Result::unwrap).collect();
    let of = |seen: &Seen| (seen.port, seen.rid, seen.first, seen.class_of_service);
    // What egress mirrors begins egress when the packet itself is on the line.
    let mut found: Vec<_> = all.iter().map(of).collect();
    found.sort_unstable();
    assert_eq!(found, [(4, 0, 0, 0), (21, 4, 1, 0), (23, 4, 0, 0), (64, 0, 0, 6)]);
    let unknown = End::Discarded(reasons::UNKNOWN_MIRROR_SESSION);
    assert_eq!(bench.packet(0, &order(flag::MIRROR_IN_INGRESS, 8).packet(1))[0], unknown);
    for flags in [flag::MIRROR_IN_INGRESS, flag::MIRROR_IN_EGRESS] {
        assert!(bench.packet(0, &order(flags, 9).packet(1)).contains(&unknown));
    }
}

#[test]
fn a_session_has_a_colour_and_can_deflect() {
    let text =
        "[[deflection]]\nport = 9\n[[mirror]]\nsession = 1\nport = 20\ncolor = \"yellow\"\ndeflect_on_drop = true\n";
    let mut bench = bench(text);
    // Four cells a queue, two for yellow packets.
    hold_queues(&mut bench, 1000, 4);
    let mut ports = Vec::new();
    for _ in 0..5 {
        bench.packet(0, &order(flag::MIRROR_IN_INGRESS, 1).packet(1));
    }
    for seen in seen(&super::support::drain(&mut bench)).into_iter().flatten() {
        ports.push((seen.port, seen.deflected));
    }
    let count = |what| ports.iter().filter(|&&own| own == what).count();
    // One on the line at once, two wait, two are deflected, of which one is on the line at once.
    assert_eq!((count((20, 0)), count((9, 1))), (2, 1), "{ports:?}");
}

/// What a program of T2NA says about deflection counts in place of what the session says, in both gresses.
#[test]
fn a_program_says_whether_its_mirrors_are_deflected() {
    let in_ingress = "if (hdr.order.flags[2:2] == 1) { ig_dprsr_md.mirror_type = 1; }";
    let in_egress = "if (hdr.seen.isValid() && hdr.order.flags[3:3] == 1) { eg_dprsr_md.mirror_type = 1; }";
    let says = |metadata: &str, statement: &str| {
        format!(
            "{statement} if (hdr.order.isValid()) {{
                if (hdr.order.flags[4:4] == 1) {{ {metadata}.mirror_deflect_on_drop = 1; }}
                if (hdr.order.flags[5:5] == 1) {{ {metadata}.mirror_deflect_on_drop = 0; }}
            }}"
        )
    };
    let program = PROGRAM
        .replace("<tna.p4>", "<t2na.p4>")
        .replace(in_ingress, &says("ig_dprsr_md", in_ingress))
        .replace(in_egress, &says("eg_dprsr_md", in_egress));
    let text = "[[deflection]]\nport = 9\n[[mirror]]\nsession = 1\nport = 20\n\
                [[mirror]]\nsession = 2\nport = 20\ndeflect_on_drop = true\n";
    let deflected = |mirror: u8, says: u8, session: u16| {
        let parameters = TofinoParameters { chip: Some(settings(text)), ..TofinoParameters::default() };
        let mut bench = Bench::of(chip_with(&program, parameters).unwrap());
        hold_queues(&mut bench, 1000, 1);
        // One mirrored packet is on the line to port 20, one waits, and there is no room for the third. The packets themselves
        // have a port each.
        let mut ends = Vec::new();
        for port in [4, 5, 6] {
            ends.extend(bench.packet(0, &Order { port, flags: mirror | says, session, ..Order::default() }.packet(1)));
        }
        ends.extend(drain(&mut bench));
        seen(&ends).into_iter().flatten().filter(|seen| seen.deflected == 1).map(|seen| seen.port).collect::<Vec<_>>()
    };
    for mirror in [flag::MIRROR_IN_INGRESS, flag::MIRROR_IN_EGRESS] {
        let found = [(0, 1), (0x10, 1), (0, 2), (0x20, 2)].map(|(says, session)| deflected(mirror, says, session));
        assert_eq!(found, [vec![], vec![9], vec![9], vec![]], "{mirror}");
    }
}

#[test]
fn the_copy_for_the_cpu_has_a_class_of_service_of_its_own() {
    let mut bench = bench("");
    let order =
        Order { port: 4, flags: flag::COPY_TO_CPU, class_of_service: 2, cpu_class_of_service: 7, ..Order::default() };
    let classes: Vec<_> = seen(&bench.packet(0, &order.packet(0)))
        .into_iter()
        .map(|seen| seen.map(|seen| (seen.port, seen.class_of_service)).unwrap())
        .collect();
    assert_eq!(classes, [(4, 2), (64, 7)]);
}

#[test]
fn mistakes_are_found_at_their_places() {
    let text = "[[mirror]]\nsession = 3\n[[mirror]]\nsession = 3\nport = 1\ncolor = \"blue\"\nrid = 4\n";
    let found = read(text).unwrap_err();
    let has = |what: &str, place: &str| {
        let has = found.iter().any(|(message, at)| message.contains(what) && at.starts_with(place));
        assert!(has, "{what} at {place}: {found:?}");
    };
    has("the mirror session sends its packets nowhere", "[[mirror]]");
    has("the mirror session 3 is there twice", "3");
    has("there is no `color` called `blue`", "\"blue\"");
    has("rid", "rid");
}
