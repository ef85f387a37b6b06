//! A record of what threads, engines and timers do in the first cycles, in the Trace Event Format, for Perfetto
//! (ui.perfetto.dev) and Chrome's tracing.
//!
//! Each packet processing engine is a process whose threads are tracks with their instructions; the transactions of each are
//! beside them. What is under way at the engines behind the crossbar, and what waits for threads, are counters.

use std::fmt::Write;

use basis::Clock;
use ir::interpret::threads::{Request, Touched};
use ir::threads::Cause;
use ir::{Program, Threads};

use super::memory::Block;

/// The numbers of processes behind those of the engines.
const TIMERS: u32 = 1 << 16;
const COUNTERS: u32 = TIMERS + 1;
/// The number by which the track of a thread's transactions is greater than that of its instructions.
const TRANSACTIONS: u32 = 1 << 16;

/// The record.
#[derive(Debug)]
pub(super) struct Slices {
    /// The number of cycles that are recorded from the first one in which something happens.
    cycles: u64,
    first: Option<u64>,
    slices: Vec<Slice>,
    marks: Vec<(u64, String)>,
    /// The changes of the number of requests that are under way at the engines of a kind.
    under_way: Vec<(u64, Block, i64)>,
    /// The numbers of packets that wait for a thread, and of threads, by cycle.
    waiting: Vec<(u64, u64, u64)>,
}

#[derive(Debug)]
struct Slice {
    ppe: u32,
    track: u32,
    name: String,
    from: u64,
    until: u64,
}

impl Slices {
    pub(super) fn new(cycles: u64) -> Self {
        let (slices, marks, under_way) = (Vec::new(), Vec::new(), Vec::new());
        Self { cycles, first: None, slices, marks, under_way, waiting: Vec::new() }
    }

    /// Returns whether a cycle is recorded.
    fn has(&mut self, cycle: u64) -> bool {
        let first = *self.first.get_or_insert(cycle);
        cycle.checked_sub(first).is_some_and(|passed| passed < self.cycles)
    }

    /// Records an instruction of a thread, which is the `track`th of its engine.
    pub(super) fn instruction(&mut self, [ppe, track]: [u32; 2], name: &str, from: u64, until: u64) {
        if self.has(from) {
            self.slices.push(Slice { ppe, track, name: name.to_owned(), from, until });
        }
    }

    /// Records a transaction of a thread.
    pub(super) fn transaction(&mut self, [ppe, track]: [u32; 2], request: &Request, from: u64, until: u64) {
        if self.has(from) {
            let name = request.name().to_owned();
            self.slices.push(Slice { ppe, track: track + TRANSACTIONS, name, from, until });
            let block = block(request);
            self.under_way.extend([(from, block, 1), (until, block, -1)]);
        }
    }

    /// Records a thread that has ended.
    pub(super) fn thread(&mut self, [ppe, track]: [u32; 2], number: u64, from: u64, until: u64) {
        if self.has(from) {
            // The thread begins before its first instruction, and encloses all of them.
            self.slices.push(Slice { ppe, track, name: format!("thread {number}"), from, until });
        }
    }

    /// Records that a thread begins for a timer or an event.
    pub(super) fn cause(&mut self, cause: Cause, threads: &Threads, cycle: u64) {
        let name = match cause {
            Cause::Packet => return,
            Cause::Timer(timer) => &threads.timers[timer.index()].name,
            Cause::Event(event) => &threads.events[event.index()].name,
        };
        if self.has(cycle) {
            self.marks.push((cycle, name.clone()));
        }
    }

    /// Records how many packets wait for a thread, and how many threads there are.
    pub(super) fn waiting(&mut self, cycle: u64, packets: u64, threads: u64) {
        let known = self.waiting.last().map(|(_, packets, threads)| (*packets, *threads));
        if known != Some((packets, threads)) && self.has(cycle) {
            self.waiting.push((cycle, packets, threads));
        }
    }

