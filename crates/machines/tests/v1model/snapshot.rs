//! A switch that is saved in the middle of a run and restored goes on as if nothing had happened.

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant, Random, Rate};
use control::{
    ActionCall, ActionNumber, CloneSession, DigestNumber, Replica, ReplicationRequest, Request, Response, TableNumber,
    TableRequest, Target,
};
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Switch, V1modelParameters};
use node::{Control, Node, Outbox, Port, Station};
use queues::{BufferPlan, DisciplinePlan, OutputPlan, PortPlan};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::Packet;

use crate::support::{bytes, switch, text};

/// Uses everything that is kept: a table, a register, a counter, a meter, digests and random numbers; and makes clones
/// and recirculates packets while others wait.
const INGRESS: &str = "  apply ingress.routes
  count counted[0u8]
  measure measured[1u8] -> meta.color
  @seen[3u4] = @seen[3u4] + 48u48
  digest message(hdr.h.a, 7u16)
  meta.kept = hdr.h.b
  if hdr.h.b[0:0] == 1u1 {
    clone ingress_to_egress, 1u32 keep 0
  }";
const EGRESS: &str = "  random hdr.h.c, 0u8, 255u8
  count counted[1u8]
  if hdr.h.b[1:1] == 1u1 {
    hdr.h.b = 0u8
    recirculate
  }
  if hdr.h.b[2:2] == 1u1 {
    standard_metadata.egress_spec = 511u9
  }";

fn built() -> Switch<PacketInterpreter> {
    let parameters = V1modelParameters { seed: 7, undefined: Some(3), ..V1modelParameters::default() };
    let mut switch = switch(&text(INGRESS, EGRESS), parameters).expect("it runs");
    let port = PortPlan {
        rate: Rate::from_bits_per_second(400_000_000),
        framing: 24,
        is_last_hop: false,
        discipline: DisciplinePlan::DropTail { limit: 2000 },
    };
    let plan = OutputPlan { ports: vec![port; 8], buffer: BufferPlan::default(), seed: 1 };
    assert!(switch.hold_queues(plan).expect("it has queues").is_none());
    switch
}

fn forward(port: u64) -> Target {
    Target::Action(ActionCall { action: ActionNumber(0), data: vec![Bits::from_u64(port, 9)] })
}

fn set_up(switch: &mut Switch<PacketInterpreter>) {
    for (first, port) in [(1, 4), (2, 5), (3, 4)] {
        let key = vec![FieldMatch::Exact(Bits::from_u64(first, 8))];
        let insert = TableRequest::insert(key, None, forward(port));
        switch.execute(&Request::Table(TableNumber(0), insert)).expect("an entry");
    }
    let session = CloneSession { replicas: vec![Replica { port: 6, instance: 3 }], ..CloneSession::default() };
    switch.execute(&Request::CloneSession(1, ReplicationRequest::Put(session))).expect("a session");
}

/// A run that can be stopped at any point.
struct Run {
    switch: Switch<PacketInterpreter>,
    readies: Vec<(Port, Instant)>,
    left: Vec<(Instant, Port, Vec<u8>)>,
    discarded: usize,
}

impl Run {
    fn carry_out(&mut self, out: &mut Outbox) {
        self.readies.append(&mut out.readies);
        self.left.extend(out.transmissions.drain(..).map(|sent| (sent.at, sent.port, bytes(&sent.packet))));
        self.discarded += out.discarded.drain(..).len();
    }

    /// Handles everything up to `end`. Links become free before a packet arrives at the same time.
    fn until(&mut self, end: Instant) {
        let mut out = Outbox::default();
        loop {
            self.readies.sort_by_key(|&(port, at)| (at, port));
            let Some(&(port, at)) = self.readies.first().filter(|&&(_, at)| at <= end) else { return };
            self.readies.remove(0);
            out.begin(at);
            self.switch.control(at, Control::PortReady(port), &mut out);
            self.carry_out(&mut out);
        }
    }

    fn packets(&mut self, numbers: std::ops::Range<u64>) {
        let mut out = Outbox::default();
        for number in numbers {
            let now = Instant::ZERO + Duration::from_picoseconds(number * 700_000);
            self.until(now);
            let mut random = Random::for_part(9, number);
            let first = [1 + random.below(4) as u8, random.below(8) as u8, 0];
            let length = 30 + random.below(200) as usize;
            let packet = Packet::of_bytes(&[&first[..], &vec![number as u8; length]].concat());
            out.begin(now);
            self.switch.receive(now, Port(random.below(3) as u16), &mut vec![packet], &mut out);
            self.carry_out(&mut out);
        }
    }

    fn written(&self) -> Vec<u8> {
        let mut saver = Saver::default();
        self.switch.save(&mut saver).expect("its state can be written down");
        saver.into_bytes()
    }
}

#[test]
fn restored_switch_continues_the_run() {
    let mut run = Run { switch: built(), readies: Vec::new(), left: Vec::new(), discarded: 0 };
    set_up(&mut run.switch);
    run.packets(0..60);
    let state = run.written();
    let waiting = run.switch.account().held;
    assert!(waiting > 5, "packets wait when it is written down: {waiting}");

    // The second switch is built alike, without what the control plane has written since.
    let mut again = Run { switch: built(), readies: run.readies.clone(), left: Vec::new(), discarded: 0 };
    let mut loader = Loader::new(&state);
    again.switch.restore(&mut loader).expect("what was written");
    loader.finish().expect("all of it");
    assert_eq!(again.written(), state);
    run.left.clear();
    run.discarded = 0;
    for run in [&mut run, &mut again] {
        // The control plane continues too, with a new entry after the existing ones.
        let key = vec![FieldMatch::Exact(Bits::from_u64(4, 8))];
        let insert = TableRequest::insert(key, None, forward(5));
        run.switch.execute(&Request::Table(TableNumber(0), insert)).expect("an entry");
        run.packets(60..120);
        run.until(Instant::MAX);
        assert_eq!(run.switch.account().held, 0);
    }
    assert!(run.left.len() > 40 && run.discarded > 10, "{} left, {} did not", run.left.len(), run.discarded);
    assert_eq!((again.left, again.discarded), (run.left, run.discarded));
    assert_eq!(again.switch.statistics(), run.switch.statistics());
    assert_eq!(Device::state(&again.switch).registers, Device::state(&run.switch).registers);
    let digests = |switch: &mut Switch<PacketInterpreter>| match switch.execute(&Request::TakeDigests(DigestNumber(0)))
    {
        Ok(Response::Digests(digests)) => digests,
        other => panic!("{other:?}"),
    };
    let (told, again) = (digests(&mut run.switch), digests(&mut again.switch));
    assert!(told.len() > 100);
    assert_eq!(again, told);
}

#[test]
fn refuses_truncated_state() {
    let mut run = Run { switch: built(), readies: Vec::new(), left: Vec::new(), discarded: 0 };
    set_up(&mut run.switch);
    run.packets(0..20);
    let state = run.written();
    for length in [0, 1, state.len() / 2, state.len() - 1] {
        assert!(built().restore(&mut Loader::new(&state[..length])).is_err(), "{length} of {} bytes", state.len());
    }
}
