//! SwitchML's workers and switch together: every sum is exact, and every tensor is finished, whatever links do to packets.

mod public_program;
mod star;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant};
use machines::aggregator::switchml::SwitchMlDefect;
use proptest::prelude::*;
use star::{Case, Harm, Star};
use transports::aggregation::switchml::{SwitchMlParameters, ValuesPerPacket};

const END: Instant = Instant::from_microseconds(2_000_000);

fn case(workers: u16, slots: std::ops::Range<u32>, tensors: &[u64]) -> Case {
    Case { job: 1, workers, slots, tensors: tensors.to_vec(), parameters: SwitchMlParameters::default() }
}

fn run(cases: &[Case], harm: Harm, seed: u64, defect: Option<SwitchMlDefect>) -> Result<(), String> {
    let slots = cases.iter().map(|case| case.slots.end).max().unwrap_or(0);
    Star::new(cases, slots, harm, seed, defect).run(END)
}

const ALL_HARM: Harm = Harm { lost: 0.05, copied: 0.05, delayed: Duration::from_microseconds(3_000) };

#[test]
fn two_workers_sum_a_tensor_without_a_packet_more_than_needed() {
    let parameters = SwitchMlParameters { timeout: None, ..SwitchMlParameters::default() };
    let mut star = Star::new(&[Case { parameters, ..case(2, 0..16, &[64 * 100 + 3]) }], 16, Harm::default(), 1, None);
    star.run(END).expect("nothing is lost");
    for host in &star.hosts {
        let mut counted = Vec::new();
        transports::Endpoint::counters(&host.worker, &mut |counter| counted.push((counter.name, counter.value)));
        assert_eq!(counted, [("sent", 101), ("sent_again", 0), ("sums", 101), ("superfluous_sums", 0)]);
    }
}

#[test]
fn without_a_timeout_a_lost_packet_is_waited_for_and_named() {
    let parameters = SwitchMlParameters { timeout: None, ..SwitchMlParameters::default() };
    let harm = Harm { lost: 0.05, ..Harm::default() };
    let wrong = run(&[Case { parameters, ..case(2, 0..4, &[64 * 100]) }], harm, 1, None).expect_err("packets are lost");
    assert!(wrong.contains("tensor 0 of job 1 (SwitchML)") && wrong.contains("was sent 1 times"), "{wrong}");
}

#[test]
fn packets_of_256_values_and_many_tensors_of_any_length() {
    let parameters = SwitchMlParameters { values: ValuesPerPacket::Many, ..SwitchMlParameters::default() };
    let tensors = [1, 255, 256, 257, 5000, 2];
    run(&[Case { parameters, ..case(32, 3..8, &tensors) }], ALL_HARM, 3, None).expect("all sums are exact");
}

#[test]
fn jobs_have_slots_of_their_own() {
    let other = Case { job: 2, ..case(3, 8..12, &[3000]) };
    run(&[case(4, 0..8, &[2000, 70]), other], ALL_HARM, 4, None).expect("all sums are exact");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sums_are_exact_and_complete_under_loss_copies_and_reordering(
        seed: u64,
        workers in 1u16..=8,
        slots in 1u32..12,
        tensors in prop::collection::vec(1u64..1500, 1..4),
        lost in 0.0..0.2,
        copied in 0.0..0.2,
        delayed in 0u64..4_000,
        many: bool,
    ) {
        let values = if many { ValuesPerPacket::Many } else { ValuesPerPacket::Few };
        let parameters = SwitchMlParameters { values, ..SwitchMlParameters::default() };
        let harm = Harm { lost, copied, delayed: Duration::from_microseconds(delayed) };
        let run = run(&[Case { parameters, ..case(workers, 0..slots, &tensors) }], harm, seed, None);
        prop_assert_eq!(run, Ok(()));
    }
}

#[test]
fn every_broken_rule_is_noticed() {
    for defect in SwitchMlDefect::ALL {
        let noticed = (1..=20).any(|seed| run(&[case(4, 0..3, &[64 * 200])], ALL_HARM, seed, Some(defect)).is_err());
        assert!(noticed, "{defect:?} went unnoticed");
    }
}

/// A worker and a switch that are saved, and restored into new ones, go on as the others do.
#[test]
fn restored_workers_and_switches_go_on() {
    let cases = [case(3, 0..4, &[64 * 80])];
    let mut whole = Star::new(&cases, 4, Harm::default(), 5, None);
    let mut saved = Star::new(&cases, 4, Harm::default(), 5, None);
    let half = Instant::from_microseconds(20);
    assert!(whole.run(half).is_err() && saved.run(half).is_err(), "there is more to do");
    let fresh = Star::new(&cases, 4, Harm::default(), 5, None);
    let restore = |from: &dyn Snapshot, to: &mut dyn Snapshot| {
        let mut saver = Saver::default();
        from.save(&mut saver).expect("it can be saved");
        let bytes = saver.into_bytes();
        let mut loader = Loader::new(&bytes);
        to.restore(&mut loader).expect("it can be restored");
        loader.finish().expect("all was read");
    };
    for (saved, fresh) in saved.hosts.iter_mut().zip(fresh.hosts) {
        let mut worker = fresh.worker;
        restore(&saved.worker, &mut worker);
        saved.worker = worker;
    }
    let mut switch = fresh.switch;
    restore(&saved.switch, &mut switch);
    saved.switch = switch;
    whole.run(END).expect("all sums are exact");
    saved.run(END).expect("all sums are exact");
    assert_eq!(whole.now, saved.now);
}
