//! Differences are shown on the fewest packets.

use equivalence::Verdict;

use crate::load::{PipelineMachine, Stages};
use crate::mutants::swapped_tables;
use crate::router::router;

/// The witness: the table of classes is looked up in place of the routes, and its result, a class, is not a valid next
/// hop.
const WITNESS: &str = "1 packet through `router` on mp5: DIFFERENT

packet 0 arrives at 0.000000 us on port 0
    field                                         in          program              mp5
    $position                                    272              272              272
    hdr.ethernet.$valid                            1                1                1
  ! hdr.ethernet.destination         281474976710655                2  281474976710655
    hdr.ethernet.source              187649984473770  187649984473770  187649984473770
    hdr.ethernet.type                           2048             2048             2048
    hdr.ipv4.$valid                                1                1                1
    hdr.ipv4.version                              69               69               69
  ! hdr.ipv4.class                                 0                3                0
    hdr.ipv4.length                               24               24               24
    hdr.ipv4.fragment                              0                0                0
  ! hdr.ipv4.ttl                                  64               63               64
    hdr.ipv4.protocol                             17               17               17
  ! hdr.ipv4.checksum                              0            26565            26312
    hdr.ipv4.source                        167837701        167837701        167837701
    hdr.ipv4.destination                   167903238        167903238        167903238
  ! $dropped                                       0                0                1
  ! $egress_port                                   0                2              511
  ! RouterIngress.hops.$counted                    0                1                0
  ! RouterIngress.hops.$counted.key                0                2                4
  ! should be: leaves on port 2; mp5: dropped by the program

registers
    register                        program  mp5
  ! @RouterIngress.routed[2]              1    0
  ! @RouterIngress.used.packets[1]        1    0
  ! @RouterIngress.used.bytes[1]         39    0
";

#[test]
fn swapped_tables_are_shown_on_one_packet() {
    let ready = router(500);
    let pipeline = ready.pipeline(PipelineMachine::Mp5, Stages::MatchAction).unwrap();
    let mutants = swapped_tables(&pipeline);
    let (name, mutant) = mutants.iter().find(|(_, mutant)| mutant.verify().is_ok()).expect("two of one shape");
    assert_eq!(name, "RouterIngress.routes and RouterIngress.classes swapped");
    assert_eq!(ready.compare(PipelineMachine::Mp5, mutant).verdict, Verdict::Different);
    let (shrunk, witness) = ready.witness("mp5", &|| ready.machine(PipelineMachine::Mp5, mutant)).expect("it differs");
    assert_eq!((shrunk.packets.len(), shrunk.one_minimal), (1, true));
    assert_eq!(witness.to_string(), WITNESS);
}
