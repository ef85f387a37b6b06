//! Measures what controllers cost: how long large batches take by P4Runtime, and what single writes and a flood of
//! requests take from the packets that pass meanwhile.
//!
//! Switch, server and controllers are threads of this process and speak by gRPC over loopback. Controllers that load the
//! switch while packets pass step back behind everything else (nice 19), since they stand for other computers: what is
//! measured is what they make the switch and its server do.

mod batch;
mod flood;
mod messages;
mod single;
mod source;
mod spread;
mod switch;

use std::fmt::Display;
use std::time::Duration;

use basis::Random;
use diagnostics::Failure;
use p4runtime::client::{self, Client, SET_PIPELINE, Stream, WRITE};
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{SetForwardingPipelineConfigResponse, WriteResponse};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

pub use batch::MeasuredBatches;
pub use flood::{Done, MeasuredFlood};
pub use single::MeasuredWrites;
pub use spread::Spread;
pub use switch::PacketSpeed;

use crate::router::{Route, packets, routes};
use messages::Messages;
use switch::{DEVICE, PORT, RunningSwitch};

/// The results of the benchmark of controllers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredControllers {
    /// Large batches on a switch without packets.
    pub batches: MeasuredBatches,
    /// Single writes while packets pass.
    pub writes: MeasuredWrites,
    /// Ten controllers that flap and flood while packets pass.
    pub flood: MeasuredFlood,
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// The number of rounds.
    rounds: u32,
    /// The number of entries of a batch.
    entries: usize,
    /// The number of routes by which packets pass.
    routes: usize,
    /// The time for which packets are counted, with controllers and without.
    window: Duration,
}

/// The election id of the controller that sets everything up.
const ELECTION_ID: u64 = 1000;
/// The next hop behind the port in memory, and the one behind the CPU port.
const NEXT_HOPS: [(u16, u16); 2] = [(0, PORT), (1, 510)];
/// The route to the controllers.
const TO_CONTROLLERS: Route = Route { network: 0xF100_0000, length: 8 };

/// Measures what controllers cost. `quick` measures a little of everything once.
///
/// # Errors
/// If the system has no threads or descriptors left, or the server refuses what it must not refuse.
pub fn controllers(quick: bool) -> Result<MeasuredControllers, Failure> {
    let extent = match quick {
        true => Extent { rounds: 1, entries: 1000, routes: 100, window: Duration::from_millis(100) },
        false => Extent { rounds: 7, entries: 100_000, routes: 10_000, window: Duration::from_millis(500) },
    };
    let mut random = Random::new(1);
    let batches = batch::measure(extent, &routes(extent.entries, &mut random))?;
    let setting = Setting::new(&routes(extent.routes, &mut random), &mut random)?;
    Ok(MeasuredControllers {
        batches,
        writes: single::measure(&setting, extent),
        flood: flood::measure(&setting, extent),
    })
}

/// A switch through which packets can pass.
struct Setting {
    switch: RunningSwitch,
    messages: Messages,
    /// The controller that has set it up, which stays its primary.
    primary: Controller,
    /// The threads of controllers.
    runtime: Runtime,
}

/// A controller with its stream.
struct Controller {
    client: Client,
    /// The stream, which makes it the primary as long as it is there.
    _stream: Stream,
}

impl Setting {
    /// Starts a switch with a program and routes, by which packets come back to their port.
    fn new(routes: &[Route], random: &mut Random) -> Result<Self, Failure> {
        let runtime = runtime(true)?;
        let (switch, messages) = (RunningSwitch::start(packets(routes, random))?, Messages::new()?);
        let primary = runtime.block_on(async {
            let primary = Controller::begin(&switch, &messages).await?;
            primary.insert(routes.iter().map(|route| messages.route(*route, 0))).await?;
            primary.insert([messages.route(TO_CONTROLLERS, 1)]).await?;
            Ok::<_, Failure>(primary)
        })?;
        Ok(Self { switch, messages, primary, runtime })
    }
}

impl Controller {
    /// Connects to a switch that waits for its program, brings it, and makes its next hops.
    async fn begin(switch: &RunningSwitch, messages: &Messages) -> Result<Self, Failure> {
        let client = Client::connect(switch.address()).await.map_err(refused)?;
        let mut stream = client.stream().await.map_err(refused)?;
        stream.send(client::claim(DEVICE, "", ELECTION_ID)).await;
        stream.standing().await.map_err(refused)?;
        let set = client.call(SET_PIPELINE, messages.pipeline(ELECTION_ID)).await;
        let _: SetForwardingPipelineConfigResponse = set.map_err(refused)?;
        let own = Self { client, _stream: stream };
        own.insert(NEXT_HOPS.map(|(next_hop, port)| messages.next_hop(next_hop, port))).await?;
        Ok(own)
    }

    /// Inserts entries in one batch.
    async fn insert(
        &self,
        entities: impl IntoIterator<Item = p4runtime::message::p4::v1::Entity>,
    ) -> Result<(), Failure> {
        let written = self.client.call(WRITE, messages::write(ELECTION_ID, Type::Insert, entities)).await;
        written.map(|WriteResponse {}| ()).map_err(refused)
    }
}

/// Returns threads for controllers: those that load the switch step back behind all others.
fn runtime(steps_back: bool) -> Result<Runtime, Failure> {
    let step_back = move || {
        if steps_back {
            // Where it is refused, controllers take more from the switch than they do from another computer.
            let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 19);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("controllers")
        .on_thread_start(step_back)
        .enable_all()
        .build();
    runtime.map_err(|error| Failure::plain(format!("controllers cannot run: {error}")))
}

fn refused(status: impl Display) -> Failure {
    Failure::plain(format!("the benchmark of controllers: {status}"))
}
