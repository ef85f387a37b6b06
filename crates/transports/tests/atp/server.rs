//! The server, packet by packet.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot};
use transports::Endpoint;
use transports::aggregation::atp::{Arithmetic, AtpParameters, Server};
use transports::aggregation::{FixedPoint, Member, Outcomes};
use wire::atp::flag;

use crate::packets::{FIRST_PORT, Fields, SERVER, setup};
use crate::plan::Job;

/// A server with what it has said.
struct Scene {
    server: Server,
    group: u32,
    now: Instant,
}

impl Scene {
    /// Three workers in rack 1, and two in rack 2.
    fn new(arithmetic: Arithmetic) -> Self {
        let job = Job::new(1, vec![1, 1, 1, 2, 2]);
        let parameters = AtpParameters { arithmetic, ..job.parameters };
        Self { server: Server::new(SERVER, setup(&job), parameters), group: job.group(), now: Instant::ZERO }
    }

    /// Hands the server a packet a timeout after the last one. Returns what it says.
    fn take(&mut self, fields: Fields) -> Option<Fields> {
        self.now += AtpParameters::default().timeout;
        let packet = fields.packet();
        assert!(self.server.accepts(&packet));
        self.server.receive(self.now, packet, &mut Outcomes::default()).expect("accepted");
        let said = self.server.transmit(self.now);
        assert!(self.server.transmit(self.now).is_none(), "one thing at a time");
        said.map(|packet| Fields::of(&packet))
    }

    fn counter(&self, name: &str) -> u64 {
        let mut value = None;
        self.server.counters(&mut |counter| value = value.or((counter.name == name).then_some(counter.value)));
        value.unwrap()
    }
}

const RACK_1: u32 = 1;
const RACK_2: u32 = 2;

#[test]
fn single_and_added_up_packets_make_one_sum() {
    let mut scene = Scene::new(Arithmetic::Integers);
    assert_eq!(scene.take(Fields::gradient(7, [0b001, RACK_1], 5)), None);
    assert_eq!(scene.take(Fields::gradient(7, [0b110, RACK_1], 11)), None);
    assert_eq!(scene.take(Fields::gradient(7, [0b001, RACK_1], 5)), None, "a duplicate");
    let answer = scene.take(Fields::gradient(7, [0b11, RACK_2], -100));
    assert_eq!(answer, Some(Fields::answer(scene.group, 7, -84)));
    // What was complete is answered again.
    let again = scene.take(Fields::gradient(7, [0b001, RACK_1], 5).flags(flag::RESEND));
    assert_eq!(again, answer);
    // All of both racks, from the second edge switch: whatever bitmap0 says, these racks are complete.
    let both = scene.take(Fields::gradient(8, [0b111, RACK_1 | RACK_2], 3));
    assert_eq!(both, Some(Fields::answer(scene.group, 8, 3)));
}

#[test]
fn a_sum_that_overlaps_in_part_is_never_added() {
    let mut scene = Scene::new(Arithmetic::Integers);
    scene.take(Fields::gradient(7, [0b011, RACK_1], 10));
    // Worker 1 is in both: the workers are asked for the fragment again, which also frees what switches hold.
    let asked = scene.take(Fields::gradient(7, [0b110, RACK_1], 20));
    let request = Fields::answer(scene.group, 7, 0).flags(flag::RESEND);
    assert_eq!(asked, Some(request));
    // A sum with all that is here and more takes its place.
    assert_eq!(scene.take(Fields::gradient(7, [0b111, RACK_1], 30)), None);
    assert_eq!((scene.counter("partial_overlaps"), scene.counter("sums_replaced")), (1, 1));
    let answer = scene.take(Fields::gradient(7, [0b11, RACK_2], 4));
    assert_eq!(answer, Some(Fields::answer(scene.group, 7, 34)));

    // If asking does not help, original values do: they come one by one, and untouched.
    scene.take(Fields::gradient(9, [0b011, RACK_1], 10));
    for _ in 0..3 {
        let asked = scene.take(Fields::gradient(9, [0b110, RACK_1], 20));
        assert_eq!(asked, Some(Fields::answer(scene.group, 9, 0).flags(flag::RESEND)));
    }
    let originals = Fields::answer(scene.group, 9, 0).flags(flag::OVERFLOW);
    assert_eq!(scene.take(Fields::gradient(9, [0b110, RACK_1], 20)), Some(originals));
    for bitmaps in [[1, RACK_1], [2, RACK_1], [4, RACK_1], [1, RACK_2]] {
        assert_eq!(scene.take(Fields::gradient(9, bitmaps, 10).flags(flag::OVERFLOW)), None);
    }
    let answer = scene.take(Fields::gradient(9, [2, RACK_2], 10).flags(flag::OVERFLOW));
    assert_eq!(answer, Some(Fields::answer(scene.group, 9, 50)));
}

