//! Translated connections of guests that only listen, when their switch is killed and started again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::host::{Guest, LONG, Started, VPC};

/// The variable by which this program runs a switch of a configuration until it is killed, and the one with its file of bindings.
const SWITCH: &str = "POLYPLANE_TEST_SWITCH";
const BINDINGS: &str = "POLYPLANE_TEST_BINDINGS";

const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// Returns a TCP segment without payload, in a frame. The switch does not look at its checksum.
fn segment(macs: [[u8; 6]; 2], addresses: [[u8; 4]; 2], ports: [u16; 2], (flags, numbers): (u8, [u32; 2])) -> Vec<u8> {
    let mut ip = vec![0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0];
    addresses.iter().for_each(|address| ip.extend(address));
    let mut sum: u32 = ip.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    while sum > 0xFFFF {
        sum = (sum >> 16) + (sum & 0xFFFF);
    }
    ip[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    let mut frame: Vec<u8> = macs.concat();
    frame.extend([8, 0]);
    frame.extend(ip);
    ports.iter().for_each(|port| frame.extend(port.to_be_bytes()));
    numbers.iter().for_each(|number| frame.extend(number.to_be_bytes()));
    frame.extend([0x50, flags, 16, 0, 0, 0, 0, 0]);
    frame
}

/// The addresses, ports and flags of a TCP segment in a frame.
fn described(frame: &[u8]) -> ([u8; 4], u16, [u8; 4], u16, u8) {
    let address = |at: usize| [frame[at], frame[at + 1], frame[at + 2], frame[at + 3]];
    let port = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
    (address(26), port(34), address(30), port(36), frame[47])
}

const GUEST: [u8; 4] = [10, 0, 1, 1];
const SERVER: [u8; 4] = [203, 0, 113, 9];
const POOL: [u8; 4] = [198, 51, 100, 1];
const GUEST_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
const GATEWAY: [u8; 6] = [2, 0, 0, 0, 0, 0xFE];
const OWN: [u8; 6] = [2, 0, 0, 1, 0, 1];
const ROUTER: [u8; 6] = [2, 0, 0, 1, 0, 2];

/// A guest, the world outside, and the configuration of the switch between them.
pub fn site() -> (Guest, Guest, String) {
    let (one, world) = (Guest::new(1), Guest::new(9));
    let text = format!(
        "{VPC}[[vpc.route]]\nprefix = \"0.0.0.0/0\"\nnat = \"world\"\n[[nat]]\nname = \"world\"\naddresses = [\"198.51.100.1\"]\n\
         [underlay]\ninterface = \"{}\"\nmac = \"02:00:00:01:00:01\"\naddresses = [\"192.0.2.1\"]\nnext_hop = \"02:00:00:01:00:02\"\n{}",
        world.interface,
        one.section("")
    );
    (one, world, text)
}

pub fn from_guest(flags: u8, numbers: [u32; 2]) -> Vec<u8> {
    segment([GATEWAY, GUEST_MAC], [GUEST, SERVER], [5000, 80], (flags, numbers))
}

pub fn from_server(port: u16, flags: u8, numbers: [u32; 2]) -> Vec<u8> {
    segment([OWN, ROUTER], [SERVER, POOL], [80, port], (flags, numbers))
}

/// Runs a switch for the tests below, in a process of its own.
#[test]
fn switch_of_another_test() {
    let (Ok(configuration), bindings) = (std::env::var(SWITCH), std::env::var_os(BINDINGS)) else { return };
    let keep = move |switch: &mut vswitchd::Switch| {
        if let Some(path) = bindings.map(PathBuf::from) {
            switch.keep_bindings(&path).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        }
    };
    Started::with(&configuration, keep).joined();
}

/// A switch in a process of its own, which is killed at the end.
struct Killed(Child);

impl Killed {
    fn start(configuration: &str, bindings: Option<&Path>) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "bindings::switch_of_another_test"]).env(SWITCH, configuration).stdout(Stdio::null());
        if let Some(path) = bindings {
            command.env(BINDINGS, path);
        }
        Self(command.spawn().expect("it can be run again"))
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        // SIGKILL; if it has ended, that is seen by what does not come.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens a connection from the guest to the server through a switch that has just been started. Returns the port of the pool.
fn connect(one: &Guest, world: &Guest) -> u16 {
    let began = Instant::now();
    let opens = loop {
        one.send_frame(&from_guest(SYN, [100, 0]));
        if let Some(frame) = world.frame_soon() {
            break frame;
        }
        assert!(began.elapsed() < LONG, "the switch does not begin");
    };
    let (POOL, port, SERVER, 80, SYN) = described(&opens) else { panic!("{:?}", described(&opens)) };
    world.send_frame(&from_server(port, SYN | ACK, [500, 101]));
    assert_eq!(described(&one.frame()), (SERVER, 80, GUEST, 5000, SYN | ACK));
    one.send_frame(&from_guest(ACK, [101, 501]));
    // Before it may come what was sent while the switch began.
    while described(&world.frame()).4 != ACK {}
    port
}

#[test]
fn a_guest_that_only_listens_hears_its_server_after_a_kill() {
    let (one, world, text) = site();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("host.bindings");
    let switch = Killed::start(&text, Some(&path));
    let port = connect(&one, &world);
    drop(switch);
    let switch = Killed::start(&text, Some(&path));
    let began = Instant::now();
    // The server sends it again, as long as nobody acknowledges it.
    let heard = loop {
        world.send_frame(&from_server(port, ACK, [501, 101]));
        if let Some(frame) = one.frame_soon() {
            break frame;
        }
        assert!(began.elapsed() < LONG, "the guest hears nothing");
    };
    assert_eq!(described(&heard), (SERVER, 80, GUEST, 5000, ACK));
    one.send_frame(&from_guest(ACK, [101, 502]));
    assert_eq!(described(&world.frame()), (POOL, port, SERVER, 80, ACK), "with the same port of the pool");
    // A guest that does not have it any more ends it at the server.
    one.send_frame(&from_guest(RST, [101, 0]));
    assert_eq!(described(&world.frame()), (POOL, port, SERVER, 80, RST));
    drop(switch);
}

#[test]
fn without_a_file_of_bindings_the_server_is_told_that_the_connection_is_gone() {
    let (one, world, text) = site();
    let switch = Killed::start(&text, None);
    let port = connect(&one, &world);
    drop(switch);
    let _switch = Killed::start(&text, None);
    let began = Instant::now();
    let heard = loop {
        world.send_frame(&from_server(port, ACK, [501, 101]));
        if let Some(frame) = world.frame_soon() {
            break frame;
        }
        assert!(began.elapsed() < LONG, "the server hears nothing");
    };
    assert_eq!(described(&heard), (POOL, port, SERVER, 80, RST));
}
