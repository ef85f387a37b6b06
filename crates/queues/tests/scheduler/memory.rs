//! Memory in cells against a slow reference, and the reason of each refusal.

use basis::Instant;
use node::{Port, Reason};
use proptest::prelude::*;
use queues::{BufferPlan, CellPlan, PacketColor, QueueChange, QueuePlan, RoomPlan, SchedulerPlan, reasons};

use super::item::{Item, OUT, manager, of, offer, offer_to};

const START: Instant = Instant::ZERO;
const COLORS: [PacketColor; 3] = [PacketColor::Green, PacketColor::Yellow, PacketColor::Red];

fn cells(size: u32, pools: Vec<u64>) -> BufferPlan {
    BufferPlan { cells: Some(CellPlan { size, pools }), ..BufferPlan::default() }
}

fn with_room(room: RoomPlan) -> QueuePlan {
    QueuePlan { room, ..QueuePlan::default() }
}

/// A queue as the reference sees it: its plan in sixteenths, and the cells of each of its packets.
struct Reference {
    reserved: u64,
    limit: Option<u64>,
    alpha: Option<u64>,
    yellow: u64,
    red: u64,
    packets: Vec<u64>,
}

impl Reference {
    fn held(&self) -> u64 {
        self.packets.iter().sum()
    }

    fn borrowed(&self) -> u64 {
        self.held().saturating_sub(self.reserved)
    }
}

/// Decides as the documentation of the plan says, from nothing but the packets that wait.
fn decide(queues: &[Reference], number: usize, cells: u64, color: PacketColor, pool: u64) -> Result<(), Reason> {
    let queue = &queues[number];
    if queue.held() + cells <= queue.reserved {
        return Ok(());
    }
    let reserved: u64 = queues.iter().map(|queue| queue.reserved).sum();
    let used: u64 = queues.iter().map(Reference::borrowed).sum();
    let free = pool.saturating_sub(reserved).saturating_sub(used);
    let after = queue.held() + cells - queue.reserved;
    if after - queue.borrowed() > free {
        return Err(reasons::SHARED_BUFFER_FULL);
    }
    // All in sixteenths of a cell: the limit for this colour, and whether the queue exceeds it.
    let exceeds = |sixteenths: u64| match (queue.alpha, queue.limit) {
        (None, None) => sixteenths == 0,
        (None, Some(limit)) => after > limit * sixteenths / 16,
        (Some(alpha), limit) => {
            let threshold = limit.unwrap_or(0) + free * alpha / 16;
            queue.borrowed() >= threshold * sixteenths / 16
        }
    };
    if exceeds(16) {
        return Err(if queue.alpha.is_some() { reasons::THRESHOLD_REACHED } else { reasons::QUEUE_FULL });
    }
    let sixteenths = match color {
        PacketColor::Green => 16,
        PacketColor::Yellow => queue.yellow,
        PacketColor::Red => queue.red,
    };
    if exceeds(sixteenths) { Err(reasons::COLOR_LIMIT_REACHED) } else { Ok(()) }
}

prop_compose! {
    fn reference()(
        reserved in 0..20u64, limit in prop::option::of(1..60u64), alpha in prop::option::of(1..64u64),
        yellow in 0..=16u64, red in 0..=16u64,
    ) -> Reference {
        Reference { reserved, limit, alpha, yellow, red, packets: Vec::new() }
    }
}

impl std::fmt::Debug for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} {:?} {} {}", self.reserved, self.limit, self.alpha, self.yellow, self.red)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn packets_are_accepted_as_by_the_slow_reference(
        mut queues in prop::collection::vec(reference(), 1..6),
        pool in 20..300u64,
        steps in prop::collection::vec((0..6usize, prop::option::weighted(0.7, (1..1500u32, 0..3usize))), 1..300),
    ) {
        let sixteenths = |count: u64| count as f64 / 16.0;
        let plan = |queue: &Reference| with_room(RoomPlan {
            pool: 0,
            reserved: queue.reserved,
            limit: queue.limit,
            alpha: queue.alpha.map(sixteenths),
            yellow: sixteenths(queue.yellow),
            red: sixteenths(queue.red),
        });
        let mut manager = manager(1, of(queues.iter().map(plan).collect()), &cells(80, vec![pool]));
        for (number, packet) in steps {
            let number = number % queues.len();
            match packet {
                Some((length, color)) => {
                    let needs = u64::from(length.div_ceil(80));
                    let expected = decide(&queues, number, needs, COLORS[color], pool);
                    let item = Item::new(0, number as u8, length).colored(COLORS[color]);
                    prop_assert_eq!(offer(&mut manager, START, item).map_err(|(_, reason)| reason), expected);
                    if expected.is_ok() {
                        queues[number].packets.push(needs);
                    }
                }
                // Only this queue may send.
                None => {
                    for queue in 0..queues.len() {
                        manager.change_queue(START, OUT, queue as u8, QueueChange::Paused(queue != number)).unwrap();
                    }
                    let is_empty = queues[number].packets.is_empty();
                    prop_assert_eq!(super::item::take(&mut manager, START).is_none(), is_empty);
                    if !is_empty {
                        queues[number].packets.remove(0);
                    }
                }
            }
        }
    }
}

fn refusal(result: Result<(), (Item, Reason)>) -> Option<Reason> {
    result.err().map(|(_, reason)| reason)
}

