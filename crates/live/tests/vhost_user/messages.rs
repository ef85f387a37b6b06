//! Front ends that break the protocol, or describe what is not there: they are disconnected, and others may come.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use live::reasons;
use vhost::VhostBackend;
use vhost::vhost_user::VhostUserFrontend;
use vmm_sys_util::eventfd::EventFd;

use crate::frames::receive;
use crate::guest::{Guest, HEADER, LENGTH, RECEIVE, SIZE, TRANSMIT, VERSION_1, await_link, interface};

/// Breaks the protocol in some way. Returns true if it was told that it did.
type Break = fn(&mut Guest) -> bool;

/// Returns an event descriptor that is none: one of a file in memory.
fn other_descriptor() -> EventFd {
    use std::os::fd::{FromRawFd, IntoRawFd};
    let file = rustix::fs::memfd_create("other", rustix::fs::MemfdFlags::CLOEXEC).expect("memory can be had");
    // SAFETY: the descriptor is open, and nobody else has it.
    #[expect(unsafe_code, reason = "there is no safe way to make an EventFd of something that is none")]
    unsafe {
        EventFd::from_raw_fd(file.into_raw_fd())
    }
}

const BREAKS: [(&str, Break); 10] = [
    ("a memory that is longer than its file", |guest| guest.share_memory(LENGTH + 4096).is_err()),
    ("a ring outside of the memory", |guest| {
        guest.describe(RECEIVE, [LENGTH, 0x1000, 0x2000], SIZE).is_err() || guest.front_end_starts(RECEIVE).is_err()
    }),
    ("a ring across the end of the memory", |guest| {
        guest.describe(RECEIVE, [0, LENGTH - 16, 0x2000], SIZE).is_err() || guest.front_end_starts(RECEIVE).is_err()
    }),
    ("a ring that is not aligned", |guest| {
        guest.describe(RECEIVE, [8, 0x1000, 0x2000], SIZE).is_err() || guest.front_end_starts(RECEIVE).is_err()
    }),
    ("a size that is no power of two", |guest| {
        guest.describe(RECEIVE, [0, 0x1000, 0x2000], 48).is_err() || guest.front_end_starts(RECEIVE).is_err()
    }),
    ("a ring that is longer than the switch takes", |guest| {
        guest.describe(RECEIVE, [0, 0x1_0000, 0x2_0000], 2048).is_err() || guest.front_end_starts(RECEIVE).is_err()
    }),
    ("a kick that is no event descriptor", |guest| {
        guest.front_end.set_vring_kick(TRANSMIT, &other_descriptor()).is_err()
    }),
    ("an interrupt that is no event descriptor", |guest| {
        guest.front_end.set_vring_call(TRANSMIT, &other_descriptor()).is_err()
    }),
    ("a feature that was not offered", |guest| guest.front_end.set_features(1 << 40).is_err()),
    ("memory that is not there", |guest| {
        let region = vhost::VhostUserMemoryRegionInfo { guest_phys_addr: 1, memory_size: 1, ..Default::default() };
        guest.front_end.remove_mem_region(&region).is_err()
    }),
];

#[test]
fn whoever_breaks_the_protocol_is_disconnected_and_the_next_may_come() {
    let (mut interface, path) = interface();
    for (what, break_it) in BREAKS {
        let mut guest = Guest::start(&path, VERSION_1);
        await_link(&mut interface, true);
        assert!(break_it(&mut guest), "{what}");
        await_link(&mut interface, false);
        drop(guest);
    }
    let mut guest = Guest::start(&path, VERSION_1);
    await_link(&mut interface, true);
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(&mut interface).0.len(), 1);
}

fn connect(path: &Path) -> UnixStream {
    UnixStream::connect(path).expect("the switch listens")
}

#[test]
fn bytes_that_are_no_messages_do_no_harm() {
    let (mut interface, path) = interface();
    let messages: [&[u8]; 5] = [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        &[0xFF; 4096],
        // The beginning of a message that never ends.
        &[1, 0, 0, 0, 1, 0, 0, 0],
        &[5, 0, 0, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0, 0],
    ];
    for message in messages {
        let mut stream = connect(&path);
        // The switch may have ended the connection already.
        let _ = stream.write_all(message);
    }
    let waiting = connect(&path);
    drop(waiting);
    let _guest = Guest::start(&path, VERSION_1);
    await_link(&mut interface, true);
}

