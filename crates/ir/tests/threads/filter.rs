//! The packet filter of the paper (Trio, section 3.2): packets in, counters and verdicts out.

use ir::interpret::threads::ThreadEnding;

use crate::support::Running;

const FILTER: &str = include_str!("filter.ir");

fn frame(etype: u16, first: u8, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
    bytes[12..14].copy_from_slice(&etype.to_be_bytes());
    bytes[14] = first;
    bytes
}

#[test]
fn packets_without_options_pass_and_others_are_counted() {
    let mut filter = Running::new(FILTER);
    for (packet, forwarded) in [
        (frame(0x0800, 0x45, 64), true),
        (frame(0x0806, 0x45, 60), false),
        (frame(0x0800, 0x46, 100), false),
        (frame(0x0800, 0x65, 1500), false),
        (frame(0x0800, 0x45, 1500), true),
        (frame(0x86DD, 0x60, 90), false),
    ] {
        let before = filter.sent().len();
        let (ending, thread) = filter.packet(3, &packet);
        assert_eq!(ending, ThreadEnding::Done);
        assert!(!thread.holds_packet());
        let sent = filter.sent();
        assert_eq!(sent.len() - before, usize::from(forwarded));
        if forwarded {
            assert_eq!(sent[before], (1, 0, packet));
        }
    }
    // Packets and bytes: first those that are not IP, then those with options (figure 6).
    assert_eq!([4096, 4104, 4112, 4120].map(|address| filter.word(address)), [2, 150, 2, 1600]);
    assert_eq!(filter.drops(), ["not_ip", "has_options", "has_options", "not_ip"]);
}

/// The page of the manual begins with a simpler version of the same filter.
#[test]
fn the_program_of_the_manual_runs() {
    let page = include_str!("../../../../docs/threads.md");
    let text = page.split("```").nth(1).expect("a program");
    let mut filter = Running::new(text.trim_start());
    filter.packet(3, &frame(0x0800, 0x45, 300));
    filter.packet(3, &frame(0x0806, 0x45, 60));
    assert_eq!(filter.sent(), [(1, 0, frame(0x0800, 0x45, 300))]);
    assert_eq!((filter.word(4096), filter.word(4104), filter.drops()), (1, 60, vec!["not_ip"]));
}

#[test]
fn the_text_prints_as_it_was_read() {
    assert_eq!(crate::support::program(FILTER).to_string(), FILTER);
}
