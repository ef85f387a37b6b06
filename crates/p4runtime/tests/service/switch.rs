//! A switch without interfaces, and its server.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::JoinHandle;

use live::MemoryInterface;
use node::Port;
use p4runtime::{CPU_QUEUE, Listening, Server};
use switchd::plan::P4RuntimePlan;
use switchd::{BoxedInterface, Request, Switch, SwitchHandle, SwitchPlan};

/// The number of the device.
pub const DEVICE: u64 = 7;

/// A program that sends packets of controllers back to them, except those that the table `drops` drops.
pub const PROGRAM: &str = include_str!("echo.p4");

/// A running switch and its server.
pub struct Running {
    pub server: Option<Server>,
    pub handle: SwitchHandle,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts a switch that waits for a program.
    pub fn start() -> Self {
        Self::start_with(|plan| plan)
    }

    /// Starts a switch that waits for a program, by a changed plan.
    pub fn start_with(change: impl FnOnce(SwitchPlan) -> SwitchPlan) -> Self {
        let listen: SocketAddr = "127.0.0.1:0".parse().expect("an address");
        let p4runtime = P4RuntimePlan { device_id: DEVICE, ..P4RuntimePlan::at(listen) };
        let plan = change(SwitchPlan { p4runtime: Some(p4runtime), ..SwitchPlan::named("test".to_owned()) });
        let p4runtime = plan.p4runtime.clone().expect("it has P4Runtime");
        let (sender, started) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let loaded = plan.load().expect("there is nothing to load");
            let station = plan.build(&loaded).expect("it fits");
            let port = plan.cpu_port(station.device()).expect("it has P4Runtime");
            let [near, far] = MemoryInterface::pair("controllers", CPU_QUEUE).expect("there are descriptors");
            let interfaces: Vec<(Port, BoxedInterface)> = vec![(Port(port), Box::new(near))];
            let switch = Switch::new(plan, loaded, station, interfaces).expect("there are descriptors");
            sender.send((switch.handle(), far)).expect("the test waits");
            switch.run(None).expect("the link works");
        });
        let (handle, far) = started.recv().expect("the switch starts");
        let server = Listening::at(&p4runtime).and_then(|listening| listening.serve(handle.clone(), far));
        Self { server: Some(server.expect("it can listen")), handle, thread: Some(thread) }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.as_ref().expect("it runs").address()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = self.handle.ask(Request::Stop {});
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Runs a test against a switch.
pub fn with_switch<F: Future<Output = ()>>(test: impl FnOnce(SocketAddr) -> F) {
    let running = Running::start();
    block_on(test(running.address()));
}

/// Runs a controller.
pub fn block_on<F: Future>(controller: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("there are descriptors");
    runtime.block_on(controller)
}
