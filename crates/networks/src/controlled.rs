//! Switches whose control plane acts at times that are known beforehand.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use control::{
    Info, MemoryRequest, RecordRequest, RegisterRequest, ReplicationRequest, Request, Response, SegmentNumber,
    TableRequest,
};
use machines::Device;
use measure::Interest;
use node::{
    Account, Backpressure, Burst, Control, Counter, InnerQueue, Node, Outbox, Port, QueueLength, RegisterValue,
    Station, UnfinishedWork, Upcoming,
};

/// What the control plane of a switch does at one time.
#[derive(Clone, Debug)]
pub enum ControlAction {
    /// It carries out requests, in order.
    Execute(Vec<Request>),
    /// The switch loses its memory: tables, groups, registers, records and memory are as they were before anybody wrote to them.
    /// Packets that wait in it are not lost.
    Forget,
}

impl ControlAction {
    /// Returns the requests by which the action is carried out on a machine.
    pub fn requests<'a>(&'a self, machine: &mut dyn Device) -> Cow<'a, [Request]> {
        match self {
            Self::Execute(requests) => Cow::Borrowed(requests),
            Self::Forget => Cow::Owned(forgetting(machine)),
        }
    }
}

/// A switch whose control plane acts at given times, in order with packets: those that arrive at the time of an action or
/// later see what it has changed.
pub struct ControlledSwitch {
    machine: Box<dyn Device>,
    /// What the machine asks for. It keeps the machine's deadline, beside which the next action has one.
    inner: Outbox,
    /// The actions to come, in the order of their times.
    actions: VecDeque<(Instant, ControlAction)>,
    /// The number of requests that were refused, and what the first of them was.
    refused: (u64, String),
}

impl ControlledSwitch {
    /// Makes a switch of a machine, with actions in the order of their times.
    pub fn new(machine: Box<dyn Device>, actions: impl IntoIterator<Item = (Instant, ControlAction)>) -> Self {
        let actions = actions.into_iter().collect();
        Self { machine, inner: Outbox::new(Interest::default()), actions, refused: (0, String::new()) }
    }

    /// Carries out the actions that are due.
    fn act(&mut self, now: Instant) {
        if self.actions.front().is_none_or(|(at, _)| *at > now) {
            return;
        }
        self.machine.control(now, Control::Time, &mut self.inner);
        while let Some((_, action)) = self.actions.pop_front_if(|(at, _)| *at <= now) {
            let requests = action.requests(&mut *self.machine);
            for refused in self.machine.execute_each(&requests).into_iter().filter_map(Result::err) {
                if self.refused.0 == 0 {
                    self.refused.1 = refused.to_string();
                }
                self.refused.0 += 1;
            }
        }
        self.machine.control(now, Control::Time, &mut self.inner);
    }

    /// Hands over what the machine has asked for, and asks for the next call.
    fn hand_over(&mut self, out: &mut Outbox) {
        out.transmissions.append(&mut self.inner.transmissions);
        out.discarded.append(&mut self.inner.discarded);
        out.events.append(&mut self.inner.events);
        out.readies.append(&mut self.inner.readies);
        let next = self.actions.front().map(|(at, _)| *at);
        match self.inner.deadline().into_iter().chain(next).min() {
            Some(at) => out.wake_at(at),
            None => out.sleep(),
        }
    }
}

/// Returns the requests after which nothing is left of what was written to a machine.
fn forgetting(machine: &mut dyn Device) -> Vec<Request> {
    let info: &Info = &machine.info().clone();
    let mut requests = Vec::new();
    for (number, table) in (0..).zip(&info.tables) {
        if !table.is_constant {
            requests.push(Request::Table(number.into(), TableRequest::Clear));
        }
        if !table.is_default_constant && table.profile.is_none() {
            requests.push(Request::Table(number.into(), TableRequest::ResetDefault));
        }
    }
    requests.extend((0..info.registers.len()).map(|number| Request::Register(number.into(), RegisterRequest::Reset)));
    for number in 0..info.records.len() {
        if let Ok(Response::Records(records)) =
            machine.execute(&Request::Records(number.into(), RecordRequest::Read(None)))
        {
            let deletion = |key| Request::Records(number.into(), RecordRequest::Delete(key));
            requests.extend(records.into_iter().map(|record| deletion(record.key)));
        }
    }
    for (number, segment) in (0..).zip(&info.segments) {
        let number: SegmentNumber = number.into();
        let holds_records = info.records.iter().any(|records| records.segment == number);
        if holds_records || segment.has_policers {
            continue;
        }
        if let Ok(Response::WrittenWords(words)) = machine.execute(&Request::Memory(number, MemoryRequest::ReadWritten))
        {
            let clear = |(offset, _)| Request::Memory(number, MemoryRequest::Write { offset, words: vec![0] });
            requests.extend(words.into_iter().map(clear));
        }
    }
    if let Ok(Response::MulticastGroups(groups)) = machine.execute(&Request::ReadMulticastGroups) {
        requests
            .extend(groups.into_iter().map(|(group, _)| Request::MulticastGroup(group, ReplicationRequest::Delete)));
    }
    requests
}

impl Node for ControlledSwitch {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.inner.begin(now);
        self.act(now);
        self.machine.receive(now, port, burst, &mut self.inner);
        self.hand_over(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.inner.begin(now);
        self.act(now);
        if self.inner.deadline().is_some_and(|at| at <= now) {
            self.inner.take_deadline();
            self.machine.wake(now, &mut self.inner);
        }
        self.hand_over(out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.inner.begin(now);
        self.act(now);
        self.machine.control(now, request, &mut self.inner);
        self.hand_over(out);
    }

    fn rests_after(&self) -> Option<Instant> {
        self.machine.rests_after()
    }
}

impl Station for ControlledSwitch {
    fn account(&self) -> Account {
        self.machine.account()
    }

    fn queue(&self, port: Port) -> QueueLength {
        self.machine.queue(port)
    }

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        self.machine.queues(tell);
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        self.machine.register(name, indices, tell)
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        self.machine.high_water(port)
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        let mut waiting = self.machine.waiting(now);
        if let (count @ 1.., first) = &self.refused {
            let what = format!("{count} requests of the control plane");
            waiting.push(UnfinishedWork { what, why: format!("the switch refused them: {first}") });
        }
        waiting
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        self.machine.backpressure(now)
    }

    fn prepare(&self, upcoming: Upcoming<'_>) -> Option<Port> {
        self.machine.prepare(upcoming)
    }

    fn prepare_waiting(&self, port: Port) {
        self.machine.prepare_waiting(port);
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.machine.counters(tell);
        if self.refused.0 > 0 {
            tell(Counter { name: "control_requests_refused", port: None, value: self.refused.0 });
        }
    }
}

impl Snapshot for ControlledSwitch {
    /// Saves the machine, and how many actions are to come; which they are follows from the plan.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.machine.save(into)?;
        into.put(&self.inner.deadline())?;
        into.put(&self.actions.len())?;
        into.put(&self.refused)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.machine.restore(from)?;
        match from.take()? {
            Some(deadline) => self.inner.wake_at(deadline),
            None => self.inner.sleep(),
        }
        let left: usize = from.take()?;
        let done = self.actions.len().checked_sub(left);
        self.actions.drain(..done.ok_or_else(|| Unfit("there are fewer actions than were left".to_owned()))?);
        self.refused = from.take()?;
        Ok(())
    }
}
