//! Guests that write into their queues whatever does the most harm.

use live::{Interface, VhostUser, reasons};
use node::Discarded;
use proptest::prelude::*;
use vm_memory::{Bytes, GuestAddress};
use wire::Packet;

use crate::frames::{receive, send};
use crate::guest::{
    BASE, BUFFERS, EVENT_INDEX, Guest, HEADER, INDIRECT, LENGTH, MERGED, NEXT, RECEIVE, SIZE, TABLE, TRANSMIT,
    VERSION_1, WRITE, await_link, interface, wait, write_descriptor,
};

/// Where the guest writes tables of descriptors.
const TABLES: u64 = BUFFERS + 0x20_0000;

fn started(features: u64) -> (VhostUser, Guest) {
    let (mut interface, path) = interface();
    let guest = Guest::start(&path, features);
    await_link(&mut interface, true);
    (interface, guest)
}

fn reasons_of(discarded: &[Discarded]) -> Vec<node::Reason> {
    discarded.iter().map(|discarded| discarded.reason).collect()
}

/// Writes descriptors, of which the first begins a chain.
type Chain = fn(&Guest);

const BAD: [(&str, Chain); 11] = [
    ("an address outside of the memory", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BASE + LENGTH, 100), 0, 0);
    }),
    ("bytes across the end of the memory", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BASE + LENGTH - 50, 100), 0, 0);
    }),
    ("an address at the end of all addresses", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (u64::MAX - 10, u32::MAX), 0, 0);
    }),
    ("a loop", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BUFFERS, 1), NEXT, 1);
        guest.describe_buffer(TRANSMIT, 1, (BUFFERS, 1), NEXT, 0);
    }),
    ("a loop of nothing", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BUFFERS, 0), NEXT, 0);
    }),
    ("a next descriptor that is none", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BUFFERS, 60), NEXT, SIZE);
    }),
    ("bytes to write", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BUFFERS, 100), WRITE, 0);
    }),
    ("less than a header", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (BUFFERS, HEADER as u32 - 1), 0, 0);
    }),
    ("a table within a table", |guest| {
        write_descriptor(&guest.memory, TABLES, 0, (TABLES, 16), TABLE, 0);
        guest.describe_buffer(TRANSMIT, 0, (TABLES, 16), TABLE, 0);
    }),
    ("a table with a descriptor behind it", |guest| {
        guest.describe_buffer(TRANSMIT, 0, (TABLES, 16), TABLE | NEXT, 1);
    }),
    ("a table that loops", |guest| {
        write_descriptor(&guest.memory, TABLES, 0, (BUFFERS, 1), NEXT, 0);
        guest.describe_buffer(TRANSMIT, 0, (TABLES, 0xFFFF * 16), TABLE, 0);
    }),
];

#[test]
fn bad_chains_are_discarded_and_the_queue_goes_on() {
    let (mut interface, mut guest) = started(VERSION_1 | INDIRECT);
    for (what, describe) in BAD {
        describe(&guest);
        guest.offer_chain(TRANSMIT, 0);
        guest.kick(TRANSMIT);
        wait(interface.descriptor());
        let (burst, discarded) = receive(&mut interface);
        assert_eq!((burst.len(), reasons_of(&discarded)), (0, vec![reasons::BAD_DESCRIPTOR]), "{what}");
        assert_eq!(guest.used(TRANSMIT), [(0, 0)], "{what}: the chain is given back");
    }
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(&mut interface).0.len(), 1);
}

#[test]
fn tables_of_descriptors_are_followed() {
    let (mut interface, mut guest) = started(VERSION_1 | INDIRECT);
    guest.memory.write_slice(&[0; HEADER], GuestAddress(BUFFERS)).expect("within the memory");
    write_descriptor(&guest.memory, TABLES, 0, (BUFFERS, HEADER as u32), NEXT, 2);
    write_descriptor(&guest.memory, TABLES, 2, (BUFFERS, 64), 0, 0);
    guest.describe_buffer(TRANSMIT, 0, (TABLES, 48), TABLE, 0);
    guest.offer_chain(TRANSMIT, 0);
    let (burst, discarded) = receive(&mut interface);
    assert_eq!((burst[0].len(), discarded.len()), (64, 0));
}

#[test]
fn buffers_that_cannot_be_written_cost_the_frame_and_nothing_else() {
    let bad = [(BASE + LENGTH, 2048, WRITE), (BUFFERS, 2048, 0), (BASE + LENGTH - 10, 2048, WRITE)];
    for (address, length, flags) in bad {
        let (mut interface, mut guest) = started(VERSION_1 | MERGED);
        guest.describe_buffer(RECEIVE, 0, (address, length), flags, 0);
        guest.offer_chain(RECEIVE, 0);
        let (_, count, discarded) = send(&mut interface, vec![Packet::of_bytes(&[1; 60])]);
        assert_eq!((count, reasons_of(&discarded)), (0, vec![reasons::BAD_DESCRIPTOR]));
        assert_eq!(guest.used(RECEIVE), [(0, 0)]);
        guest.describe_buffer(RECEIVE, 1, (BUFFERS, 2048), WRITE, 0);
        guest.offer_chain(RECEIVE, 1);
        assert_eq!(send(&mut interface, vec![Packet::of_bytes(&[1; 60])]).1, 1);
    }
}

