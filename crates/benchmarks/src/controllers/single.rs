//! Single entries written at a steady rate while packets pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use p4runtime::client::{Client, WRITE};
use p4runtime::message::p4::v1::WriteResponse;
use p4runtime::message::p4::v1::update::Type;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use super::messages::{Messages, write};
use super::source::Flow;
use super::{ELECTION_ID, Extent, PacketSpeed, Setting, Spread};
use crate::router::Route;

/// The writes that are sent in a second.
const ASKED_PER_SECOND: u64 = 5000;
/// The packets that arrive in a second meanwhile.
const PACKETS_PER_SECOND: u64 = 1_000_000;
/// The time between two times at which writes are sent.
const TICK: Duration = Duration::from_millis(1);
/// The number of routes that are inserted before they are deleted again: those of a second, since calls that are under way
/// at once may be carried out in any order.
const ROUTES: u64 = ASKED_PER_SECOND;

/// Single writes while packets pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredWrites {
    /// The writes that are sent in a second.
    pub asked_per_second: u64,
    /// The writes that were answered in a second.
    pub per_second: Spread,
    /// The microseconds from sending a write to its answer: the median, and what 99% take at most.
    pub median_us: Spread,
    /// See [`MeasuredWrites::median_us`].
    pub percentile_99_us: Spread,
    /// The number of writes that were refused.
    pub refused: u64,
    /// Packets per second while nobody writes.
    pub packets_alone: Spread,
    /// Packets per second meanwhile.
    pub packets: Spread,
    /// The ratio of the two within a round.
    pub ratio: Spread,
    /// The same ratio by processor time of the switch's thread.
    pub processor_ratio: Spread,
}

/// The writes of all rounds.
#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    refused: AtomicU64,
}

/// The result of one round.
struct Round {
    alone: PacketSpeed,
    with: PacketSpeed,
    per_second: f64,
    /// The median time of a write, and that which 99% take at most.
    microseconds: [f64; 2],
}

/// Measures single writes.
pub fn measure(setting: &Setting, extent: Extent) -> MeasuredWrites {
    let counts = Arc::new(Counts::default());
    setting.switch.set_packets(Flow::PerSecond(PACKETS_PER_SECOND));
    let rounds: Vec<Round> = (0..extent.rounds).map(|_| round(setting, extent.window, &counts)).collect();
    setting.switch.set_packets(Flow::Nothing);
    let spread = |figure: fn(&Round) -> f64| Spread::of(rounds.iter().map(figure));
    MeasuredWrites {
        asked_per_second: ASKED_PER_SECOND,
        per_second: spread(|round| round.per_second),
        median_us: spread(|round| round.microseconds[0]),
        percentile_99_us: spread(|round| round.microseconds[1]),
        refused: counts.refused.load(Ordering::Relaxed),
        packets_alone: spread(|round| round.alone.per_second),
        packets: spread(|round| round.with.per_second),
        ratio: spread(|round| round.with.per_second / round.alone.per_second),
        processor_ratio: spread(|round| round.with.per_processor_second / round.alone.per_processor_second),
    }
}

fn round(setting: &Setting, window: Duration, counts: &Arc<Counts>) -> Round {
    let alone = setting.switch.speed_for(window);
    let since = setting.switch.count();
    let (client, messages) = (setting.primary.client.clone(), setting.messages.clone());
    let (times, seconds) = setting.runtime.block_on(send(client, messages, window, Arc::clone(counts)));
    let with = setting.switch.speed(&since);
    let mut times = times;
    times.sort_by(f64::total_cmp);
    let microseconds = [times[times.len() / 2] * 1e6, times[times.len() * 99 / 100] * 1e6];
    Round { alone, with, per_second: times.len() as f64 / seconds, microseconds }
}

/// Sends writes for a time, whether those before have been answered or not. Returns the seconds that each took, and the
/// seconds until the last was answered.
async fn send(client: Client, messages: Messages, window: Duration, counts: Arc<Counts>) -> (Vec<f64>, f64) {
    let (done, mut answered) = mpsc::unbounded_channel();
    let began = Instant::now();
    let sender = tokio::spawn(async move {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        // On a busy computer the time may be over before this runs: some writes are sent nevertheless.
        loop {
            ticks.tick().await;
            for _ in 0..ASKED_PER_SECOND * TICK.as_millis() as u64 / 1000 {
                let request = next_write(&messages, counts.sent.fetch_add(1, Ordering::Relaxed));
                let (client, done, counts) = (client.clone(), done.clone(), Arc::clone(&counts));
                tokio::spawn(async move {
                    let began = Instant::now();
                    let written: Result<WriteResponse, _> = client.call(WRITE, request).await;
                    counts.refused.fetch_add(u64::from(written.is_err()), Ordering::Relaxed);
                    // The receiver waits for all.
                    let _ = done.send(began.elapsed().as_secs_f64());
                });
            }
            if began.elapsed() >= window {
                break;
            }
        }
    });
    let mut times = Vec::new();
    while let Some(time) = answered.recv().await {
        times.push(time);
    }
    let seconds = began.elapsed().as_secs_f64();
    // It has ended, since it holds an end of the channel.
    let _ = sender.await;
    (times, seconds)
}

/// Returns one of the writes: routes are inserted, and then deleted, one by one.
fn next_write(messages: &Messages, number: u64) -> p4runtime::message::p4::v1::WriteRequest {
    let network = 0xF000_0000 | ((number % ROUTES) as u32) << 8;
    let kind = if (number / ROUTES).is_multiple_of(2) { Type::Insert } else { Type::Delete };
    write(ELECTION_ID, kind, [messages.route(Route { network, length: 24 }, 0)])
}
