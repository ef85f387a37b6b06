//! Mutation tests: MP5 with deliberate defects. `check` detects each defect and shows it on few packets; a change that
//! is not a defect makes no difference.

use basis::{Instant, Random};
use equivalence::{Comparison, Effort, Reference, Rules, Subject, Verdict, Witness};
use ir::Program;
use ir::pipeline::Pipeline;
use machines::mp5::counters::MOVES;
use machines::mp5::{Mp5Parameters, Mutation};
use machines::recirculating;
use machines::{Device, Mp5};
use node::{Offered, Port};
use runtime::binding::Binding;
use wire::{LinkLayer, Packet};

/// Two arrays with indices from the packet, so that a packet that waited for the first is late at the second. A packet
/// finds in the second what the previous packet left there.
const DECLARATIONS: &str = "
field a: int<32>
field b: int<32>
field value: int<32>
field found: int<32>
register first: int<32>[32] = fill 0
register second: int<32>[32] = fill 0
";
const PROGRAM: &str = "
packet {
  @first[a] = @first[a] + 1i32
  found = @second[b]
  @second[b] = value
}
";
const PIPELINE: &str = "
local old: int<32>
local new: int<32>
local found.1: int<32>
resolution 1
stage {
}
stage {
  atom raw {
    old = @first[a]
    new = old + 1i32
    @first[a] = new
  }
}
stage {
}
stage {
  atom rw {
    found.1 = @second[b]
    @second[b] = value
  }
}
access @first stage 1 index a always sharded
access @second stage 3 index b always sharded
export found = found.1
";

struct Setup {
    program: Program,
    pipeline: Pipeline,
    binding: Binding,
}

fn setup() -> Setup {
    let program = ir::parse::program("program", &format!("program order\n{DECLARATIONS}{PROGRAM}")).unwrap();
    // Registers and fields come first in both texts, so that their identifiers agree.
    let pipeline = ir::parse::pipeline("pipeline", &format!("pipeline order\n{DECLARATIONS}{PIPELINE}")).unwrap();
    let binding = Binding::record(program.fields().map(|(_, variable)| variable.ty.width()).collect());
    Setup { program, pipeline, binding }
}

impl Setup {
    fn mp5(&self, mutation: Mutation) -> Mp5 {
        let parameters =
            Mp5Parameters { pipelines: 4, remap_period: 16, mutation, seed: 3, ..Mp5Parameters::default() };
        Mp5::new(&self.pipeline, self.binding.clone(), parameters).unwrap()
    }

    /// Returns the comparison for the traffic, and the shortest traffic that shows a difference if there is one.
    fn check(&self, name: &str, make_machine: &dyn Fn() -> Box<dyn Device>) -> (Comparison, Option<Witness>) {
        let rules = Rules::default();
        let make_reference = || Reference::new(&self.program, &self.binding);
        let subject = Subject { make_reference: &make_reference, make_machine, rules: &rules };
        let witness = subject.shrink(|| traffic(3000), Effort::items(500_000)).map(|shrunk| {
            assert!(shrunk.one_minimal, "{name} needs more effort; {} packets", shrunk.packets.len());
            Witness::of(make_reference(), &mut *make_machine(), name, shrunk.packets, &rules)
        });
        (subject.compare(traffic(3000)), witness)
    }

    fn mutant(&self, mutation: Mutation) -> (Comparison, Option<Witness>) {
        self.check("mp5", &|| Box::new(self.mp5(mutation.clone())))
    }
}

/// Three packets per nanosecond, which is three quarters of line rate, with few indices of which one is hot.
fn traffic(count: u32) -> impl Iterator<Item = Offered> {
    let mut random = Random::new(5);
    (0..count).map(move |number| {
        let mut index = || if random.chance(0.1) { 0 } else { random.below(32) as u32 };
        let fields = [index(), index(), number + 1, 0];
        let bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_be_bytes()).collect();
        let mut packet = Packet::of_bytes(&bytes);
        packet.sidecar.link = LinkLayer::Record;
        let at = Instant::from_picoseconds(1000 * u64::from(number / 3));
        Offered { at, port: Port((number % 3) as u16), packet }
    })
}

/// Checks that the mutant differs, on at most this many packets.
fn caught(mutation: Mutation, most_packets: usize) -> Comparison {
    let name = format!("{mutation:?}");
    let (comparison, witness) = setup().mutant(mutation);
    assert_eq!(comparison.verdict, Verdict::Different, "{name}");
    let witness = witness.expect("it differs");
    assert!(witness.packets.len() <= most_packets, "{name}:\n{witness}");
    assert_eq!(witness.comparison.verdict, Verdict::Different, "{name}:\n{witness}");
    comparison
}

#[test]
fn an_intact_switch_is_equal_and_keeps_order() {
    let (comparison, witness) = setup().mutant(Mutation::None);
    assert_eq!((&comparison.verdict, comparison.access_violations), (&Verdict::Equal, 0));
    assert!(comparison.machine.own(MOVES) > 0, "indices move, or MoveWhileInFlight would do nothing");
    assert!(comparison.machine.largest_queue > 1, "packets wait, or phantoms would do nothing");
    assert!(witness.is_none());
}

#[test]
fn detects_missing_phantoms() {
    let comparison = caught(Mutation::NoPhantoms, 4);
    assert!(comparison.access_violations > 0);
}

#[test]
fn detects_swapped_timestamps() {
    let comparison = caught(Mutation::SwappedTimestamps, 2);
    assert!(comparison.access_violations > 0);
}

#[test]
fn detects_state_moved_under_packets_in_flight() {
    caught(Mutation::MoveWhileInFlight, 4);
}

#[test]
fn update_order_of_pipelines_has_no_effect() {
    let setup = setup();
    let (expected, _) = setup.mutant(Mutation::None);
    for order in [[3, 2, 1, 0], [2, 0, 3, 1]] {
        let (comparison, _) = setup.mutant(Mutation::UpdateOrder(order.to_vec()));
        assert_eq!(comparison, expected);
    }
}

#[test]
fn detects_differences_of_a_recirculating_switch() {
    let setup = setup();
    let make = || {
        let parameters =
            recirculating::RecirculatingParameters { ports: 4, ..recirculating::RecirculatingParameters::default() };
        Box::new(recirculating::build(&setup.pipeline, setup.binding.clone(), parameters).unwrap()) as Box<dyn Device>
    };
    let (comparison, witness) = setup.check("recirculating", &make);
    assert_eq!(comparison.verdict, Verdict::Different);
    assert!(comparison.access_violations > 0 && comparison.throughput < 1.0);
    let witness = witness.expect("it differs");
    assert!(witness.packets.len() <= 3, "{witness}");
}
