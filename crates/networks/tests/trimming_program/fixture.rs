//! A short network around `programs/p4/ndp`: a chip of four pipes with two ports each, one host at each port. Hosts 0, 2, 4
//! and 6, of which each is in another pipe, send to host 0 at once, the others to host 1: the worst case of section 3 in small.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use networks::plan::read;
use networks::results::KINDS;
use networks::{Next, Outcome, Running, run};

const PIPES: u16 = 4;
const PORTS: u16 = 2;
/// The packets of each message, which all are in the first window.
pub const PACKETS: u64 = 60;

/// What is run: the texts, which tests edit.
#[derive(Clone)]
pub struct Trial {
    pub program: String,
    pub chip: String,
    pub entries: String,
    /// The senders, and their receivers: sender i sends to host i modulo this.
    pub senders: u16,
    pub receivers: u16,
    pub executor: &'static str,
    pub end: &'static str,
}

fn device_port(host: u16) -> u16 {
    128 * (host / PORTS) + 4 * (host % PORTS)
}

impl Trial {
    pub fn new() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/ndp");
        let program = fs::read_to_string(folder.join("ndp.p4")).expect("the program");
        let entries = entries(&recirculation(), false);
        Self { program, chip: chip(), entries, senders: 8, receivers: 2, executor: "native", end: "1 ms" }
    }

    /// Replaces a part of the program, which it must have.
    pub fn edit(mut self, part: &str, by: &str) -> Self {
        assert!(self.program.contains(part), "the program has no `{part}`");
        self.program = self.program.replace(part, by);
        self
    }

    /// Replaces a part of the chip's file, which it must have.
    pub fn chip(mut self, part: &str, by: &str) -> Self {
        assert!(self.chip.contains(part), "the chip has no `{part}`");
        self.chip = self.chip.replace(part, by);
        self
    }

    /// Replaces a part of the entries, which they must have.
    pub fn entries(mut self, part: &str, by: &str) -> Self {
        assert!(self.entries.contains(part), "the entries have no `{part}`");
        self.entries = self.entries.replace(part, by);
        self
    }

    /// Adds a line to the entries.
    pub fn with(mut self, line: &str) -> Self {
        self.entries += &format!("{line}\n");
        self
    }

    /// Has all notifications go to these recirculation ports.
    pub fn notifies(mut self, ports: &[u16]) -> Self {
        self.entries = entries(ports, false);
        self
    }

    /// Has all trimmed packets return to their senders.
    pub fn returns(mut self) -> Self {
        self.entries = entries(&recirculation(), true);
        self
    }

    /// Runs the network with files in a folder of this name.
    pub fn run(&self, name: &str) -> Outcome {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trimming_program").join(name);
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in [("ndp.p4", &self.program), ("chip.toml", &self.chip), ("entries.stf", &self.entries)] {
            fs::write(folder.join(file), text).unwrap();
        }
        let plan = format!(
            "seed = 1\n[topology]\nkind = \"single-switch\"\nhosts = 8\n[link]\nrate = \"100 Gb/s\"\ndelay = \"500 ns\"\n\
             framing = \"0 B\"\n[transport]\nkind = \"ndp\"\npacket = \"1500 B\"\nfirst_window = {PACKETS}\n\
             [switch]\nprogram = \"ndp.p4\"\nentries = [\"entries.stf\"]\nchip = \"chip.toml\"\n\
             [switch.options]\nexecutor = \"{}\"\n\
             [[workload]]\nkind = \"parallel-incasts\"\nsenders = {}\nreceivers = {}\nbytes = {}\nspread = \"120 ns\"\n\
             [probes]\narrivals = [\"host-*\"]\n[end]\nat = \"{}\"\nunfinished = \"accepted\"\n",
            self.executor,
            self.senders,
            self.receivers,
            PACKETS * 1436,
            self.end
        );
        let running = Running::through(&folder, NonZeroUsize::MIN);
        let read = read("test", "test.toml", &plan, &folder, None);
        let ran = read.and_then(|plan| run(plan, &running, &mut |_| Next::GoOn));
        let outcome = ran.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
        assert_eq!(outcome.defect, None, "packets are conserved");
        outcome
    }
}

/// The recirculation ports of all pipes.
pub fn recirculation() -> Vec<u16> {
    (0..PIPES).map(|pipe| 128 * pipe + 68).collect()
}

