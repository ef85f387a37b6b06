//! What waits in the queues of these tests, and the traffic manager that holds it.

use basis::{Instant, Rate};
use node::{Port, Reason};
use queues::{
    BufferPlan, Depth, DisciplinePlan, PacketColor, PortPlan, QueuePlan, Queued, Refusals, SchedulerPlan,
    TrafficManager,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wire::Packet;

/// The bytes on the wire around each item.
pub const FRAMING: u32 = 24;
pub const OUT: Port = Port(0);

/// An item that remembers what it was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub id: u64,
    pub length: u32,
    pub queue: Option<u8>,
    pub code_point: Option<u8>,
    pub color: PacketColor,
    pub entered: Option<(Instant, Depth)>,
    pub left: Option<(Instant, Depth)>,
}

impl Item {
    pub fn new(id: u64, queue: u8, length: u32) -> Self {
        Self { id, length, queue: Some(queue), code_point: None, color: PacketColor::Green, entered: None, left: None }
    }

    pub fn colored(self, color: PacketColor) -> Self {
        Self { color, ..self }
    }

    pub fn on_wire(&self) -> u64 {
        u64::from(self.length + FRAMING)
    }
}

impl Queued for Item {
    fn length(&self) -> usize {
        self.length as usize
    }

    fn class(&self) -> Option<u8> {
        self.queue
    }

    fn code_point(&self) -> Option<u8> {
        self.code_point
    }

    fn packet(&self) -> Option<&Packet> {
        None
    }

    fn packet_mut(&mut self) -> Option<&mut Packet> {
        None
    }

    fn color(&self) -> PacketColor {
        self.color
    }

    fn enters(&mut self, now: Instant, before: Depth) {
        self.entered = Some((now, before));
    }

    fn leaves(&mut self, now: Instant, behind: Depth) {
        self.left = Some((now, behind));
    }
}

/// Returns a scheduler with these queues and the other values of the default.
pub fn of(queues: Vec<QueuePlan>) -> SchedulerPlan {
    SchedulerPlan { queues, ..SchedulerPlan::default() }
}

pub fn port(plan: SchedulerPlan) -> PortPlan {
    PortPlan {
        rate: Rate::from_gigabits_per_second(100),
        framing: FRAMING,
        is_last_hop: false,
        discipline: DisciplinePlan::Scheduler(Arc::new(plan)),
    }
}

/// Returns `ports` ports with this plan.
pub fn manager(ports: usize, plan: SchedulerPlan, buffer: &BufferPlan) -> TrafficManager<Item> {
    let port = port(plan);
    let problems = [port.discipline.problems(), buffer.problems()].concat();
    assert!(problems.is_empty(), "{problems:?}");
    TrafficManager::new(vec![port; ports], buffer, 1)
}

/// Offers an item for [`OUT`]. Returns it with the reason if it is refused.
pub fn offer(manager: &mut TrafficManager<Item>, now: Instant, item: Item) -> Result<(), (Item, Reason)> {
    offer_to(manager, now, OUT, item)
}

pub fn offer_to(
    manager: &mut TrafficManager<Item>,
    now: Instant,
    port: Port,
    item: Item,
) -> Result<(), (Item, Reason)> {
    let mut refusals = Refusals::default();
    manager.offer(now, Port(0), port, item, &mut refusals);
    assert!(refusals.returned.is_empty() && refusals.urgent.is_empty());
    refusals.discarded.pop().map_or(Ok(()), Err)
}

/// Takes an item from [`OUT`]; nothing is ever dropped on its way out.
pub fn take(manager: &mut TrafficManager<Item>, now: Instant) -> Option<Item> {
    let mut refusals = Refusals::default();
    let expected = manager.has_waiting(now, OUT);
    let item = manager.take(now, OUT, &mut refusals);
    assert_eq!(expected, item.is_some(), "`has_waiting` told otherwise");
    assert!(refusals.discarded.is_empty());
    item
}