#[test]
fn saturated_sums_are_formed_of_original_values() {
    let mut scene = Scene::new(Arithmetic::Floats(FixedPoint::ATP));
    let request = Fields::answer(scene.group, 7, 0).flags(flag::OVERFLOW);
    assert_eq!(scene.take(Fields::gradient(7, [0b111, RACK_1], i32::MAX)), Some(request.clone()));
    // Integers are not taken any more.
    assert_eq!(scene.take(Fields::gradient(7, [0b11, RACK_2], 5)), Some(request));
    let mut answer = None;
    for (at, bitmaps) in [[1, RACK_1], [2, RACK_1], [4, RACK_1], [1, RACK_2], [2, RACK_2]].into_iter().enumerate() {
        assert_eq!(answer, None);
        let bits = (at as f32 + 0.5).to_bits().cast_signed();
        answer = scene.take(Fields::gradient(7, bitmaps, bits).flags(flag::OVERFLOW));
    }
    assert_eq!(answer.unwrap().values, [12.5f32.to_bits(); 62]);
    // Sums of integers are divided by the scale.
    let answer = scene.take(Fields::gradient(8, [0, RACK_1 | RACK_2], 250_000_000));
    assert_eq!(answer.unwrap().values, [2.5f32.to_bits(); 62]);
}

#[test]
fn marks_and_collisions_are_told() {
    let mut scene = Scene::new(Arithmetic::Integers);
    scene.take(Fields::gradient(7, [0b111, RACK_1], 5).flags(flag::ECN));
    let last = Fields::gradient(7, [0b11, RACK_2], 5).flags(flag::COLLISION | flag::RESEND);
    let answer = scene.take(last).unwrap();
    assert_eq!(answer.flags, flag::ACK | flag::ECN | flag::COLLISION);
    let index = Fields::index(7);
    let replaced = wire::atp::hash(index.into()) % 64;
    assert_eq!(answer.bitmaps[0], replaced, "HASH(index) mod aggregators");
    assert_eq!(answer.aggregator, index);
    // Packets say which index they have, so that a server that was started again does not make workers forget it.
    let later = Fields::gradient(7 + 1024, [0, RACK_1 | RACK_2], 5);
    let answer = scene.take(Fields { aggregator: replaced as u16, ..later }).unwrap();
    assert_eq!((answer.flags, answer.bitmaps[0]), (flag::ACK | flag::COLLISION, replaced));
}

#[test]
fn whoever_begins_is_told_where_the_job_is() {
    let mut scene = Scene::new(Arithmetic::Integers);
    for sequence in 0..100 {
        scene.take(Fields::gradient(sequence, [0, RACK_1 | RACK_2], 1));
    }
    let told = scene.take(Fields::gradient(0, [1, RACK_1], 1).flags(flag::RESEND)).unwrap();
    assert_eq!((told.sequence, told.flags), (100, flag::ACK | flag::RESEND | flag::OVERFLOW));
    assert_eq!(told.bitmaps[1], 64, "the answers of a largest window are kept");
    // A new setup says the same to all (appendix A.3).
    let job = Job::new(1, vec![1, 1, 2, 2, 2]);
    let workers: Vec<u32> = (0..5).map(crate::packets::worker).collect();
    scene.server.set_up(scene.now, job.setup(3, &workers, &[SERVER]));
    let told = Fields::of(&scene.server.transmit(scene.now).unwrap());
    assert_eq!(told.sequence, 100 + 3 * 65_536);
}

