//! Ten controllers that arbitrate, flap and flood while packets pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use basis::Random;
use p4runtime::client::{Client, READ, Stream, WRITE, claim};
use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{PacketOut, ReadResponse, WriteResponse};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use super::messages::{Messages, write};
use super::source::Flow;
use super::switch::DEVICE;
use super::{ELECTION_ID, Extent, PacketSpeed, Setting, Spread, TO_CONTROLLERS};
use crate::router::{Route, packets};

/// The number of controllers that connect, claim and vanish; that read; that write; and that send packets.
const CONTROLLERS: [usize; 4] = [3, 2, 3, 2];
/// The election id of the controller that sends packets and in whose name others write: the primary, unless one that flaps
/// has claimed more.
const PRIMARY: u64 = ELECTION_ID + 1;
/// The writes of a controller that are under way at once.
const WRITES_AT_ONCE: usize = 16;
/// The time after which the controllers are at full speed, or have gone.
const SETTLE: Duration = Duration::from_millis(100);

/// Ten controllers that flap and flood while packets pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredFlood {
    /// Packets per second without controllers.
    pub packets_alone: Spread,
    /// Packets per second with them.
    pub packets: Spread,
    /// The ratio of the two within a round.
    pub ratio: Spread,
    /// The same ratio by processor time of the switch's thread.
    pub processor_ratio: Spread,
    /// What the controllers did in a second, by all rounds.
    pub done: Done,
}

/// The numbers of things that controllers did in a second.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Done {
    /// Connections with a claim to be primary that were made and broken.
    pub claims: f64,
    /// Reads of all routes.
    pub reads: f64,
    /// Writes of one entry, carried out or refused.
    pub writes: f64,
    /// Packets sent to the switch.
    pub packet_outs: f64,
    /// Messages of the switch: notices, packets that came back, and packets that were refused.
    pub heard: f64,
}

#[derive(Default)]
struct Counts {
    claims: AtomicU64,
    reads: AtomicU64,
    writes: AtomicU64,
    packet_outs: AtomicU64,
    heard: AtomicU64,
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

/// Measures the flood.
pub fn measure(setting: &Setting, extent: Extent) -> MeasuredFlood {
    let counts = Arc::new(Counts::default());
    setting.switch.set_packets(Flow::Endless);
    let rounds: Vec<[PacketSpeed; 2]> = (0..extent.rounds).map(|_| round(setting, extent.window, &counts)).collect();
    setting.switch.set_packets(Flow::Nothing);
    let seconds = (extent.window + SETTLE).as_secs_f64() * f64::from(extent.rounds);
    let rate = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / seconds;
    let done = Done {
        claims: rate(&counts.claims),
        reads: rate(&counts.reads),
        writes: rate(&counts.writes),
        packet_outs: rate(&counts.packet_outs),
        heard: rate(&counts.heard),
    };
    let spread = |figure: fn(&[PacketSpeed; 2]) -> f64| Spread::of(rounds.iter().map(figure));
    MeasuredFlood {
        packets_alone: spread(|[alone, _]| alone.per_second),
        packets: spread(|[_, with]| with.per_second),
        ratio: spread(|[alone, with]| with.per_second / alone.per_second),
        processor_ratio: spread(|[alone, with]| with.per_processor_second / alone.per_processor_second),
        done,
    }
}

/// Returns the speed of packets without controllers and with them.
fn round(setting: &Setting, window: Duration, counts: &Arc<Counts>) -> [PacketSpeed; 2] {
    std::thread::sleep(SETTLE);
    let alone = setting.switch.speed_for(window);
    let tasks = start(setting, counts);
    std::thread::sleep(SETTLE);
    let with = setting.switch.speed_for(window);
    tasks.iter().for_each(JoinHandle::abort);
    setting.runtime.block_on(async {
        for task in tasks {
            // It was ended, or has ended by itself.
            let _ = task.await;
        }
    });
    [alone, with]
}

/// Starts the controllers.
fn start(setting: &Setting, counts: &Arc<Counts>) -> Vec<JoinHandle<()>> {
    let [flapping, reading, writing, _] = CONTROLLERS;
    let address = setting.switch.address();
    let mut tasks = Vec::new();
    for number in 0..CONTROLLERS.iter().sum::<usize>() {
        let (messages, counts) = (setting.messages.clone(), Arc::clone(counts));
        // One of those that flap takes the place of the primary each time. The others are backups.
        let id = match number {
            0 => PRIMARY + 1,
            _ if number == flapping + reading + writing => PRIMARY,
            _ => number as u64,
        };
        let task = async move {
            let connect = async || Client::connect(address).await;
            // A connection that is refused is tried again until the end.
            loop {
                let Ok(client) = connect().await else { continue };
                if number < flapping {
                    flap(&client, id, &counts).await;
                } else if number < flapping + reading {
                    read(&client, &messages, &counts).await;
                } else if number < flapping + reading + writing {
                    write_on(client, messages.clone(), number as u32, &counts).await;
                } else {
                    send(&client, id, &counts).await;
                }
                tokio::task::yield_now().await;
            }
        };
        tasks.push(setting.runtime.spawn(task));
    }
    tasks
}

/// Claims to be the primary, hears what it is, and vanishes.
async fn flap(client: &Client, id: u64, counts: &Counts) {
    let Ok(mut stream) = client.stream().await else { return };
    stream.send(claim(DEVICE, "", id)).await;
    if stream.next().await.is_ok() {
        add(&counts.claims);
        add(&counts.heard);
    }
}

/// Reads all routes, again and again.
async fn read(client: &Client, messages: &Messages, counts: &Counts) {
    while let Ok(answers) = client.call_for_all::<_, ReadResponse>(READ, messages.read_routes()).await {
        add(&counts.reads);
        drop(answers);
    }
}

/// Writes single entries in the name of the primary, several at once.
async fn write_on(client: Client, messages: Messages, controller: u32, counts: &Arc<Counts>) {
    let mut lanes = tokio::task::JoinSet::new();
    for lane in 0..WRITES_AT_ONCE as u32 {
        let (client, messages, counts) = (client.clone(), messages.clone(), Arc::clone(counts));
        lanes.spawn(async move {
            let network = 0xF000_0000 | controller << 16 | lane << 8;
            let entry = messages.route(Route { network, length: 24 }, 0);
            for kind in [Type::Insert, Type::Modify, Type::Delete].into_iter().cycle() {
                // While another controller is the primary this is refused, which is work as well.
                let written: Result<WriteResponse, _> = client.call(WRITE, write(PRIMARY, kind, [entry.clone()])).await;
                if written.is_err_and(|status| status.code() as i32 == Code::Unavailable as i32) {
                    return;
                }
                add(&counts.writes);
            }
        });
    }
    while lanes.join_next().await.is_some() {}
}

/// Sends packets that come back, as fast as the switch takes them, and hears what comes.
async fn send(client: &Client, id: u64, counts: &Counts) {
    let Ok(mut stream) = client.stream().await else { return };
    stream.send(claim(DEVICE, "", id)).await;
    let frames = packets(&[TO_CONTROLLERS], &mut Random::new(id));
    for frame in frames.iter().cycle() {
        let packet = PacketOut { payload: frame.to_vec(), metadata: Vec::new() };
        tokio::select! {
            biased;
            heard = hear(&mut stream) => match heard {
                true => add(&counts.heard),
                false => return,
            },
            () = std::future::ready(()) => {
                stream.send(Asked::Packet(packet)).await;
                add(&counts.packet_outs);
            }
        }
    }
}

async fn hear(stream: &mut Stream) -> bool {
    matches!(stream.next().await, Ok(Some(_)))
}