#[test]
fn each_refusal_has_its_own_reason() {
    let static_limit = with_room(RoomPlan { limit: Some(4), yellow: 0.5, red: 0.25, ..RoomPlan::default() });
    let dynamic = with_room(RoomPlan { alpha: Some(0.5), ..RoomPlan::default() });
    let mut manager = manager(1, of(vec![static_limit, dynamic, QueuePlan::default()]), &cells(80, vec![40]));
    let mut fill = |queue, color| {
        let refused =
            (0..100).find_map(|_| refusal(offer(&mut manager, START, Item::new(0, queue, 80).colored(color))));
        (refused.unwrap(), manager.depth(OUT, queue).unwrap_or_default().cells)
    };
    assert_eq!(fill(0, PacketColor::Red), (reasons::COLOR_LIMIT_REACHED, 1));
    assert_eq!(fill(0, PacketColor::Yellow), (reasons::COLOR_LIMIT_REACHED, 2));
    assert_eq!(fill(0, PacketColor::Green), (reasons::QUEUE_FULL, 4));
    // Of 36 free cells the queue takes those that leave twice as many free.
    assert_eq!(fill(1, PacketColor::Green), (reasons::THRESHOLD_REACHED, 12));
    assert_eq!(fill(2, PacketColor::Green), (reasons::SHARED_BUFFER_FULL, 24));
    assert_eq!(fill(3, PacketColor::Green), (reasons::NO_SUCH_QUEUE, 0));
    manager.change_queue(START, OUT, 2, QueueChange::Closed(true)).unwrap();
    assert_eq!(refusal(offer(&mut manager, START, Item::new(0, 2, 80))), Some(reasons::QUEUE_CLOSED));
    let dropped: Vec<_> = manager.queue_status(OUT, 0).unwrap().dropped;
    let packets: Vec<(Reason, u64)> = dropped.iter().map(|(reason, tally)| (*reason, tally.packets)).collect();
    assert_eq!(packets, [(reasons::QUEUE_FULL, 1), (reasons::COLOR_LIMIT_REACHED, 2)]);
    let mut counted = 0;
    manager.counters(&mut |counter| {
        counted += u64::from(counter.name == "SAI_QUEUE_STAT_DROPPED_PACKETS") * counter.value;
    });
    assert_eq!(counted, 7, "the port counts those of all queues, and those of none");
}

#[test]
fn reserved_cells_are_there_when_others_have_filled_the_pool() {
    let mut queues = vec![QueuePlan::default(); 2];
    queues[1].room.reserved = 3;
    let mut manager = manager(2, of(queues), &cells(80, vec![20]));
    // Both ports have reserved three cells for their queue 1.
    assert_eq!(manager.pool_status(0).unwrap().shared, 14);
    assert!((0..14).all(|_| offer(&mut manager, START, Item::new(0, 0, 80)).is_ok()));
    assert_eq!(refusal(offer(&mut manager, START, Item::new(0, 0, 80))), Some(reasons::SHARED_BUFFER_FULL));
    for port in [Port(0), Port(1)] {
        assert!(offer_to(&mut manager, START, port, Item::new(0, 1, 240).colored(PacketColor::Red)).is_ok());
        assert!(offer_to(&mut manager, START, port, Item::new(0, 1, 1)).is_err());
    }
}

#[test]
fn a_packet_takes_whole_cells_and_its_framing_none() {
    let mut manager = manager(1, SchedulerPlan::of(1), &cells(80, vec![100]));
    for (length, sum) in [(1, 1), (80, 2), (81, 4), (1500, 23)] {
        offer(&mut manager, START, Item::new(0, 0, length)).unwrap();
        assert_eq!(manager.depth(OUT, 0).unwrap().cells, sum);
    }
}

/// Without cells, the queues share the memory of the switch with all others, byte by byte.
#[test]
fn without_cells_memory_is_counted_in_bytes_on_the_wire() {
    let room = RoomPlan { alpha: Some(1.0), ..RoomPlan::default() };
    let buffer = BufferPlan { total: Some(3000), ..BufferPlan::default() };
    let mut manager = manager(1, of(vec![with_room(room), QueuePlan::default()]), &buffer);
    let mut fill = |queue| {
        let refused = (0..100).find_map(|_| refusal(offer(&mut manager, START, Item::new(0, queue, 76))));
        (refused.unwrap(), manager.depth(OUT, queue).unwrap().cells)
    };
    assert_eq!(fill(0), (reasons::THRESHOLD_REACHED, 1500));
    assert_eq!(fill(1), (reasons::SHARED_BUFFER_FULL, 1500));
}

#[test]
fn the_limit_of_a_queue_is_what_it_may_hold_at_present() {
    let rooms = [
        RoomPlan { reserved: 2, limit: Some(5), ..RoomPlan::default() },
        RoomPlan { reserved: 1, limit: Some(2), alpha: Some(0.5), ..RoomPlan::default() },
        RoomPlan::default(),
    ];
    let mut manager = manager(1, of(rooms.map(with_room).into()), &cells(100, vec![23]));
    let limits = |manager: &queues::TrafficManager<Item>| [0, 1, 2].map(|queue| manager.limit(OUT, queue));
    // 20 of the 23 cells are shared.
    assert_eq!(limits(&manager), [Some(7), Some(1 + 2 + 10), Some(20)]);
    // A packet of 10 cells leaves 10 free.
    offer(&mut manager, START, Item::new(1, 2, 1000)).unwrap();
    assert_eq!(limits(&manager), [Some(7), Some(1 + 2 + 5), Some(20)]);
    offer(&mut manager, START, Item::new(2, 2, 700)).unwrap();
    // 3 are free: less than the static limit.
    assert_eq!(limits(&manager), [Some(5), Some(1 + 2 + 1), Some(20)]);
    assert_eq!((manager.limit(OUT, 3), manager.limit(Port(9), 0)), (None, None));
}