#[test]
fn an_interface_ends_while_a_front_end_says_half_a_message() {
    let (interface, path) = interface();
    let mut stream = connect(&path);
    stream.write_all(&[1, 0, 0, 0]).expect("the switch listens");
    drop(interface);
    assert!(!path.exists());
}

/// QEMU 7.2 enables the queues of a network card before it says which features it takes, and not once more behind that. It was
/// disconnected for that at first, and then it was heard, but its queues stayed disabled: every frame was dropped.
#[test]
fn queues_that_are_enabled_before_features_are_taken_stay_enabled() {
    let (mut interface, path) = interface();
    let mut stream = connect(&path);
    let mut guest = Guest::over(stream.try_clone().expect("a descriptor is left"));
    enables(&mut stream, RECEIVE, true);
    enables(&mut stream, TRANSMIT, true);
    guest.take_features(VERSION_1);
    guest.share_memory(LENGTH).expect("the memory is accepted");
    guest.set_up_without_enabling(RECEIVE);
    guest.set_up_without_enabling(TRANSMIT);
    await_link(&mut interface, true);
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(&mut interface).0.len(), 1);
}

/// What counts is what was said last before features were taken, and a queue that was not spoken of is disabled.
#[test]
fn queues_that_are_disabled_again_before_features_are_taken_stay_disabled() {
    let (mut interface, path) = interface();
    let mut stream = connect(&path);
    let mut guest = Guest::over(stream.try_clone().expect("a descriptor is left"));
    for is_enabled in [true, false] {
        enables(&mut stream, TRANSMIT, is_enabled);
    }
    guest.take_features(VERSION_1);
    guest.share_memory(LENGTH).expect("the memory is accepted");
    guest.set_up_without_enabling(RECEIVE);
    guest.set_up_without_enabling(TRANSMIT);
    guest.transmit([0; HEADER], &[&[7; 60]]);
    let (received, discarded) = receive(&mut interface);
    assert_eq!((received.len(), discarded[0].reason), (0, reasons::INTERFACE_DOWN));
    guest.front_end_enables(TRANSMIT);
    guest.front_end_enables(RECEIVE);
    await_link(&mut interface, true);
}

/// Versions of QEMU behind 7.2 ask for an answer and wait for it, and would wait for ever without one.
#[test]
fn early_messages_about_queues_are_answered_if_an_answer_is_asked_for() {
    let (_interface, path) = interface();
    let mut stream = connect(&path);
    stream.set_read_timeout(Some(std::time::Duration::from_secs(10))).expect("a timeout can be set");
    for (queue, failed) in [(RECEIVE, 0), (TRANSMIT, 0), (2, 1)] {
        says(&mut stream, 1 | 1 << 3, queue, true);
        let mut answer = [0; 20];
        stream.read_exact(&mut answer).expect("the switch answers");
        assert_eq!(answer, *[SET_VRING_ENABLE, 1 | 1 << 2, 8, failed, 0].map(u32::to_ne_bytes).as_flattened());
    }
}

/// The number of the request by which a queue is enabled or disabled.
const SET_VRING_ENABLE: u32 = 18;

/// Says that a queue is enabled or disabled, in a message of its own, whatever was agreed before.
fn says(stream: &mut UnixStream, flags: u32, queue: usize, is_enabled: bool) {
    let words = [SET_VRING_ENABLE, flags, 8, queue as u32, u32::from(is_enabled)];
    stream.write_all(words.map(u32::to_ne_bytes).as_flattened()).expect("the switch listens");
}

/// As [`says`], without asking for an answer.
fn enables(stream: &mut UnixStream, queue: usize, is_enabled: bool) {
    says(stream, 1, queue, is_enabled);
}

#[test]
fn an_early_message_about_a_queue_that_is_not_there_breaks_the_protocol() {
    let (mut interface, path) = interface();
    let mut stream = connect(&path);
    enables(&mut stream, 2, true);
    assert_eq!(stream.read(&mut [0]).expect("the switch ends the connection"), 0);
    let _guest = Guest::start(&path, VERSION_1);
    let warnings = await_link(&mut interface, true);
    assert!(matches!(warnings[..], [Some(_), None]), "a guest that keeps to it is not warned of: {warnings:?}");
}
