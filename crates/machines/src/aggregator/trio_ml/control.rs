//! What the control plane sees and changes: records and memory by the names of the Microcode program.

use basis::{Duration, Instant};
use control::{Event, Identity, Info, RecordTable, Segment, SegmentNumber};
use node::Counter;
use runtime::ProgramState;
use wire::Packet;
use wire::trio_ml::{BlockRecord, JobRecord, MOST_GRADIENTS, RECORD_WORDS};

use super::state::{BLOCK_KEY, JOBS, Place, Straggler, Timer, TrioMlSwitch};
use crate::aggregator::{Protocol, Verdict};

/// The numbers of the segments, in the order of [`Protocol::describe`].
const JOBS_SEGMENT: usize = 0;
const BLOCKS: usize = 1;
const STATES: usize = 2;
const SUMS: usize = 3;
const FLOORS: usize = 4;
const STRAGGLERS: usize = 5;
/// The numbers of the events.
const SET_AGE: usize = 0;

/// The bits of the word that says what became of a block's place; the program has the same.
const CLOSING: u64 = 1 << 63;
const BUILT: u64 = 1 << 60;
const FINAL: u64 = 1 << 59;
const DEGRADED: u64 = 1 << 58;

const RECORD_BYTES: u64 = 8 * RECORD_WORDS as u64;
const SUMS_BYTES: u64 = 4 * MOST_GRADIENTS as u64;

impl Protocol for TrioMlSwitch {
    fn describe(&self, info: &mut Info) {
        let places = u64::from(self.parameters.places());
        let segments = [
            ("jobs", RECORD_BYTES * JOBS as u64),
            ("blocks", RECORD_BYTES * places),
            ("states", 8 * places),
            ("sums", SUMS_BYTES * places),
            ("floors", 8 * JOBS as u64),
            ("stragglers", 8 * 256 * JOBS as u64),
        ];
        let mut address = 0;
        for (name, bytes) in segments {
            info.segments.push(Segment { identity: Identity::new(name), address, bytes, has_policers: false });
            address += bytes.next_multiple_of(64);
        }
        let tables = [("jobs", JOBS_SEGMENT, 1, JOBS as u32), ("blocks", BLOCKS, BLOCK_KEY, self.parameters.places())];
        for (name, segment, key_bytes, size) in tables {
            info.records.push(RecordTable {
                identity: Identity::new(name),
                key_bytes: key_bytes as u32,
                record_bytes: RECORD_BYTES as u32,
                segment: SegmentNumber::from(segment),
                size,
            });
        }
        for name in ["set_age", "set_judge"] {
            info.events.push(Event { identity: Identity::new(name) });
        }
    }

    fn set_up(&mut self, _info: &Info, _state: &ProgramState) {}

    fn show(&self, info: &Info, state: &mut ProgramState) {
        state.records = vec![self.jobs.clone(), self.blocks.clone()];
        let mut put = |segment: usize, offset: u64, words: &[u64]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            state.memory.write(info.segments[segment].address + offset, &bytes).expect("what is shown has room");
        };
        for (place, ..) in self.jobs.records() {
            put(JOBS_SEGMENT, RECORD_BYTES * u64::from(place), &self.job[place as usize].words());
        }
        for (place, ..) in self.blocks.records() {
            let (offset, found) = (u64::from(place), &self.places[place as usize]);
            put(BLOCKS, RECORD_BYTES * offset, &found.record.words());
            put(STATES, 8 * offset, &[state_word(found)]);
            let (pairs, _) = found.sums.as_chunks::<2>();
            let words: Vec<u64> =
                pairs.iter().map(|[a, b]| u64::from(*a as u32) << 32 | u64::from(*b as u32)).collect();
            put(SUMS, SUMS_BYTES * offset, &words);
        }
        put(FLOORS, 0, &self.floors);
        for (key, straggler) in &self.stragglers {
            put(STRAGGLERS, 8 * u64::from(*key), &[straggler.word()]);
        }
    }

    fn take(&mut self, info: &Info, state: &ProgramState) {
        let word = |segment: usize, place: u64| {
            let mut bytes = [0; 8];
            state.memory.read(info.segments[segment].address + 8 * place, &mut bytes).expect("what was shown is there");
            u64::from_be_bytes(bytes)
        };
        let words = |segment: usize, place: u32| {
            std::array::from_fn(|at| word(segment, u64::from(place) * RECORD_WORDS as u64 + at as u64))
        };
        let [jobs, blocks] = &state.records[..] else { unreachable!("there are two tables of records") };
        self.jobs = jobs.clone();
        for (place, ..) in jobs.records() {
            self.job[place as usize] = JobRecord::of(&words(JOBS_SEGMENT, place));
        }
        // Sums are zero where no block is.
        for (place, found) in self.places.iter_mut().enumerate() {
            if !blocks.has(place as u32) {
                *found = Place::default();
            }
        }
        self.blocks = blocks.clone();
        for (place, ..) in blocks.records() {
            let found = self.place_mut(place);
            found.record = BlockRecord::of(&words(BLOCKS, place));
            found.record.gradients = found.record.gradients.min(MOST_GRADIENTS);
            // An address that no job has is that of a job that has ended.
            found.record.job_address = found.record.job_address.min(JOBS as u32 - 1);
            let state = word(STATES, place.into());
            found.is_built = state & BUILT != 0;
            found.is_final = state & FINAL != 0;
            found.is_degraded = state & DEGRADED != 0;
            found.contributors = state as u32;
            for (at, pair) in found.sums.chunks_mut(2).enumerate() {
                let word = word(SUMS, u64::from(place) * SUMS_BYTES / 8 + at as u64);
                pair.copy_from_slice(&[(word >> 32) as i32, word as i32]);
            }
        }
        self.floors = (0..JOBS as u64).map(|job| word(FLOORS, job)).collect();
        let stragglers = (0..=u16::MAX).map(|key| (key, Straggler::of(word(STRAGGLERS, key.into()))));
        self.stragglers = stragglers.filter(|(_, straggler)| *straggler != Straggler::default()).collect();
    }

    fn happen(&mut self, now: Instant, event: usize, argument: u64) {
        let period = Duration::from_nanoseconds((argument & 0xffff_ffff).max(1));
        if event == SET_AGE {
            self.milliseconds = argument >> 32;
            self.age = Timer::new(now, period);
        } else {
            self.judge = Timer::new(now, period);
        }
    }

    fn receive(&mut self, now: Instant, packet: &mut Packet, _has_route: bool) -> Verdict {
        self.arrive(now, packet)
    }

    fn wake(&mut self, now: Instant, send: &mut Vec<Packet>) {
        self.run_threads(now, send);
    }

    fn deadline(&self) -> Option<Instant> {
        self.next_thread()
    }

    /// Threads of timers begin for ever, but do something only while a block waits that can age out.
    fn rests(&self) -> bool {
        self.job.iter().all(|job| job.active_blocks == 0 || job.timeout == 0)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.tell(tell);
    }
}

/// Returns the word that the program has for a place with a block.
fn state_word(place: &Place) -> u64 {
    let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
    flag(place.is_built, CLOSING | BUILT)
        | flag(place.is_final, FINAL)
        | flag(place.is_degraded, DEGRADED)
        | u64::from(place.contributors)
}

impl Straggler {
    fn word(self) -> u64 {
        u64::from(self.events) << 32 | u64::from(self.periods) << 8 | u64::from(self.told)
    }

    fn of(word: u64) -> Self {
        Self { events: (word >> 32) as u32, periods: (word >> 8) as u16, told: word as u8 }
    }
}
