//! The server for controllers.
//!
//! It has threads of its own and asks the switch by a [`SwitchHandle`], as any client does. What a controller does or leaves
//! costs the switch a bounded amount of work between two bursts of packets.

mod calls;
mod connections;
mod device;
mod direct;
mod events;
mod grpc;
mod outgoing;
mod sessions;
mod set_pipeline;
mod stream;
mod target;
mod tls;
mod view;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use diagnostics::Failure;
use live::MemoryInterface;
use switchd::plan::{P4RuntimePlan, PROTECT};
use switchd::{Controllers, SwitchHandle};
use tokio::sync::oneshot;
use tonic::transport::Server as GrpcServer;

use calls::Calls;
pub use calls::VERSION;
use connections::Connections;
use device::Device;
pub use device::PacketCounts;
pub use direct::{DirectService, DirectStream};
use grpc::P4RuntimeService;

/// The number of packets that wait between switch and server in each direction.
pub const CPU_QUEUE: usize = 1024;

/// The time after which a connection is asked whether it is still there, and the time that it has to answer.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(20));
/// The bytes that a controller may send before it hears that they were taken: enough for a batch on a long link.
const WINDOW: u32 = 1 << 20;
/// The stack of threads that compile programs; only what is used of it is memory.
const STACK: usize = 16 << 20;
/// The longest time for which the end of the server waits for calls.
const LONGEST_END: Duration = Duration::from_secs(1);
/// How much less the server's threads may have of a core than the switch's (nice(2)), so that controllers take no time from
/// packets.
const NICE: i32 = 10;

/// A running server. It ends when this is dropped.
pub struct Server {
    address: SocketAddr,
    device: Arc<Device>,
    is_over: Arc<AtomicBool>,
    stop: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

/// A server that listens, and whose switch does not run yet.
pub struct Listening {
    listener: std::net::TcpListener,
    plan: P4RuntimePlan,
    tls: Option<tonic::transport::ServerTlsConfig>,
}

impl Listening {
    /// Listens at the address of a plan.
    ///
    /// # Errors
    /// Fails if the address is taken or not ours, if nothing protects it, or if a file for TLS cannot be read.
    pub fn at(plan: &P4RuntimePlan) -> Result<Self, Failure> {
        if let Some(why) = plan.unprotected() {
            return Err(diagnostics::Diagnostic::without_place(why).hint(PROTECT).into());
        }
        // Says what is wrong with the files before anything else is touched.
        let tls = plan.tls.as_ref().map(tls::read).transpose()?;
        let cannot = |error: io::Error| Failure::plain(format!("P4Runtime cannot listen at {}: {error}", plan.listen));
        let listener = std::net::TcpListener::bind(plan.listen).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        Ok(Self { listener, plan: plan.clone(), tls })
    }

    /// Serves a switch, of whose link at the CPU port `cpu` is the far end.
    ///
    /// # Errors
    /// Fails if the system has no threads or descriptors left.
    pub fn serve(self, handle: SwitchHandle, cpu: MemoryInterface) -> Result<Server, Failure> {
        let cannot = |error: io::Error| Failure::plain(format!("the server of P4Runtime cannot run: {error}"));
        let address = self.listener.local_addr().map_err(cannot)?;
        let device = Arc::new(Device::new(self.plan.device_id, handle, cpu));
        // The program that runs is known, and its roles, before a controller asks.
        device.running();
        let itself: Arc<dyn Controllers> = Arc::clone(&device) as _;
        device.handle.serve_controllers(&itself);
        let is_over = Arc::new(AtomicBool::new(false));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("p4runtime")
            .thread_stack_size(STACK)
            .on_thread_start(step_back)
            .enable_all()
            .build()
            .map_err(cannot)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let service = P4RuntimeService(Arc::new(Calls::new(Arc::clone(&device))));
        let (listener, tls) = (self.listener, self.tls);
        let mut threads = Vec::new();
        let serve = move || {
            step_back();
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let builder = GrpcServer::builder();
                let builder = match tls {
                    // It was checked when the server began to listen.
                    Some(tls) => match builder.tls_config(tls) {
                        Ok(builder) => builder,
                        Err(_) => return,
                    },
                    None => builder,
                };
                let serving = builder
                    .http2_keepalive_interval(Some(KEEP_ALIVE.0))
                    .http2_keepalive_timeout(Some(KEEP_ALIVE.1))
                    .initial_stream_window_size(WINDOW)
                    .initial_connection_window_size(WINDOW)
                    .max_concurrent_streams(256)
                    .concurrency_limit_per_connection(64)
                    .serve_with_incoming(service, Connections::new(listener));
                tokio::select! {
                    // It ends by itself only if the listener does.
                    _ = serving => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_timeout(LONGEST_END);
        };
        let mut start = |name: &str, work: Box<dyn FnOnce() + Send>| {
            threads.push(thread::Builder::new().name(name.to_owned()).spawn(work).map_err(cannot)?);
            Ok::<(), Failure>(())
        };
        start("p4runtime", Box::new(serve))?;
        let (own, over) = (Arc::clone(&device), Arc::clone(&is_over));
        start("packet-in", Box::new(move || (step_back(), events::packets(&own, &over)).1))?;
        let (own, over) = (Arc::clone(&device), Arc::clone(&is_over));
        start("notifications", Box::new(move || (step_back(), events::notifications(&own, &over)).1))?;
        Ok(Server { address, device, is_over, stop: Some(stop), threads })
    }
}

impl Server {
    /// Returns the address at which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns what happened to packets to and from controllers.
    pub fn packets(&self) -> &PacketCounts {
        &self.device.packets
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(stop) = self.stop.take() {
            // A server that has ended by itself needs no stopping.
            let _ = stop.send(());
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Lets this thread have less of a core than the switch's.
fn step_back() {
    // Linux knows threads by numbers as it does processes. Where it is refused, the threads are as important as others.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
}
