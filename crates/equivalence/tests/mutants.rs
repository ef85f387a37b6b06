//! Defects put into MP5 on purpose: `check` catches each, and shows it on few packets; what is no defect changes
//! nothing.

use basis::{Instant, Random};
use equivalence::{Comparison, Effort, Reference, Rules, Subject, Verdict, Witness};
use ir::Program;
use ir::pipeline::Pipeline;
use machines::mp5::counters::MOVES;
use machines::mp5::{Mutation, Parameters};
use machines::recirculating;
use machines::{Device, Mp5};
use node::{Offered, Port};
use runtime::binding::Binding;
use wire::{LinkLayer, Packet};

/// Two arrays at indices of the packet's own, so that a packet that waited for the first is late at the second;
/// what the packet finds in the second is what the packet before it left there.
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
    // Registers and fields come first in both texts, so that ids agree.
    let pipeline = ir::parse::pipeline("pipeline", &format!("pipeline order\n{DECLARATIONS}{PIPELINE}")).unwrap();
    let binding = Binding::record(program.fields().map(|(_, variable)| variable.ty.width()).collect());
    Setup { program, pipeline, binding }
}

impl Setup {
    fn mp5(&self, mutation: Mutation) -> Mp5 {
        let parameters = Parameters { pipelines: 4, remap_period: 16, mutation, seed: 3, ..Parameters::default() };
        Mp5::new(&self.pipeline, self.binding.clone(), parameters).unwrap()
    }

    /// What a machine makes of the traffic, and the shortest traffic that shows a difference if it makes one.
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

/// Three packets a nanosecond, which is three quarters of line rate, to few indices, of which one is hot.
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

/// The mutant differs, on at most so many packets.
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
fn without_a_defect_everything_is_equal_and_in_order() {
    let (comparison, witness) = setup().mutant(Mutation::None);
    assert_eq!((&comparison.verdict, comparison.access_violations), (&Verdict::Equal, 0));
    assert!(comparison.machine.own(MOVES) > 0, "indices move, or MoveWhileInFlight would do nothing");
    assert!(comparison.machine.largest_queue > 1, "packets wait, or phantoms would do nothing");
    assert!(witness.is_none());
}

#[test]
fn missing_phantoms_are_caught() {
    let comparison = caught(Mutation::NoPhantoms, 4);
    assert!(comparison.access_violations > 0);
}

#[test]
fn swapped_timestamps_are_caught() {
    let comparison = caught(Mutation::SwappedTimestamps, 2);
    assert!(comparison.access_violations > 0);
}

#[test]
fn state_that_moves_while_packets_are_in_flight_is_caught() {
    caught(Mutation::MoveWhileInFlight, 4);
}

#[test]
fn the_order_in_which_pipelines_are_updated_changes_nothing() {
    let setup = setup();
    let (expected, _) = setup.mutant(Mutation::None);
    for order in [[3, 2, 1, 0], [2, 0, 3, 1]] {
        let (comparison, _) = setup.mutant(Mutation::UpdateOrder(order.to_vec()));
        assert_eq!(comparison, expected);
    }
}

#[test]
fn a_switch_that_recirculates_is_caught_too() {
    let setup = setup();
    let make = || {
        let parameters = recirculating::Parameters { ports: 4, ..recirculating::Parameters::default() };
        Box::new(recirculating::build(&setup.pipeline, setup.binding.clone(), parameters).unwrap()) as Box<dyn Device>
    };
    let (comparison, witness) = setup.check("recirculating", &make);
    assert_eq!(comparison.verdict, Verdict::Different);
    assert!(comparison.access_violations > 0 && comparison.throughput < 1.0);
    let witness = witness.expect("it differs");
    assert!(witness.packets.len() <= 3, "{witness}");
}
