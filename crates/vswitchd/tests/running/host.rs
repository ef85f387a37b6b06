//! A switch whose guests are UDP sockets, which needs no rights.

use std::net::UdpSocket;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use files::PlanText;
use vswitch::configuration::read;
use vswitchd::{Answer, Refusal, Request, Switch, SwitchHandle, Totals};

/// The time after which a test is considered hung.
pub const LONG: Duration = Duration::from_secs(20);

/// A guest: the far end of a vNIC, each of whose datagrams is a frame.
pub struct Guest {
    pub number: u8,
    socket: UdpSocket,
    /// The name of the interface, as a configuration has it.
    pub interface: String,
}

impl Guest {
    pub fn new(number: u8) -> Self {
        let bind = || UdpSocket::bind("127.0.0.1:0").expect("there are ports");
        let (socket, free) = (bind(), bind());
        let interface =
            format!("udp:{},{}", free.local_addr().expect("an address"), socket.local_addr().expect("an address"));
        socket.connect(free.local_addr().expect("an address")).expect("loopback");
        socket.set_read_timeout(Some(LONG)).expect("a socket");
        Self { number, socket, interface }
    }

    /// The `[[vnic]]` of the guest.
    pub fn section(&self, groups: &str) -> String {
        let Self { number, interface, .. } = self;
        format!(
            "[[vnic]]\nname = \"guest-{number}\"\ninterface = \"{interface}\"\nvpc = \"red\"\n\
             mac = \"02:00:00:00:00:{number:02x}\"\naddresses = [\"10.0.1.{number}\"]\nsecurity_groups = [{groups}]\n"
        )
    }

    /// Sends a UDP datagram to another guest.
    pub fn send(&self, to: u8, ports: [u16; 2]) {
        self.send_from(self.number, to, ports);
    }

    /// Sends a UDP datagram from an address that may be another guest's.
    pub fn send_from(&self, from: u8, to: u8, [source, destination]: [u16; 2]) {
        let mut frame = vec![2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, self.number, 8, 0];
        let mut ip = vec![0x45, 0, 0, 32, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 1, from, 10, 0, 1, to];
        let mut sum: u32 = ip.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        while sum > 0xFFFF {
            sum = (sum >> 16) + (sum & 0xFFFF);
        }
        ip[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        frame.extend(ip);
        for word in [source, destination, 12, 0] {
            frame.extend(word.to_be_bytes());
        }
        frame.extend(b"data");
        self.socket.send(&frame).expect("loopback");
    }

    /// Sends a frame.
    pub fn send_frame(&self, frame: &[u8]) {
        // Nobody listens while there is no switch.
        let _ = self.socket.send(frame);
    }

    /// Receives a frame.
    pub fn frame(&self) -> Vec<u8> {
        let began = Instant::now();
        loop {
            if let Some(frame) = self.frame_soon() {
                return frame;
            }
            assert!(began.elapsed() < LONG, "a frame comes");
        }
    }

    /// Receives a frame if one comes within a while.
    pub fn frame_soon(&self) -> Option<Vec<u8>> {
        self.socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a socket");
        let mut frame = vec![0; 2000];
        let length = self.socket.recv(&mut frame).ok()?;
        frame.truncate(length);
        Some(frame)
    }

    /// Receives a frame, and returns its UDP ports.
    pub fn receive(&self) -> [u16; 2] {
        let frame = self.frame();
        assert!(frame.len() >= 42);
        [34, 36].map(|at| u16::from_be_bytes([frame[at], frame[at + 1]]))
    }
}

pub const VPC: &str = "name = \"host\"\n[[vpc]]\nname = \"red\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\n\
    gateway = \"10.0.1.254\"\n";

/// A security group that accepts UDP to these ports, and lets everything out.
pub fn group(ports: &[u16]) -> String {
    let mut text = "[[security_group]]\nname = \"web\"\n[[security_group.rule]]\ndirection = \"out\"\n".to_owned();
    for port in ports {
        text.push_str(&format!(
            "[[security_group.rule]]\ndirection = \"in\"\nprotocol = \"udp\"\nports = \"{port}\"\npeer = \"10.0.1.0/24\"\n"
        ));
    }
    text
}

/// A switch that runs on a thread of its own.
pub struct Started {
    pub handle: SwitchHandle,
    thread: JoinHandle<Totals>,
}

impl Started {
    pub fn new(text: &str) -> Self {
        Self::with(text, |_| {})
    }

    /// Starts a switch, of which something is changed before it runs.
    pub fn with(text: &str, change: impl FnOnce(&mut Switch) + Send + 'static) -> Self {
        let plan =
            PlanText { name: "host".into(), path: "host.toml".into(), text: text.into(), folder: Default::default() };
        let reading = read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let (sender, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut switch = Switch::open(reading).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
            change(&mut switch);
            sender.send(switch.handle()).expect("the test waits for it");
            switch.run(None).expect("it can wait")
        });
        Self { handle: opened.recv().expect("it can be opened"), thread }
    }

    pub fn ask(&self, request: Request) -> Answer {
        self.handle.ask(request).unwrap_or_else(|Refusal { error, .. }| panic!("{error}"))
    }

    pub fn apply(&self, text: &str, dry_run: bool) -> Result<Answer, Refusal> {
        self.handle.ask(Request::Apply { path: "host.toml".into(), text: Some(text.into()), dry_run })
    }

    pub fn sessions(&self) -> usize {
        match self.ask(Request::Sessions { vnic: None, most: 100 }) {
            Answer::Sessions { sessions, more } => sessions.len() + more,
            other => panic!("{other:?}"),
        }
    }

    pub fn end(self) -> Totals {
        assert_eq!(self.handle.ask(Request::Stop { successor: None }), Ok(Answer::Stopping));
        self.joined()
    }

    /// Returns the counts of a switch that ends by itself.
    pub fn joined(self) -> Totals {
        let totals = self.thread.join().expect("the switch does not panic");
        assert_eq!(totals.missing(), 0, "every frame has a verdict: {totals:?}");
        totals
    }
}