/// Nothing of the first fragments had come when a worker began, because switches held it, and the server said that the job was
/// at the first fragment that it had seen.
#[test]
fn what_was_never_seen_is_not_complete() {
    let mut scene = Scene::new(Arithmetic::Integers);
    scene.take(Fields::gradient(20, [1, RACK_1], 1));
    let job = Job::new(1, vec![1, 1, 2, 2, 2]);
    let workers: Vec<u32> = (0..5).map(crate::packets::worker).collect();
    scene.server.set_up(scene.now, job.setup(1, &workers, &[SERVER]));
    let told = Fields::of(&scene.server.transmit(scene.now).unwrap());
    assert_eq!((told.sequence, told.bitmaps[1]), (65_536, 0));
}

#[test]
fn a_server_that_forgot_asks_those_who_have_the_answer() {
    let mut scene = Scene::new(Arithmetic::Integers);
    scene.take(Fields::gradient(7, [0, RACK_1 | RACK_2], 5));
    scene.server.restart(scene.now);
    let resent = Fields::gradient(7, [1, RACK_1], 1).flags(flag::RESEND);
    assert_eq!(scene.take(resent.clone()), None);
    let request = Fields::answer(scene.group, 7, 0).flags(flag::RESEND);
    assert_eq!(scene.take(resent), Some(request), "one worker has no answer, and nobody else sends");
    let waiting = scene.server.waiting(scene.now);
    assert_eq!(waiting[0].why, "the values of workers 1, 2, 3, 4 have not arrived");
}

#[test]
fn strays_are_refused() {
    let mut scene = Scene::new(Arithmetic::Integers);
    let mut refused = |fields: Fields, port: u16| {
        let mut packet = fields.packet();
        wire::Udp::new(&mut packet.head.bytes_mut()[34..]).unwrap().set_source_port(port);
        scene.server.receive(Instant::ZERO, packet, &mut Outcomes::default()).is_err()
    };
    assert!(refused(Fields::gradient(7, [0b1000, RACK_1], 5), FIRST_PORT), "nobody has this bit");
    assert!(refused(Fields::gradient(7, [1, 4], 5), FIRST_PORT), "there is no such rack");
    assert!(refused(Fields::gradient(7, [0, RACK_1], 5), FIRST_PORT), "of nobody");
    assert!(refused(Fields::gradient(7, [1, RACK_1], 5), FIRST_PORT + (1 << 10)), "of another setup");
    assert!(refused(Fields::gradient(7, [1, RACK_1], 5).flags(flag::ACK), FIRST_PORT), "a parameter packet");
    assert!(
        refused(Fields { values: vec![0; 31], ..Fields::gradient(7, [1, RACK_1], 5) }, FIRST_PORT),
        "of another length"
    );
    assert_eq!(scene.counter("strays"), 5);
}

#[test]
fn a_restored_server_continues_as_the_saved_one() {
    let mut first = Scene::new(Arithmetic::Integers);
    first.take(Fields::gradient(7, [0b111, RACK_1], 5));
    first.take(Fields::gradient(8, [0, RACK_1 | RACK_2], 3));
    let mut saver = Saver::default();
    first.server.save(&mut saver).unwrap();
    let bytes = saver.into_bytes();
    let mut second = Scene { now: first.now, ..Scene::new(Arithmetic::Integers) };
    let mut loader = Loader::new(&bytes);
    second.server.restore(&mut loader).unwrap();
    loader.finish().unwrap();
    for fields in [
        Fields::gradient(7, [0b11, RACK_2], 4),
        Fields::gradient(8, [1, RACK_1], 1),
        Fields::gradient(0, [1, RACK_1], 1),
    ] {
        assert_eq!(first.take(fields.clone()), second.take(fields));
    }
}