    /// Returns the record.
    pub(super) fn text(&self, program: &Program, clock: Clock) -> String {
        let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        let mut separator = "\n";
        let mut add = |event: std::fmt::Arguments<'_>| {
            let _ = write!(text, "{separator}{event}");
            separator = ",\n";
        };
        let time = |cycle: u64| {
            let picoseconds = clock.edge(cycle).picoseconds();
            format!("{}.{:06}", picoseconds / 1_000_000, picoseconds % 1_000_000)
        };
        let mut processes: Vec<u32> = self.slices.iter().map(|slice| slice.ppe).collect();
        processes.sort_unstable();
        processes.dedup();
        for ppe in processes {
            add(format_args!(r#"{{"ph":"M","name":"process_name","pid":{ppe},"args":{{"name":"PPE {ppe}"}}}}"#));
        }
        let mut tracks: Vec<(u32, u32)> = self.slices.iter().map(|slice| (slice.ppe, slice.track)).collect();
        tracks.sort_unstable();
        tracks.dedup();
        for (ppe, track) in tracks {
            let name = match track.checked_sub(TRANSACTIONS) {
                Some(track) => format!("thread {track}: transactions"),
                None => format!("thread {track}"),
            };
            add(format_args!(
                r#"{{"ph":"M","name":"thread_name","pid":{ppe},"tid":{track},"args":{{"name":"{name}"}}}}"#
            ));
        }
        let mut slices: Vec<&Slice> = self.slices.iter().collect();
        // What encloses others comes first.
        slices.sort_by_key(|slice| (slice.from, u64::MAX - slice.until));
        for Slice { ppe, track, name, from, until } in slices {
            let (name, at) = (escaped(name), time(*from));
            let length = clock.edge(*until).since(clock.edge(*from)).picoseconds();
            add(format_args!(
                r#"{{"ph":"X","name":"{name}","cat":"thread","pid":{ppe},"tid":{track},"ts":{at},"dur":{}.{:06}}}"#,
                length / 1_000_000,
                length % 1_000_000
            ));
        }
        let name = escaped(&program.name);
        add(format_args!(r#"{{"ph":"M","name":"process_name","pid":{TIMERS},"args":{{"name":"timers of {name}"}}}}"#));
        for (cycle, name) in &self.marks {
            let (name, at) = (escaped(name), time(*cycle));
            add(format_args!(r#"{{"ph":"i","s":"p","name":"{name}","pid":{TIMERS},"tid":0,"ts":{at}}}"#));
        }
        add(format_args!(r#"{{"ph":"M","name":"process_name","pid":{COUNTERS},"args":{{"name":"engines"}}}}"#));
        let mut changes = self.under_way.clone();
        changes.sort_by_key(|(cycle, ..)| *cycle);
        let mut now = [0; Block::ALL.len()];
        for (cycle, block, change) in changes {
            let place = Block::ALL.iter().position(|own| *own == block).unwrap_or(0);
            now[place] += change;
            let (name, at, value) = (block.name(), time(cycle), now[place]);
            add(format_args!(
                r#"{{"ph":"C","name":"{name}","pid":{COUNTERS},"ts":{at},"args":{{"under way":{value}}}}}"#
            ));
        }
        for (cycle, packets, threads) in &self.waiting {
            let at = time(*cycle);
            add(format_args!(
                r#"{{"ph":"C","name":"dispatch","pid":{COUNTERS},"ts":{at},"args":{{"packets that wait":{packets},"threads":{threads}}}}}"#
            ));
        }
        text.push_str("\n]}\n");
        text
    }
}

/// Returns the kind of engine to which a request goes.
fn block(request: &Request) -> Block {
    match (request.touches(), request) {
        (Touched::Line(_), _) => Block::Bank,
        (Touched::Records(_), _) | (_, Request::Hash { .. }) => Block::Hash,
        (_, Request::Filter { .. }) => Block::Filter,
        (Touched::Packets, _) => Block::PacketBuffer,
        _ => Block::Service,
    }
}

/// Returns a text as it stands in a text of JSON.
fn escaped(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).fold(String::new(), |mut escaped, character| {
        if matches!(character, '"' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
        escaped
    })
}
