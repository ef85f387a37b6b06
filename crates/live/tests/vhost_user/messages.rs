//! Front ends that break the protocol, or describe what is not there: they are disconnected, and others may come.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

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

/// QEMU 7.2 enables the queues of a network card before it says which features it takes. It was disconnected for
/// that, tried again, and ended.
#[test]
fn a_queue_may_be_enabled_before_features_are_taken() {
    /// Requests of vhost-user, by their numbers.
    const GET_FEATURES: u32 = 1;
    const SET_OWNER: u32 = 3;
    const SET_VRING_ENABLE: u32 = 18;
    let (_interface, path) = interface();
    let mut stream = UnixStream::connect(&path).expect("the switch listens");
    stream.set_read_timeout(Some(std::time::Duration::from_secs(10))).expect("a timeout can be set");
    let mut ask = |request: u32, body: &[u32]| {
        let header = [request, 1, 4 * body.len() as u32];
        let bytes: Vec<u8> = header.iter().chain(body).flat_map(|word| word.to_le_bytes()).collect();
        stream.write_all(&bytes).expect("the switch listens");
    };
    ask(SET_OWNER, &[]);
    ask(SET_VRING_ENABLE, &[0, 1]);
    ask(SET_VRING_ENABLE, &[1, 1]);
    ask(GET_FEATURES, &[]);
    let mut answer = [0; 20];
    stream.read_exact(&mut answer).expect("it is still connected");
    assert_eq!(answer[..4], GET_FEATURES.to_le_bytes());
}
