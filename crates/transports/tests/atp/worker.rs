//! The worker, packet by packet.

use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant};
use transports::Endpoint;
use transports::aggregation::atp::{AtpParameters, Worker};
use transports::aggregation::{Collective, Member, Outcomes, Tensor};
use wire::atp::flag;

use crate::gradients::Values;
use crate::packets::{Fields, SERVER, setup, worker};
use crate::plan::Job;

/// The worker of rank 1 among two, with 2,000 fragments to send.
struct Scene {
    worker: Worker,
    group: u32,
    now: Instant,
    outcomes: Outcomes,
}

impl Scene {
    fn new(parameters: AtpParameters) -> Self {
        let job = Job { aggregators: 0..4096, ..Job::new(1, vec![0, 0]) };
        let values = Values { job: 1, rank: 1, bits: 24 };
        let mut worker = Worker::new(worker(1), setup(&job), Arc::new(values), parameters);
        worker.begin(Instant::ZERO, Tensor { number: 0, length: 2000 * 62 });
        Self { worker, group: job.group(), now: Instant::ZERO, outcomes: Outcomes::default() }
    }

    /// All packets that the worker sends now.
    fn sent(&mut self) -> Vec<Fields> {
        std::iter::from_fn(|| self.worker.transmit(self.now)).map(|packet| Fields::of(&packet)).collect()
    }

    fn answer(&mut self, sequence: u32) {
        self.take(Fields::answer(self.group, sequence, 1));
    }

    fn take(&mut self, fields: Fields) {
        self.now += Duration::from_nanoseconds(100);
        let packet = fields.packet();
        assert!(self.worker.accepts(&packet));
        self.worker.receive(self.now, packet, &mut self.outcomes).expect("accepted");
    }
}

fn sequences(sent: &[Fields]) -> Vec<u32> {
    sent.iter().map(|fields| fields.sequence).collect()
}

#[test]
fn a_window_of_200_grows_by_an_mtu_for_each_answer() {
    let mut scene = Scene::new(AtpParameters::default());
    let first = scene.sent();
    assert_eq!(sequences(&first), (0..200).collect::<Vec<_>>());
    let expected = Values { job: 1, rank: 1, bits: 24 }.integer(0, 62 * 7 + 3).cast_unsigned();
    assert_eq!((first[7].values[3], first[7].destination, first[7].flags), (expected, SERVER, 0));
    assert_eq!((first[7].bitmaps, u32::from(first[7].aggregator)), ([2, 1], wire::atp::hash(1 << 24 | 7) % 4096));
    scene.answer(0);
    assert_eq!(sequences(&scene.sent()), (200..206).collect::<Vec<_>>(), "one for the answer, and an MTU");
    // Without congestion control, the window stays.
    let mut scene = Scene::new(AtpParameters { congestion_control: false, ..AtpParameters::default() });
    scene.sent();
    scene.answer(0);
    assert_eq!(sequences(&scene.sent()), [200]);
}

#[test]
fn a_mark_halves_the_window() {
    let mut scene = Scene::new(AtpParameters::default());
    scene.sent();
    let marked = Fields::answer(scene.group, 0, 1).flags(flag::ECN);
    scene.take(marked);
    (1..=99).for_each(|sequence| scene.answer(sequence));
    // 100 are under way, and the window is 100 and what 99 answers add: an MTU a window.
    assert!((1..=5).contains(&scene.sent().len()));
}

#[test]
fn three_later_answers_mean_that_the_oldest_is_lost() {
    let mut scene = Scene::new(AtpParameters { initial_window: 10, ..AtpParameters::default() });
    scene.sent();
    // The round-trip time.
    scene.now += Duration::from_microseconds(10);
    scene.answer(1);
    scene.answer(2);
    assert!(scene.sent().iter().all(|fields| fields.flags == 0));
    scene.answer(3);
    let sent = scene.sent();
    assert_eq!((sent[0].sequence, sent[0].flags), (0, flag::RESEND));
    // Three more within a round trip do not repeat it.
    (4..7).for_each(|sequence| scene.answer(sequence));
    assert!(scene.sent().iter().all(|fields| fields.sequence != 0));
    // What comes late is reported once, whatever came before.
    scene.answer(0);
    scene.answer(0);
    let mut parts = 0;
    scene.outcomes.drain(|_| parts += 1);
    assert_eq!(parts, 7);
}

