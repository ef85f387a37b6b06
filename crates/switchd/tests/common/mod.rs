//! A switch over interfaces in memory, for tests that need no rights.
#![allow(dead_code)] // each test uses a part

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use live::{Interface, Offload};
use node::{Burst, Discarded, Port};
use switchd::{BoxedInterface, PortBinding, Request, Switch, SwitchHandle, SwitchPlan, Totals};
use wire::Packet;

/// The time after which a test is considered hung.
pub const LONG: Duration = Duration::from_secs(30);

/// One end of a link in memory, on which a datagram is a frame.
struct End {
    name: String,
    socket: UnixDatagram,
}

impl Interface for End {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        let mut frame = [0; 2048];
        for _ in 0..limit {
            match self.socket.recv(&mut frame) {
                Ok(length) => into.push(Packet::of_bytes(&frame[..length])),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        while let Some(packet) = packets.front() {
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            match self.socket.send(&bytes) {
                Ok(_) => sent.extend(packets.pop_front()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A running switch with the far ends of its links.
pub struct Running {
    pub handle: SwitchHandle,
    pub far: Vec<UnixDatagram>,
    pub folder: Folder,
    thread: Option<JoinHandle<Totals>>,
}

/// A folder for one test, which is removed afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("switchd-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a temporary file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program of these tests.
pub fn program() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/pair.p4");
    fs::read_to_string(path).expect("the program is there")
}

/// Entries that write `value` twice into packets for station 1.
pub fn entries(value: u16) -> String {
    format!(
        "add firsts hdr.ethernet.destination:1 set_first(value:{value})\n\
         add seconds 7 hdr.ethernet.destination:1 set_second(value:{value})\n"
    )
}

/// A frame for a station with the bytes of the pair.
pub fn frame(destination: u8) -> Vec<u8> {
    let mut frame = vec![0, 0, 0, 0, 0, destination, 2, 0, 0, 0, 0, 1, 0x12, 0x34];
    frame.resize(60, 0xAA);
    frame
}

/// The two values in a frame.
pub fn pair(frame: &[u8]) -> [u16; 2] {
    [14, 16].map(|at| u16::from_be_bytes([frame[at], frame[at + 1]]))
}

/// Starts a switch of the program and `entries(1)` on two links.
pub fn start() -> Running {
    start_with(|plan, _| plan)
}

/// Starts a switch whose plan `change` changes.
pub fn start_with(change: impl FnOnce(SwitchPlan, &Folder) -> SwitchPlan) -> Running {
    let folder = Folder::new();
    let program = folder.write("pair.p4", &program());
    let tables = folder.write("pair.stf", &entries(1));
    let port = |port| PortBinding::new(port, format!("link{port}"));
    let plan = SwitchPlan {
        ports: vec![port(0), port(1)],
        tables: vec![tables],
        machine: Some(workbench::kinds::named("native").expect("it is there")),
        ..SwitchPlan::of_program(program)
    };
    let plan = change(plan, &folder);
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for _ in &plan.ports {
        let (ours, theirs) = UnixDatagram::pair().expect("sockets can be made");
        ours.set_nonblocking(true).expect("it is a socket");
        theirs.set_read_timeout(Some(LONG)).expect("it is a socket");
        near.push(ours);
        far.push(theirs);
    }
    let (sender, started) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let loaded = plan.load().expect("the program is right");
        let station = plan.build(&loaded).expect("the program fits");
        let ends = plan.ports.iter().zip(near);
        let ends = ends.map(|(binding, socket)| -> (Port, BoxedInterface) {
            (Port(binding.port), Box::new(End { name: binding.interface.clone(), socket }))
        });
        let interfaces = ends.collect();
        let mut switch = Switch::new(plan, loaded, station, interfaces).expect("there are descriptors");
        switch.capture_into_files().expect("the files can be made");
        sender.send(switch.handle()).expect("the test waits");
        switch.run(None).expect("the links work")
    });
    let handle = started.recv_timeout(LONG).expect("the switch starts");
    Running { handle, far, folder, thread: Some(thread) }
}

impl Running {
    /// Sends a frame into a port, and returns what comes out of the other.
    pub fn cross(&self, port: usize, frame: &[u8]) -> Vec<u8> {
        self.far[port].send(frame).expect("the link takes it");
        let mut out = vec![0; 2048];
        let length = self.far[1 - port].recv(&mut out).expect("it comes out");
        out.truncate(length);
        out
    }

    /// Stops the switch, and returns its counts.
    pub fn stop(mut self) -> Totals {
        self.handle.ask(Request::Stop {}).expect("it runs");
        self.thread.take().expect("it was started").join().expect("it did not panic")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = self.handle.ask(Request::Stop {});
            let _ = thread.join();
        }
    }
}

/// Waits until something holds; true if it does in time.
pub fn soon(mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < LONG {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}
