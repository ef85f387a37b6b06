//! Several machines on one chip, and pipelines that no machine can run.

use machines::mp5::{Mp5, Mp5Parameters, Sharding};
use machines::{Chip, Device};
use measure::Interest;
use node::{Offered, Reason, drive};

use crate::options::COUNTER;
use crate::support::{Outcome, pipeline, record, record_binding, run};

fn mp5(pipelines: usize) -> Mp5 {
    let pipeline = pipeline(COUNTER);
    Mp5::new(&pipeline, record_binding(&pipeline), Mp5Parameters { pipelines, ..Mp5Parameters::default() }).unwrap()
}

#[test]
fn machines_on_one_chip_do_not_affect_each_other() {
    let packets: Vec<Offered> = (0..100)
        .map(|packet: u64| record(packet * packet % 700 + packet * 700, packet as u16 % 3, &[1, packet as u32 % 4]))
        .collect();
    let mut chip = Chip::new(vec![Box::new(mp5(1)), Box::new(mp5(3))], vec![0, 1]).unwrap();
    let mut together = Outcome::default();
    drive(&mut chip, packets.iter().cloned(), Interest::default(), &mut together).expect("the chip becomes idle");
    // Port 2 belongs to no machine.
    let lost: Vec<u64> = (0..100).filter(|packet| packet % 3 == 2).collect();
    assert!(together.discarded.iter().map(|&(packet, _)| packet).eq(lost));
    assert!(together.discarded.iter().all(|&(_, reason)| reason == Reason::NO_SUCH_PORT));

    for (number, pipelines) in [(0usize, 1), (1, 3)] {
        let port = number as u16;
        let own: Vec<Offered> = packets.iter().filter(|offered| offered.port.0 == port).cloned().collect();
        let mut alone = mp5(pipelines);
        let outcome = run(&mut alone, &own);
        let times = |outcome: &Outcome| {
            outcome.sent.iter().filter(|sent| sent.1 == port).map(|sent| sent.0).collect::<Vec<_>>()
        };
        assert_eq!(times(&together), times(&outcome));
        let machine = chip.machines().nth(number).unwrap();
        assert_eq!(machine.state().registers, alone.state().registers);
        assert_eq!(machine.statistics().in_flight, 0);
    }
    assert!(Chip::new(vec![Box::new(mp5(1))], vec![0, 1]).is_none());
}

#[test]
fn reports_all_unsuitable_parameters() {
    let text = COUNTER.replace("resolution 1", "resolution 0");
    let pipeline = pipeline(&text);
    let parameters = Mp5Parameters {
        pipelines: 0,
        fifo_depth: Some(0),
        sharding: Sharding::Fixed(vec![vec![], vec![0, 0]]),
        ..Mp5Parameters::default()
    };
    let unsuitable = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap_err();
    assert_eq!(
        unsuitable.to_string(),
        "\
0 pipelines were requested, but the machine has 1 to 64
a FIFO needs room for at least one entry
the predicate of access 0 is not known when addresses are resolved
the predicate of access 1 is not known when addresses are resolved
the fixed map of access 1 must give each of 4 indices a pipeline below 0"
    );
}

#[test]
fn adds_a_resolution_stage_if_there_is_none() {
    let text = COUNTER.replace("resolution 1", "resolution 0");
    let text =
        text.replace(" if does", "").replace("access @total stage 1 pinned", "access @total stage 1 always pinned");
    let text = text.replace("index index sharded", "index index always sharded");
    let pipeline = pipeline(&text);
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), Mp5Parameters::default()).unwrap();
    let outcome = run(&mut machine, &[record(0, 0, &[1, 2])]);
    assert_eq!(outcome.sent, [(4000, 0, 0)]);
    assert_eq!(outcome.registers.array(1), [0, 0, 1, 0]);
}