#[test]
fn the_tail_is_sent_again_after_a_timeout_which_doubles() {
    let timeout = AtpParameters::default().timeout;
    let mut scene = Scene::new(AtpParameters { initial_window: 3, ..AtpParameters::default() });
    scene.sent();
    let first = scene.worker.deadline().unwrap();
    assert_eq!(first, Instant::ZERO + timeout);
    scene.now = first;
    scene.worker.wake(first, &mut scene.outcomes);
    let sent = scene.sent();
    assert_eq!(sequences(&sent), [0, 1, 2]);
    assert!(sent.iter().all(|fields| fields.flags == flag::RESEND));
    assert_eq!(scene.worker.deadline(), Some(first + timeout.times(2)));
    let waiting = &scene.worker.waiting(first)[0];
    assert_eq!(waiting.what, "the sums of 2000 fragments of job 1");
    assert_eq!(waiting.why, "fragment 0 has no answer from its server; 1 timeouts in a row");
}

#[test]
fn the_server_can_ask_for_a_fragment_again_also_for_one_with_an_answer() {
    let mut scene =
        Scene::new(AtpParameters { initial_window: 4, congestion_control: false, ..AtpParameters::default() });
    scene.sent();
    scene.answer(0);
    scene.sent();
    scene.now += AtpParameters::default().timeout;
    let request = |sequence, flags| Fields::answer(scene.group, sequence, 0).flags(flags);
    let requests =
        [request(0, flag::RESEND), request(2, flag::RESEND), request(3, flag::OVERFLOW), request(900, flag::RESEND)];
    requests.into_iter().for_each(|request| scene.take(request));
    let sent: Vec<_> = scene.sent().into_iter().map(|fields| (fields.sequence, fields.flags)).collect();
    assert_eq!(sent, [(0, flag::RESEND), (2, flag::RESEND), (3, flag::RESEND | flag::OVERFLOW)]);
}

#[test]
fn whoever_was_started_again_asks_and_goes_where_the_job_is() {
    let mut scene = Scene::new(AtpParameters::default());
    scene.sent();
    scene.answer(0);
    scene.worker.restart(scene.now);
    scene.worker.begin(scene.now, Tensor { number: 0, length: 2000 * 62 });
    let sent = scene.sent();
    assert_eq!((sequences(&sent), sent[0].flags), (vec![0], flag::RESEND), "one packet, for which no switch waits");
    let mut told = Fields::answer(scene.group, 500, 0).flags(flag::RESEND | flag::OVERFLOW);
    told.bitmaps[1] = 64;
    scene.take(told);
    let mut outcomes = Vec::new();
    scene.outcomes.drain(|outcome| outcomes.push(format!("{outcome:?}")));
    assert_eq!(outcomes.last().unwrap(), "Missed { tensor: 0, first: 0, length: 31000 }");
    assert_eq!(sequences(&scene.sent()), (500..700).collect::<Vec<_>>());
}

/// A worker whose first answer was lost took what the server said to another worker, which had moved, for what was said to
/// itself, and missed everything before the earliest fragment that was not complete.
#[test]
fn a_worker_that_has_never_been_answered_misses_nothing() {
    let mut scene = Scene::new(AtpParameters::default());
    scene.sent();
    let mut told = Fields::answer(scene.group, 500, 0).flags(flag::RESEND | flag::OVERFLOW);
    told.bitmaps[1] = 500;
    scene.take(told);
    scene.answer(0);
    assert_eq!(sequences(&scene.sent()), (200..206).collect::<Vec<_>>());
}

#[test]
fn a_restored_worker_continues_as_the_saved_one() {
    let parameters = AtpParameters { initial_window: 10, ..AtpParameters::default() };
    let mut first = Scene::new(parameters);
    first.sent();
    [0, 1, 3, 4, 5].into_iter().for_each(|sequence| first.answer(sequence));
    let mut saver = Saver::default();
    first.worker.save(&mut saver).unwrap();
    let bytes = saver.into_bytes();
    let mut second = Scene::new(parameters);
    let mut loader = Loader::new(&bytes);
    second.worker.restore(&mut loader).unwrap();
    loader.finish().unwrap();
    second.now = first.now;
    for scene in [&mut first, &mut second] {
        scene.take(Fields::answer(scene.group, 6, 1).flags(flag::ECN));
    }
    assert_eq!(first.worker.deadline(), second.worker.deadline());
    assert_eq!(first.sent(), second.sent());
}