#[test]
fn a_queue_that_makes_no_sense_is_given_up_until_it_is_set_up_again() {
    let (mut interface, mut guest) = started(VERSION_1);
    guest.set_available(TRANSMIT, SIZE + 1);
    guest.kick(TRANSMIT);
    wait(interface.descriptor());
    assert_eq!(receive(&mut interface).0.len(), 0);
    await_link(&mut interface, false);
    assert!(matches!(interface.next_event(), Ok(Some(live::InterfaceEvent::Warning(Some(_))))));
    let (_, count, discarded) = send(&mut interface, vec![Packet::of_bytes(&[1; 60])]);
    assert_eq!((count, reasons_of(&discarded)), (0, vec![reasons::INTERFACE_DOWN]));
    guest.set_up(TRANSMIT);
    assert_eq!(await_link(&mut interface, true), [None], "what was warned of is over");
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(&mut interface).0.len(), 1);
}

#[test]
fn headers_that_ask_for_the_impossible_are_discarded() {
    let (mut interface, mut guest) = started(VERSION_1);
    // A segmentation of another protocol, segments without payload, and a checksum behind the end.
    for header in [
        [0, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 59, 0, 2, 0, 0, 0],
    ] {
        guest.transmit(header, &[&[7; 60]]);
        let (burst, discarded) = receive(&mut interface);
        assert_eq!((burst.len(), reasons_of(&discarded)), (0, vec![node::Reason::MALFORMED]));
    }
    guest.transmit([0; HEADER], &[&[7; 13]]);
    assert_eq!(reasons_of(&receive(&mut interface).1), [reasons::TOO_SHORT]);
    // Of four gigabytes, no more is read than the longest frame has.
    guest.describe_buffer(TRANSMIT, 0, (BUFFERS, u32::MAX), 0, 0);
    guest.offer_chain(TRANSMIT, 0);
    assert_eq!(reasons_of(&receive(&mut interface).1), [reasons::TOO_LONG]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever stands in the queues, the switch only discards, and goes on with the next guest.
    #[test]
    fn garbage_in_the_queues_does_no_harm(
        garbage in prop::collection::vec((0..0x8000u64, any::<u16>()), 0..400),
        descriptors in prop::collection::vec(
            (0..2usize, 0..SIZE, BASE - 100..BASE + LENGTH + 100, 0..70_000u32, 0..8u16, 0..SIZE + 2),
            0..200,
        ),
        available in 0..SIZE + 3,
        features in 0..8u64,
    ) {
        let bits = [MERGED, EVENT_INDEX, INDIRECT];
        let features = (0..3).filter(|bit| features >> bit & 1 == 1).map(|bit| bits[bit]).fold(VERSION_1, |all, bit| all | bit);
        let (mut interface, path) = interface();
        let guest = Guest::start(&path, features);
        await_link(&mut interface, true);
        for (at, value) in garbage {
            guest.memory.write_obj(value, GuestAddress(BASE + at)).expect("within the memory");
        }
        for (queue, number, address, length, flags, next) in descriptors {
            guest.describe_buffer(queue, number, (address, length), flags, next);
        }
        for queue in [RECEIVE, TRANSMIT] {
            guest.set_available(queue, available);
            guest.kick(queue);
        }
        let packets: Vec<Packet> = [14, 60, 1514, 65_000].map(|length| Packet::of_bytes(&vec![1; length])).into();
        let (left, sent, discarded) = send(&mut interface, packets);
        prop_assert_eq!(left.len() + sent + discarded.len(), 4);
        let (burst, discarded) = receive(&mut interface);
        prop_assert!(burst.len() + discarded.len() <= usize::from(SIZE));
        drop(guest);
        let mut guest = Guest::start(&path, VERSION_1);
        // What happened to the first guest's link is told as well.
        while !interface_is_up(&mut interface) {
            await_link(&mut interface, true);
        }
        guest.transmit([0; HEADER], &[&[7; 60]]);
        prop_assert_eq!(receive(&mut interface).0.len(), 1);
    }
}

/// Returns true if a frame is not discarded because the link is down.
fn interface_is_up(interface: &mut VhostUser) -> bool {
    send(interface, vec![Packet::of_bytes(&[1; 60])]).2.is_empty()
}