fn chip() -> String {
    let ports: Vec<u16> = (0..PIPES * PORTS).map(device_port).collect();
    let deflection: String = recirculation().iter().map(|port| format!("[[deflection]]\nport = {port}\n")).collect();
    // A packet of 1500 bytes takes 19 cells of 80 bytes with the 5 bytes in front that the program puts there.
    format!(
        "pipes = {PIPES}\n[queue]\nqueues = 3\n[[queue.class]]\nqueues = [0]\nlimit = 190\n\
         [[queue.class]]\nqueues = [1]\npriority = 0\n[[queue.class]]\nqueues = [2]\nweight = 10\n\
         [[port]]\nports = {ports:?}\n\
         [[port]]\nports = {:?}\n[port.queue]\nqueues = 3\n[[port.queue.class]]\nqueues = [0]\npriority = 0\n{deflection}",
        recirculation()
    )
}

/// Routes between the hosts, meters at 100, 50 and 25 Gb/s, and notifications to some recirculation ports. Trimmed packets go on
/// to the port of the packet, or return.
fn entries(notified: &[u16], returns: bool) -> String {
    let mut text = String::new();
    for host in 0..PIPES * PORTS {
        let port = device_port(host);
        let own = (!returns).then_some(port);
        let group: Vec<u16> = own.into_iter().chain(notified.iter().copied()).collect();
        text += &format!(
            "add routes ipv4.destination:10.0.0.{address}/32 to_next_hop(next_hop:{host}, port:{port}, session:{session})\n\
             add groups internal.port:{port} notify(group:{address})\n\
             add next_hops next_hop:{host} to(source:02:00:00:00:00:01, destination:02:00:0a:00:00:{address:02x})\n\
             configure mirror = [{{ session = {session}, port = {port}, queue = 2, length = 69 }}]\n\
             configure multicast = [{{ group = {address}, node = [{{ ports = {group:?} }}] }}]\n",
            address = host + 1,
            session = 100 + host,
        );
        if returns {
            text += &format!(
                "add returns ipv4.source:10.0.0.{address}/32 return_to(next_hop:{host}, port:{port}, session:{session})\n",
                address = host + 1,
                session = 100 + host,
            );
        }
    }
    for (session, port) in (200..).zip(recirculation()) {
        text += &format!(
            "add updates egress_port:{port} update(session:{session})\n\
             configure mirror = [{{ session = {session}, port = {port}, queue = 2, length = 69 }}]\n"
        );
    }
    for (meter, rate) in [("optimistic", 12500), ("half_pessimistic", 6250), ("pessimistic", 3125)] {
        text += &format!("meter_array_set_rates {meter} {rate}:15000 {rate}:15000\n");
    }
    text
}

/// What became of the data packets of a run.
#[derive(Debug)]
pub struct Fates {
    pub sent: u64,
    pub whole: u64,
    pub trimmed: u64,
    pub returned: u64,
    pub deflected: u64,
    /// The packets that the program dropped: originals of mirrored packets, and NOTIFYs.
    pub by_program: u64,
    /// What other drops there were, by reason.
    pub lost: u64,
    /// The bytes of the trimmed packets, together.
    pub trimmed_bytes: u64,
}

impl Fates {
    pub fn of(outcome: &Outcome) -> Self {
        let of_kind = |name: &str| {
            let kind = KINDS.iter().position(|&kind| kind == name).expect("the kind");
            let arrived = outcome.arrivals.all().iter().filter(move |arrival| usize::from(arrival.kind) == kind);
            arrived.fold((0, 0), |(packets, bytes), arrival| (packets + 1, bytes + u64::from(arrival.bytes)))
        };
        let counter = |name: &str| outcome.summary.counters.get(name).copied().unwrap_or_default();
        let drops = &outcome.summary.drops;
        let by_program = drops.get("dropped by the program").copied().unwrap_or_default();
        let ((whole, _), (trimmed, trimmed_bytes)) = (of_kind("data"), of_kind("data trimmed"));
        let (returned, _) = of_kind("data returned to sender");
        Self {
            sent: counter("data_packets_sent"),
            whole,
            trimmed,
            returned,
            deflected: counter("deflected"),
            by_program,
            lost: drops.values().sum::<u64>() - by_program,
            trimmed_bytes,
        }
    }

    /// The packets that were trimmed in ingress, if no deflected packet was lost.
    pub fn in_ingress(&self) -> u64 {
        self.trimmed - self.deflected
    }

    /// Every packet was delivered whole, trimmed once (and perhaps returned), or lost with the place.
    pub fn are_accounted_for(&self) {
        assert_eq!(self.sent, self.whole + self.trimmed + self.returned + self.lost, "{self:?}");
    }
}
