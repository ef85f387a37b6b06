//! Packets: tails, new packets, what leaves and why.

use ir::interpret::threads::{Fault, Output, ThreadEnding};

use crate::support::{Running, sequence, text};

const DECLARATIONS: &str = "reason refused\ntimer age\ndigest seen(x: bit<64>, y: bit<8>)";

fn running(lines: &str) -> Running {
    Running::new(&text(DECLARATIONS, &sequence(lines)))
}

fn fault(lines: &str) -> Fault {
    match running(lines).values() {
        (ThreadEnding::Fault(fault), _) => fault,
        (ThreadEnding::Done, values) => panic!("no error: {values:?}"),
    }
}

/// The packet of 200 bytes that the tests send: 128 of them are the head.
fn packet() -> Vec<u8> {
    (0..200).collect()
}

#[test]
fn a_packet_leaves_with_the_head_that_the_program_names_and_its_tail() {
    let mut sent = running("memory(62u8, 0, 16) = 0xAABBu16\n\nsend 0u8 port 5u8 queue 2u8 head 62u8, 130u8");
    assert_eq!(sent.values().0, ThreadEnding::Done);
    assert_eq!(sent.sent(), [(5, 2, [&[0xAA, 0xBB][..], &packet()].concat())]);
    // A header that is removed lies before the head; the tail can be cut.
    let mut cut = running("cut_tail 0u8, 10u8\n\nsend 0u8 port 5u8 queue 2u8 head 78u8, 114u8");
    cut.values();
    assert_eq!(cut.sent()[0].2, packet()[14..138]);
}

#[test]
fn tails_are_read_and_written() {
    let mut read = running("read_tail 0u8, 8u8, 16 -> a, b\n\nread_tail 0u8, 70u8, 4 -> c");
    assert_eq!(read.abc(), [0x8889_8A8B_8C8D_8E8F, 0x9091_9293_9495_9697, 0xC6C7_0000]);
    let mut wrote = running("write_tail 0u8, 70u8, (0x01020304u32)\n\nsend 0u8 port 1u8 queue 0u8 head 64u8, 0u8");
    wrote.values();
    assert_eq!(wrote.sent()[0].2, [&packet()[128..198], &[1, 2, 3, 4]].concat());
    assert_eq!(fault("write_tail 0u8, 65532u16, (0x01020304u32)"), Fault::TailTooLong);
    assert_eq!(running("write_tail 0u8, 65531u16, (0x01020304u32)").values().0, ThreadEnding::Done);
    assert_eq!(fault("write_tail 0u8, 0xFFFFFFFFFFFFFFFFu64, (true)"), Fault::TailTooLong);
}

#[test]
fn threads_make_packets() {
    let lines = "make -> a\n\nwrite_tail a, 4u8, (7u8)\n\nmake tail 0u8 -> b\n\nsend a port 1u8 queue 0u8 head 64u8, 2u8\n\n\
                 multicast b group 9u8 head 64u8, 1u8\n\nmake -> c";
    let mut made = running(lines);
    let (ending, values) = made.values();
    assert_eq!((ending, values[..3].to_vec()), (ThreadEnding::Done, vec![1, 2, 3]));
    assert_eq!(made.sent(), [(1, 0, vec![0, 1, 0, 0, 0, 0, 7])]);
    let Output::Multicast { group: 9, packet: copy } = &made.outputs[1] else { panic!("{:?}", made.outputs) };
    assert_eq!((copy.number, copy.bytes()), (2, [&[0], &packet()[128..]].concat()));
    // The thread's own packet stays; the third packet that it made is gone with it.
    let many = "instruction start {\n  make -> a\n  goto start\n}\n";
    let (ending, values) = Running::new(&text(DECLARATIONS, many)).values();
    assert_eq!((ending, values[0]), (ThreadEnding::Fault(Fault::TooManyPackets), 255));
}

#[test]
fn a_packet_leaves_once() {
    let send = "send 0u8 port 1u8 queue 0u8 head 64u8, 1u8";
    for second in [
        send,
        "drop 0u8 reason refused",
        "multicast 0u8 group 1u8 head 64u8, 1u8",
        "read_tail 0u8, 0u8, 1",
        "make tail 0u8",
    ] {
        assert_eq!(fault(&format!("async {send}\n\n{second}")), Fault::NoPacket, "{second}");
    }
    assert_eq!(fault("drop 1u8 reason refused"), Fault::NoPacket);
    assert_eq!(fault("send 0u8 port 1u8 queue 0u8 head 64u8, 193u8"), Fault::LocalMemory);
    assert_eq!(fault("send 0u8 port 1u8 queue 0u8 head 0xFFFFFFFFFFFFFFFFu64, 2u8"), Fault::LocalMemory);
    let (_, thread) = running("drop 0u8 reason refused").packet(0, &[1]);
    assert!(!thread.holds_packet());
    let (_, thread) = running("a = 1u64").packet(0, &[1]);
    assert!(thread.holds_packet(), "it is consumed");
}

#[test]
fn the_head_is_what_it_was_when_the_packet_was_sent() {
    let lines =
        "async send 0u8 port 1u8 queue 0u8 head 64u8, 2u8\nmemory(64u8, 0, 8) = 9u8\n\nmemory(65u8, 0, 8) = 9u8";
    let mut sent = running(lines);
    sent.values();
    assert_eq!(sent.sent()[0].2[..2], [0, 1]);
}

#[test]
fn the_machine_is_asked_for_messages_and_timers() {
    let mut asked =
        running("digest seen(5u64, 6u8)\n\nstart_timer age, 1000u16\n\nstop_timer age\n\ndrop 0u8 reason refused");
    asked.values();
    let timer = ir::threads::TimerId(0);
    assert_eq!(
        asked.outputs,
        [
            Output::Digest { digest: ir::DigestId(0), values: vec![5, 6] },
            Output::TimerStarted { timer, period: 1000 },
            Output::TimerStopped { timer },
            Output::Dropped { number: 0, reason: ir::threads::ReasonId(0) },
        ]
    );
    assert_eq!(fault("start_timer age, a"), Fault::NoPeriod);
}
