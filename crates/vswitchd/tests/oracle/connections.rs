//! Connections of TCP that do not go the usual way.

use vswitch::configuration::{Direction, Peer, SecurityRule};
use wire::protocol;
use wire::tcp::flag::{ACK, FIN, RST, SYN};

use crate::frames::tcp;
use crate::kernel::has_nftables;
use crate::namespace::within;
use crate::rules::chains;
use crate::site::group;
use crate::{Pair, host};

/// A segment: from guest 0 or 1, flags, sequence and acknowledgement number.
type Step = (usize, u8, u32, u32);

/// Guest 0 has opened a connection by its sequence number 10; guest 1 has begun with 20. Windows are of 1000 bytes.
const OPEN: [Step; 3] = [(0, SYN, 10, 0), (1, SYN | ACK, 20, 11), (0, ACK, 11, 21)];

/// Plays a connection of port 1000 of guest 0 to port 80 of guest 1, and returns for each segment whether it came through.
fn played(pair: &mut Pair, steps: &[Step]) -> Vec<bool> {
    let rule = |direction, ports| SecurityRule {
        direction,
        protocol: Some(protocol::TCP),
        ports: Some(ports),
        peer: Peer::Any,
        priority: 1,
        allows: true,
    };
    // Only guest 0 may begin: what guest 1 sends comes through as part of a connection.
    let rules = [rule(Direction::In, 80..=80)];
    let mut own = host();
    own.groups = vec![group(rules.to_vec())];
    own.vnics[1].groups = vec![0];
    pair.restart(own, &chains([None, Some(&rules)]), "");
    let guests = pair.guests.clone();
    let step = |&(side, flags, sequence, acknowledgement): &Step| {
        let (to, ports) = if side == 0 { ("10.0.2.2", [1000, 80]) } else { ("10.0.1.1", [80, 1000]) };
        let packet = tcp(&guests[side], to, ports, flags, [sequence, acknowledgement]);
        let [switch, kernel] = pair.sends(side, &packet);
        assert_eq!(switch, kernel, "segment from guest {side}: flags {flags:#x}, {sequence}, {acknowledgement}");
        !switch.is_empty()
    };
    steps.iter().map(step).collect()
}

fn with(name: &str, test: impl FnOnce(&mut Pair)) {
    within(name, || {
        if has_nftables() {
            test(&mut Pair::new(host()));
        }
    });
}

#[test]
fn a_simultaneous_open_opens() {
    with("connections::a_simultaneous_open_opens", |pair| {
        let steps = [
            (0, SYN, 10, 0),
            (1, SYN, 20, 0),
            (0, SYN | ACK, 10, 21),
            (1, SYN | ACK, 20, 11),
            (0, ACK, 11, 21),
            (1, ACK, 21, 11),
        ];
        assert_eq!(played(pair, &steps), [true; 6]);
    });
}

#[test]
fn one_end_goes_on_after_the_other_has_closed() {
    with("connections::one_end_goes_on_after_the_other_has_closed", |pair| {
        let behind = [
            (0, ACK | FIN, 11, 21),
            (1, ACK, 21, 12),
            (1, ACK, 21, 12),
            (0, ACK, 12, 21),
            (1, ACK | FIN, 21, 12),
            (0, ACK, 12, 22),
        ];
        assert_eq!(played(pair, &[&OPEN[..], &behind].concat()), [true; 9]);
    });
}

#[test]
fn a_reset_comes_through_in_the_window_only() {
    with("connections::a_reset_comes_through_in_the_window_only", |pair| {
        // The exact number, and others within the window of the receiver.
        for (sequence, comes) in
            [(21, true), (21 + 500, true), (21 + 2000, false), (20, false), (21u32.wrapping_sub(5000), false)]
        {
            let reset = (1, RST, sequence, 0);
            assert_eq!(played(pair, &[&OPEN[..], &[reset]].concat()), [true, true, true, comes], "{sequence}");
        }
        // A connection is refused by an acknowledgement of its SYN.
        assert_eq!(played(pair, &[(0, SYN, 10, 0), (1, RST | ACK, 0, 11)]), [true, true]);
        // Nobody else can end it.
        assert_eq!(played(pair, &[(1, RST | ACK, 0, 11)]), [false]);
    });
}
