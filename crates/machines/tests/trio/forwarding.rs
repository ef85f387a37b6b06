//! What becomes of packets, and when.

use machines::Device;
use machines::trio::TrioParameters;
use wire::{Packet, Tail};

use crate::bench::{Bench, SEND, at, text};

fn filter() -> &'static str {
    include_str!("../../../ir/tests/threads/filter.ir")
}

fn packet(kind: u16, first: u8) -> Vec<u8> {
    let mut packet = vec![7; 60];
    packet[12..14].copy_from_slice(&kind.to_be_bytes());
    packet[14] = first;
    packet
}

/// A lone packet takes 20 cycles an instruction, and what its transactions take: 3 instructions, and the way of its head to the
/// packet buffer.
#[test]
fn the_filter_of_the_paper_forwards_and_drops() {
    let mut bench = Bench::new(filter(), TrioParameters::default());
    bench.offer(100, 0, &packet(0x0800, 0x45));
    bench.offer(1000, 0, &packet(0x0800, 0x46));
    bench.offer(2000, 0, &packet(0x86DD, 0x45));
    bench.finish();
    let sent: Vec<_> = bench.seen.sent.iter().map(|(_, port, bytes)| (*port, bytes.clone())).collect();
    assert_eq!(sent, [(1, packet(0x0800, 0x45))]);
    let reasons: Vec<&str> = bench.seen.discarded.iter().map(|(_, reason)| *reason).collect();
    assert_eq!(reasons, ["has_options", "not_ip"]);
    // The crossbar takes 25 ns, and then the packet buffer takes the head.
    assert_eq!(bench.seen.sent[0].0, 100 + 3 * 20 + 25);
    let word = |address| {
        let mut bytes = [0; 8];
        bench.chip.program_state().memory.read(address, &mut bytes).unwrap();
        u64::from_be_bytes(bytes)
    };
    assert_eq!([4096, 4104, 4112, 4120].map(word), [1, 60, 1, 60]);
}

#[test]
fn tails_that_are_only_lengths_stay_so() {
    let mut bench = Bench::new(&text("", &format!("instruction start {{\n{SEND}}}")), TrioParameters::default());
    bench.offer_packet(at(0), 2, Packet::of_bytes(&[1; 100]).with_tail(Tail::Length(1000)));
    bench.offer_packet(at(0), 3, Packet::of_bytes(&[2; 10]).with_tail(Tail::Bytes([3; 70][..].into())));
    bench.finish();
    let mut first = vec![1; 100];
    first.resize(1100, 0);
    let second = [vec![2; 10], vec![3; 70]].concat();
    let sent: Vec<_> = bench.seen.sent.iter().map(|(_, port, bytes)| (*port, bytes.clone())).collect();
    assert_eq!(sent, [(3, first), (2, second)]);
}

/// A thread that sends copies makes packets; without an end of its own packet that is consumed.
#[test]
fn packets_that_threads_make_go_out_and_others_are_consumed() {
    let instructions = "instruction start {\nmake -> a\ngoto next\n}\n\
         instruction next {\nsend a port 2u8 queue 1u8 head 64u16, 4u8\nend\n}";
    let mut bench = Bench::new(&text("", instructions), TrioParameters::default());
    bench.offer(0, 0, &packet(1, 2));
    bench.finish();
    assert_eq!(bench.seen.sent.iter().map(|(_, port, bytes)| (*port, bytes.len())).collect::<Vec<_>>(), [(2, 4)]);
    assert_eq!(bench.seen.discarded.iter().map(|(_, reason)| *reason).collect::<Vec<_>>(), ["consumed by its thread"]);
    assert_eq!(bench.counter("packets_made"), 1);
}

#[test]
fn errors_of_threads_and_ports_that_do_not_exist_are_reasons() {
    let instructions = "instruction start {\ngoto out if port == 1u16\ngoto far\n}\n\
         instruction far {\nmemory(length + 1000u16, 0, 8) = 0u8\n goto out\n}\n\
         instruction out {\nsend 0u8 port 99u8 queue 0u8 head 64u16, head_length\nend\n}";
    let mut bench = Bench::new(&text("", instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.offer(0, 1, &[1; 20]);
    bench.finish();
    let mut reasons: Vec<&str> = bench.seen.discarded.iter().map(|(_, reason)| *reason).collect();
    reasons.sort_unstable();
    assert_eq!(reasons, ["no such port", "outside of local memory"]);
    assert_eq!(bench.counter("faults"), 1);
}

/// A thread that did something else between an asynchronous transaction and an instruction that waits once stopped the chip.
#[test]
fn a_thread_waits_for_replies_when_it_has_done_something_else() {
    let instructions = "instruction start {\nasync read 0u64, 8 -> a\ngoto other\n}\n\
         instruction other {\nb = 1u64\ngoto late\n}\n\
         instruction late waits {\nsend 0u8 port 2u8 queue 0u8 head 64u16, head_length\nend\n}";
    let declarations = "segment near: on_chip at 0 size 64";
    let mut bench = Bench::new(&text(declarations, instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.finish();
    // The reply to what is asked for in cycle 20 comes in cycle 90.
    assert_eq!(bench.seen.sent.len(), 1);
    assert_eq!(bench.seen.sent[0].0, 90 + 20 + 25);
}

#[test]
fn packets_of_a_group_are_copied() {
    let instructions = "instruction start {\nmulticast 0u8 group 7u8 head 64u16, head_length\nend\n}";
    let mut bench = Bench::new(&text("", instructions), TrioParameters::default());
    bench.offer(0, 0, &[1; 20]);
    bench.finish();
    assert_eq!(bench.seen.discarded.len(), 1);
    let replicas = [1, 3].map(|port| control::Replica { port, instance: 0 }).to_vec();
    let request = control::ReplicationRequest::Insert(replicas.into());
    bench.chip.execute(&control::Request::MulticastGroup(7, request)).expect("there is no such group");
    bench.offer(1000, 0, &[1; 20]);
    bench.finish();
    assert_eq!(bench.seen.sent.iter().map(|(_, port, _)| *port).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(bench.seen.discarded.len(), 1);
}

/// An endless loop is stopped after as many instructions as the chip allows, and its packet dropped.
#[test]
fn a_thread_executes_as_many_instructions_as_the_chip_allows() {
    let instructions = "instruction start {\na = a + 1u64\ngoto start\n}";
    let parameters = TrioParameters { instructions: 100, ..TrioParameters::default() };
    let mut bench = Bench::new(&text("", instructions), parameters);
    bench.offer(0, 0, &[1; 20]);
    bench.finish();
    assert_eq!(bench.seen.discarded, [(101 * 20, "too many instructions")]);
    assert_eq!((bench.counter("faults"), bench.counter("instructions")), (1, 101));
}
