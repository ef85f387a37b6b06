//! The switch that controllers load: the router of the benchmark as machine code, with one port in memory and its server for
//! P4Runtime.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use diagnostics::Failure;
use live::MemoryInterface;
use node::Port;
use p4runtime::{CPU_QUEUE, Listening, Server};
use serde::{Deserialize, Serialize};
use switchd::plan::P4RuntimePlan;
use switchd::{BoxedInterface, Request, Switch, SwitchHandle, SwitchPlan};
use workbench::kinds;

use super::source::{Faucet, Flow, Source};

/// The number of the device.
pub const DEVICE: u64 = 1;
/// The port in memory.
pub const PORT: u16 = 1;

/// A running switch with its server. Both end when this is dropped.
pub struct RunningSwitch {
    server: Option<Server>,
    handle: SwitchHandle,
    faucet: Arc<Faucet>,
    /// The file in which the kernel says how much processor time the switch's thread has used.
    schedule: String,
    thread: Option<JoinHandle<()>>,
}

/// The speed of packets through the switch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacketSpeed {
    /// Packets per second.
    pub per_second: f64,
    /// Packets per second of processor time of the switch's thread; not a number if the kernel does not tell.
    pub per_processor_second: f64,
}

/// A moment from which packets are counted.
pub struct Since {
    at: Instant,
    left: u64,
    processor_nanoseconds: Option<u64>,
}

/// What the thread of the switch says when it runs.
struct Started {
    handle: SwitchHandle,
    cpu: MemoryInterface,
    schedule: String,
}

impl RunningSwitch {
    /// Starts a switch that waits for its program, at whose port these frames arrive when they are asked for.
    ///
    /// # Errors
    /// If the system has no descriptors or threads left.
    pub fn start(frames: Vec<[u8; 60]>) -> Result<Self, Failure> {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let controllers = P4RuntimePlan { device_id: DEVICE, ..P4RuntimePlan::at(listen) };
        let plan = SwitchPlan {
            machine: Some(kinds::named("native")?),
            p4runtime: Some(controllers.clone()),
            ..SwitchPlan::named("benchmark".to_owned())
        };
        let faucet = Faucet::new().map_err(|error| cannot(&error))?;
        let source = Source::new(Arc::clone(&faucet), frames);
        let (sender, started) = mpsc::channel();
        let thread = thread::Builder::new().name("switch".to_owned()).spawn(move || match prepare(plan, source) {
            Ok((switch, own)) => {
                // Both ends are there until the switch stops, and its failure is seen by everybody who asks it.
                let _ = sender.send(Ok(own));
                let _ = switch.run(None);
            }
            Err(failure) => _ = sender.send(Err(failure)),
        });
        let thread = thread.map_err(|error| cannot(&error))?;
        let started = started.recv().map_err(|_| Failure::plain("the switch has not started"))?;
        let Started { handle, cpu, schedule } = started?;
        let server = Listening::at(&controllers)?.serve(handle.clone(), cpu)?;
        Ok(Self { server: Some(server), handle, faucet, schedule, thread: Some(thread) })
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        // It is there until this is dropped.
        self.server.as_ref().map_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Server::address)
    }

    /// Lets packets arrive.
    pub fn set_packets(&self, flow: Flow) {
        self.faucet.set(flow);
    }

    /// Begins to count packets.
    pub fn count(&self) -> Since {
        let used = fs::read_to_string(&self.schedule).ok();
        let processor_nanoseconds = used.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Since { at: Instant::now(), left: self.faucet.left(), processor_nanoseconds }
    }

    /// Returns the speed of packets since a moment.
    pub fn speed(&self, since: &Since) -> PacketSpeed {
        let now = self.count();
        let packets = (now.left - since.left) as f64;
        let used =
            now.processor_nanoseconds.zip(since.processor_nanoseconds).map(|(now, then)| (now - then) as f64 * 1e-9);
        PacketSpeed {
            per_second: packets / now.at.duration_since(since.at).as_secs_f64(),
            per_processor_second: used.map_or(f64::NAN, |seconds| packets / seconds),
        }
    }

    /// Measures the speed of packets for a time.
    pub fn speed_for(&self, time: Duration) -> PacketSpeed {
        let since = self.count();
        thread::sleep(time);
        self.speed(&since)
    }
}

/// Makes the switch on the thread that will run it.
fn prepare(plan: SwitchPlan, source: Source) -> Result<(Switch, Started), Failure> {
    let loaded = plan.load()?;
    let station = plan.build(&loaded)?;
    let cpu_port = plan.cpu_port(station.device()).ok_or_else(|| Failure::plain("the switch has no CPU port"))?;
    let [near, cpu] = MemoryInterface::pair("controllers", CPU_QUEUE).map_err(|error| cannot(&error))?;
    let interfaces: Vec<(Port, BoxedInterface)> =
        vec![(Port(cpu_port), Box::new(near)), (Port(PORT), Box::new(source))];
    let switch = Switch::new(plan, loaded, station, interfaces).map_err(|error| cannot(&error))?;
    let thread = rustix::thread::gettid().as_raw_nonzero();
    let started = Started { handle: switch.handle(), cpu, schedule: format!("/proc/self/task/{thread}/schedstat") };
    Ok((switch, started))
}

fn cannot(error: &io::Error) -> Failure {
    Failure::plain(format!("the switch of the benchmark cannot run: {error}"))
}

impl Drop for RunningSwitch {
    fn drop(&mut self) {
        self.faucet.set(Flow::Nothing);
        drop(self.server.take());
        // A switch that has failed has ended already.
        let _ = self.handle.ask(Request::Stop {});
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
