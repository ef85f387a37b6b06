//! Several pipes: ports by pipe, a state and perhaps a program in each.

use machines::tofino::{ChipSettings, TofinoParameters, reasons};
use node::Reason;

use crate::bench::{ACTOR, Bench, End, Order, chip_with, flag};

fn parameters(pipes: u16) -> TofinoParameters {
    TofinoParameters { chip: Some(ChipSettings::of_pipes(pipes)), ..TofinoParameters::default() }
}

/// Returns how many packets each pipe has counted that arrived on a port.
fn arrived(bench: &Bench, port: usize) -> Vec<u64> {
    bench.chip.states().iter().map(|state| state.counters[0].get(port).unwrap().packets).collect()
}

#[test]
fn a_packet_runs_in_the_pipe_of_its_port_and_each_pipe_has_its_state() {
    let mut bench = Bench::with(parameters(4));
    let order = Order { port: 2 * 128 + 5, ..Order::default() };
    for port in [4, 128 + 4, 3 * 128 + 63] {
        let ends = bench.packet(port, &order.packet(0));
        assert!(matches!(&ends[..], [End::Sent(261, bytes)] if bytes[..2] == [1, 5]), "{ends:?}");
    }
    assert_eq!(arrived(&bench, 4), [1, 0, 0, 0]);
    assert_eq!(arrived(&bench, 132), [0, 1, 0, 0]);
    assert_eq!(arrived(&bench, 447), [0, 0, 0, 1]);
}

#[test]
fn pipes_that_share_their_state_count_together() {
    let mut bench = Bench::with(TofinoParameters { shares_state: true, ..parameters(4) });
    bench.packet(132, &Order { port: 4, ..Order::default() }.packet(0));
    assert_eq!(arrived(&bench, 132), [1]);
}

#[test]
fn ports_that_no_pipe_has_are_none() {
    let mut bench = Bench::with(parameters(2));
    let order = Order { port: 4, ..Order::default() };
    for port in [72, 127, 200, 256] {
        assert_eq!(bench.packet(port, &order.packet(0)), [End::Discarded(Reason::NO_SUCH_PORT)], "from {port}");
        let there = Order { port, ..order };
        assert_eq!(bench.packet(4, &there.packet(0)), [End::Discarded(Reason::NO_SUCH_PORT)], "to {port}");
    }
}

#[test]
fn a_packet_recirculates_into_the_pipe_of_the_port_that_it_leaves_by() {
    let mut bench = Bench::with(parameters(4));
    let order = Order { port: 4, again: 2, ..Order::default() };
    assert!(matches!(bench.packet(131, &order.packet(0))[..], [End::Sent(4, _)]));
    assert_eq!((arrived(&bench, 131), arrived(&bench, 128 + 68)), (vec![0, 1, 0, 0], vec![0, 2, 0, 0]));
}

#[test]
fn copies_cross_between_pipes() {
    let mut bench = Bench::with(parameters(2));
    let order = Order { flags: flag::COPY_TO_CPU, port: 132, group: 5, ..Order::default() };
    let ports: Vec<_> = bench
        .packet(130, &order.packet(0))
        .into_iter()
        .map(|end| match end {
            End::Sent(port, _) => port,
            End::Discarded(reason) => panic!("{reason}"),
        })
        .collect();
    assert_eq!(ports, [132, 1, 2, 2, 64]);
}

#[test]
fn tables_are_written_in_all_pipes() {
    let text = ACTOR.replacen(
        "    apply {\n        arrived.count",
        "    action drop() { ig_dprsr_md.drop_ctl = 1; }\n    table ports { key = { ig_intr_md.ingress_port: exact; } \
         actions = { drop; NoAction; } }\n    apply {\n        ports.apply();\n        arrived.count",
        1,
    );
    let text = text.replace("ig_dprsr_md.drop_ctl = 1w0 ++ hdr.order.flags[1:0];", "");
    let mut bench = Bench::of(chip_with(&text, parameters(4)).unwrap());
    let info = machines::Device::info(&bench.chip).clone();
    let commands = "table_add Ingress.ports Ingress.drop 133 =>\n";
    let mut sources = diagnostics::Sources::new();
    let id = sources.add("commands.txt", commands);
    let requests = control::commands::prepare(&info, &sources, id).expect("the table exists").steps;
    requests.into_iter().for_each(|request| bench.control(request.item));
    let order = Order { port: 4, ..Order::default() };
    assert_eq!(bench.packet(133, &order.packet(0)), [End::Discarded(Reason::PROGRAM)]);
    assert!(matches!(bench.packet(132, &order.packet(0))[..], [End::Sent(4, _)]));
}

/// A program for each of two pipes, the second of which sends everything to port 7.
fn two_programs() -> String {
    let second = ACTOR[ACTOR.find("control Ingress(").unwrap()..ACTOR.find("control IngressDeparser(").unwrap()]
        .replace("control Ingress(", "control Second(")
        .replace("ig_tm_md.qid = 3;", "ig_tm_md.qid = 3; ig_tm_md.ucast_egress_port = 7;");
    let pipe =
        "Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;";
    let one = ACTOR.replace(pipe, "").replace("Switch(pipe) main;", "");
    let first = pipe.replace(") pipe;", ") first;");
    let other = pipe.replace("Ingress()", "Second()").replace(") pipe;", ") second;");
    format!("{one}{second}{first}{other}Switch(first, second) main;")
}

#[test]
fn each_pipe_runs_the_program_that_it_has() {
    let mut bench = Bench::of(chip_with(&two_programs(), TofinoParameters::default()).unwrap());
    let order = Order { port: 130, ..Order::default() };
    assert!(matches!(bench.packet(1, &order.packet(0))[..], [End::Sent(130, _)]));
    assert!(matches!(bench.packet(129, &order.packet(0))[..], [End::Sent(7, _)]));
    let unknown = Order { group: 9, ..Order::default() };
    assert_eq!(bench.packet(1, &unknown.packet(0)), [End::Discarded(reasons::UNKNOWN_MULTICAST_GROUP)]);
}

#[test]
fn a_program_for_each_of_two_pipes_needs_two_pipes() {
    let refused = chip_with(&two_programs(), parameters(4)).err().expect("four pipes").to_string();
    let expected = "the program has a program of its own for each of 2 pipes, and the chip has 4: it takes one program for \
                    all pipes, or one for each";
    assert!(refused.contains(expected), "{refused}");
}
