//! Writes the first inputs of every fuzzer: what the programs, captures and tests of this repository already have, cut
//! to what a fuzzer can change quickly. `seeds PROJECT CORPUS` reads below PROJECT and writes `CORPUS/<target>/seed-…`.

#[path = "seeds/chips.rs"]
mod chips;
#[path = "seeds/controllers.rs"]
mod controllers;

use std::fs;
use std::path::{Path, PathBuf};

use basis::Random;
use ir::Program;
use passes::{ANY_ATOM, Layout, Target};
use wire::capture::{Captured, PcapWriter, PcapngWriter, Reader, Resolution};

/// Packets of a capture that a seed keeps.
const FEW: usize = 6;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(project), Some(corpus)) = (arguments.next(), arguments.next()) else {
        panic!("usage: seeds PROJECT CORPUS");
    };
    let corpus = Corpus { folder: corpus };
    let captures: Vec<Vec<Captured>> =
        files(&project, "programs/captures", "pcap").iter().map(|path| few_packets(path)).collect();
    preprocessor(&project, &corpus);
    domino_and_ir(&project, &corpus);
    bindings(&project, &corpus, &captures);
    for packets in &captures {
        corpus.add("capture", &pcap(packets, Resolution::Microseconds));
        corpus.add("capture", &pcap(packets, Resolution::Nanoseconds));
        corpus.add("capture", &pcapng(packets));
        corpus.add("capture", &[pcapng(&packets[..1]), pcapng(packets)].concat());
        for (kind, packet) in (0u8..).zip(packets) {
            // Segments of 100 bytes, the first 100 bytes in the head, the checksum of TCP above IPv4 without options.
            let settings = [kind % 3, 0, 100, 100, 34, 16];
            corpus.add("superframe", &[&settings[..], packet.packet.head.bytes()].concat());
            // A partial checksum, a kind, 54 bytes of headers, segments of 100 bytes, the checksum of TCP (virtio_net_hdr).
            let header = [1, [0, 1, 4, 5, 0x81][usize::from(kind) % 5], 54, 0, 100, 0, 34, 0, 16, 0];
            corpus.add("virtio", &[&header[..], packet.packet.head.bytes()].concat());
        }
    }
    for path in files(&project, "experiments/vswitch", "toml") {
        corpus.add("vswitch_configuration", &read(&path));
    }
    vswitch_frames(&corpus, &captures);
    let page = String::from_utf8_lossy(&read(&project.join("docs/vswitch/operation.md"))).into_owned();
    for line in page.lines().filter_map(|line| line.strip_prefix("→ ")) {
        corpus.add("vswitch_control", line.as_bytes());
    }
    let network = r#"{"cniVersion":"1.1.0","name":"net","vpc":"red","ipam":{"type":"host-local"},"runtimeConfig":{"mac":"02:00:00:00:00:01"}}"#;
    for command in ["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"] {
        corpus.add("vswitch_control", format!("{network}\0{command}\0container-1\0eth0\0/run/netns/one").as_bytes());
    }
    corpus.add("vswitch_encrypted", b"\x01\x20\0\x01some bytes that are no datagram\x02\x11\0\x10\0\0\x01");
    corpus.add(
        "vswitch_encrypted",
        b"\x00\x28\0\x01\0\0\x01\x2c\0\0\0\x01\0\0\0\0\0\0\0\x01 bytes that nobody has encrypted",
    );
    let page = String::from_utf8_lossy(&read(&project.join("docs/live-control.md"))).into_owned();
    for line in page.lines().filter_map(|line| line.strip_prefix("→ ")) {
        corpus.add("live_control", format!("\u{7}{line}\n").as_bytes());
    }
    let filters = "(udp port 53 or tcp portrange 80-90) and not src net 10.0.0.0/8\nether host 2:0:0:0:0:1 && vlan 5\n";
    corpus.add("live_control", format!("\u{3}{filters}").as_bytes());
    for path in files(&project, "programs/domino", "csv") {
        corpus.add("table", &first_lines(&read(&path), 8));
    }
    for table in [
        "time, port, x, length, y\n0.25, 3, 7, 100, -1\n# why not\n0.25, 1, 0x10, 64, 255\n\n2,0,1,64,2\n",
        "x,y,flag,arrival\n4294967295,-128,1,0\n-2147483648,0xff,-1,7\n",
    ] {
        corpus.add("table", table.as_bytes());
    }
    for [flows, packets, name] in [
        [
            "flowid,stage,state\n1,10,0,4,7\n2,4,1\n",
            "port,size,flowid,time\n0,64,2,9\n5,64,1,3\n",
            "uniform_64_4_16_4_512_64.csv",
        ],
        ["f\n0\n4294967295,65535,4294967295\n", "p\n65535,9000,0,18446744073709551615\n", "heavytail_1_1_1_1_1_1.csv"],
    ] {
        corpus.add("published_trace", format!("{flows}\0{packets}\0{name}").as_bytes());
    }
    for constraint in [
        "is_ip::mask == 0 || is_ip == 1; l4::low != 0 -> (is_ip == 1 && ::priority > 5); // why",
        "ether.type != 0x0800 && ether.type != -1; dst::prefix_length >= 8; dst6 == ipv6('::1') -> port < 10",
        "!(wide >= 0xff000000000000000000000000000000) == (mac('00:00:00:00:00:01') < -dst::prefix_length)",
    ] {
        corpus.add("constraints", format!("{constraint}\0\x01\x02\x03\u{7f}\x05\x06\x07\x08 entries").as_bytes());
    }
    controllers::add(&project, &corpus);
    chips::add(&project, &corpus);
    plans(&project, &corpus);
    packet_programs(&project, &corpus);
    networks(&project, &corpus);
    let mut random = Random::new(1);
    for length in [0, 20, 66, 70, 90, 120, 160, 240, 320, 500] {
        for _ in 0..4 {
            let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
            corpus.add("passes", &bytes);
        }
    }
}

/// Where seeds go.
struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    /// Adds an input under a name that is a function of its bytes, so that nothing is there twice.
    fn add(&self, target: &str, bytes: &[u8]) {
        let folder = self.folder.join(target);
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        // FNV-1a, 64 bits.
        let hash = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let path = folder.join(format!("seed-{hash:016x}"));
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Texts with directives, each for a language that has much and one that has little.
fn preprocessor(project: &Path, corpus: &Corpus) {
    let own = [
        "#define A(x, y) x ## y #x\n#define B A(1, 2)\n#if defined(B) && N > 3 ? 1 : 0\nB __LINE__ __FILE__\n#endif\n",
        "#include \"a.h\"\n#include <library.h>\n#ifdef LIBRARY\nA(b) M(M(1))\n#elif 0\n#error no\n#else\n'c' .5\n#endif\n",
        "#define LOG(text, ...) f(text, __VA_ARGS__)\nLOG(\"a\\n\", (b, c), d) \\\n LOG /* x */ (e) // y\n",
    ];
    let programs = [("crates/domino/tests", "c"), ("crates/p4/include", "p4"), ("crates/arch/src", "p4")]
        .map(|(folder, extension)| files(project, folder, extension))
        .concat();
    let texts = own.iter().map(|text| text.as_bytes().to_vec()).chain(programs.iter().map(|path| read(path)));
    for text in texts {
        for bits in [0b0_1111, 0b1_0000] {
            corpus.add("preprocessor", &[&text, &[0, bits][..]].concat());
        }
    }
}

/// Every program as text, and what the compiler makes of it: the IR's text after each pass, and the pipelines.
fn domino_and_ir(project: &Path, corpus: &Corpus) {
    for path in [files(project, "programs/domino", "c"), files(project, "crates/domino/tests", "c")].concat() {
        let text = read(&path);
        corpus.add("domino", &text);
        let mut sources = diagnostics::Sources::new();
        let no_file = |_: &str| Err("seeds include nothing".to_owned());
        if let Ok(compiled) = domino::compile(&mut sources, "seed.c", &String::from_utf8_lossy(&text), &no_file) {
            corpus.add("ir_text", compiled.program.to_string().as_bytes());
            pipelines(&compiled.program, corpus);
        }
    }
    for path in
        files(project, "programs/microcode", "mc").into_iter().chain(files(project, "crates/microcode/tests", "mc"))
    {
        let order: Vec<u8> = (0..=255).collect();
        corpus.add("microcode", &[&read(&path)[..], &[0], &order].concat());
        if let Some(content) = image(&path) {
            corpus.add("image", &[&content[..], &order].concat());
        }
    }
    for folder in ["crates/passes/tests/golden", "crates/ir/tests"] {
        for path in files(project, folder, "ir") {
            // Packets and an order of threads follow the text.
            let order: Vec<u8> = (0..=255).collect();
            corpus.add("ir_text", &[&read(&path)[..], &[0], &order].concat());
        }
    }
}

fn pipelines(program: &Program, corpus: &Corpus) {
    let target = Target { atom: ANY_ATOM.to_owned(), ..Target::default() };
    for layout in [Layout::Single, Layout::Steered { flow_order: Vec::new() }] {
        if let Ok(compiled) = passes::compile(program, &target, layout, &mut ()) {
            corpus.add("ir_text", compiled.pipeline.to_string().as_bytes());
        }
    }
}

/// Every binding file beside packets of real captures, and files that bind the fuzzer's own fields.
fn bindings(project: &Path, corpus: &Corpus, captures: &[Vec<Captured>]) {
    let own = [
        r#"applies = "udp && ip.ttl > 3 && transport.dport != 0"
           [fields]
           a = "payload[0:4]"
           sport = 7
           ttl = "ip.ttl"
           [results]
           ttl = "ttl"
           a = "ipv4.src""#,
        r#"applies = "tcp.flags & 0x2 == 0"
           [fields]
           b = "ipv4[6:1]"
           c = "tcp[4:8]"
           [results]
           c = "tcp.seq"
           d = "ecn"
           b = "drop""#,
        r#"[fields]
           sport = 0
           ttl = 0x1f
           c = -1
           d = "flow.hash"
           "next hop" = "vlan.id"
           [results]
           "next hop" = "port"
           d = "ether[0:2]""#,
    ];
    let files = files(project, "programs/domino", "toml").into_iter().map(|path| read(&path));
    let files: Vec<Vec<u8>> = files.chain(own.map(|text| text.as_bytes().to_vec())).collect();
    for file in files {
        for packets in captures {
            for captured in packets.iter().take(2) {
                corpus.add("binding", &[&file, &[0][..], captured.packet.head.bytes()].concat());
            }
        }
    }
}

/// P4 programs without their comments, files for their control planes, and draws of requests and packets.
fn packet_programs(project: &Path, corpus: &Corpus) {
    let folders = ["programs/p4", "crates/p4/tests/lower", "crates/p4/tests/syntax", "fuzz/programs"];
    for path in folders.iter().flat_map(|folder| files(project, folder, "p4")) {
        let text = without_comments(&String::from_utf8_lossy(&read(&path)));
        corpus.add("p4", text.as_bytes());
        corpus.add("flatten", text.as_bytes());
    }
    for ending in ["stf", "commands", "json"] {
        files(project, "crates/control/tests/golden", ending).iter().for_each(|path| corpus.add("stf", &read(path)));
    }
    let mut random = Random::new(2);
    for program in 0..16 {
        for length in [30, 120, 400, 1000] {
            let mut bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
            bytes[0] = program;
            corpus.add("p4_packets", &bytes);
            corpus.add("native", &bytes);
            corpus.add("tna_packets", &bytes);
            corpus.add("tna_programs", &bytes);
        }
    }
    for (program, name) in (0..).zip(TNA_PROGRAMS_WITH_TESTS) {
        for path in files(project, &format!("programs/p4/{name}"), "stf") {
            let packets = packets_of_test(&String::from_utf8_lossy(&read(&path)));
            corpus.add("tna_packets", &[&[program], &packets[..]].concat());
            // Changes of the program in front.
            let changes: Vec<u8> = (0..16).map(|_| random.bits() as u8).collect();
            corpus.add("tna_programs", &[&[program], &changes[..], &packets[..]].concat());
        }
    }
}

/// The first of `fuzz::TNA_PROGRAMS`.
const TNA_PROGRAMS_WITH_TESTS: [&str; 7] = [
    "tna_heavy_hitter",
    "tna_learning_switch",
    "tna_load_balancer",
    "tna_mirror",
    "tna_queue_telemetry",
    "tna_router",
    "tna_two_pass",
];

/// The packets of a packet test as `fuzz::steps` reads them: what comes, two numbers that draw the port, the length, whether
/// the packet is cut, and the bytes.
fn packets_of_test(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("packet ")) {
        let (port, digits) = line.split_once(' ').unwrap_or((line, ""));
        let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or_default(), 16).unwrap_or_default();
        let packet: Vec<u8> = digits.chunks(2).map(byte).take(79).collect();
        bytes.extend([0, 0, port.parse().unwrap_or_default(), packet.len() as u8, 0]);
        bytes.extend(packet);
    }
    bytes
}

/// Plans of networks and of published experiments, networks as graphs, connection matrices.
fn networks(project: &Path, corpus: &Corpus) {
    let folders = ["coexistence", "htsim", "pause_storm", "trimming"].map(|folder| format!("experiments/{folder}"));
    let folders = folders.iter().map(String::as_str).chain(["crates/polyplane/tests/golden/sim"]);
    for path in folders.flat_map(|folder| files(project, folder, "toml")) {
        corpus.add("network_plan", &read(&path));
    }
    let forms: [&[&str]; 4] = [
        &["fat-tree:k=4", "incast:3x45kB", "100Gb/s,delay=1us", "trimming:8pkt", "ndp:9kB"],
        &[
            "leaf-spine:leaves=2,hosts=3",
            "poisson:websearch:0.5:1ms",
            "",
            "ecn:100pkt,threshold=20pkt",
            "dctcp",
            "",
            "loss:0.01",
        ],
        &[
            "dumbbell",
            "ping:100us:1ms",
            "",
            "drop-tail:100kB,spread=flow",
            "cubic",
            "500ns,pcie=64Gb/s",
            "link-down:3ms,between=left",
        ],
        &[
            "single-switch:3",
            "requests:64B:1kB",
            "",
            "",
            "rocev2",
            "",
            "",
            "1us,queues=*,perfetto=true",
            "2ms,unfinished=accepted",
        ],
    ];
    for form in forms {
        corpus.add("network_plan", format!("{}\0", form.join("\0")).as_bytes());
    }
    for path in ["experiments", "crates/polyplane/tests/golden"].iter().flat_map(|folder| files(project, folder, "cm"))
    {
        corpus.add("connection_matrix", &first_lines(&read(&path), 40));
    }
    corpus.add(
        "connection_matrix",
        b"Nodes 4\nConnections 3\nTriggers 2\n0->1 id 1 start 0 size 2000 send_done_trigger 1\n0->2 id 2 trigger 1 size 9\n\
          1->3 id 3 start 5 size 7 prio 3 recv_done_trigger 2\ntrigger id 1 oneshot\ntrigger id 2 barrier count 3\n",
    );
    for path in files(project, "experiments/mp5", "toml") {
        corpus.add("experiment_plan", &read(&path));
    }
    let manual = String::from_utf8_lossy(&read(&project.join("docs/simulator/topologies.md"))).into_owned();
    for graph in manual.split("```").map(str::trim_start).filter(|block| block.starts_with("switch ")) {
        corpus.add("graph", graph.as_bytes());
    }
    for lines in
        ["{\"key\":{\"a\":1},\"measures\":{\"b\":2.5,\"c\":\"x\",\"d\":null}}", "{\"key\":{},\"measures\":{}}\n{}"]
    {
        corpus.add("journal", lines.as_bytes());
    }
    for run in 0..4 {
        corpus.add("checkpoint", &[run, 0, 0, 1]);
        corpus.add("checkpoint", &[run, 0, 128, 255, 0, 129, 128, 255, 255, 1]);
    }
    corpus.add(
        "graph",
        b"switch a\nhost h 1.2.3.4\nhost i 1.2.3.5\nlink h a 1G 0us\nlink a i 2Gb/s 1ns mtu=64 framing=0 # x\n",
    );
}

/// Lines without what stands behind `//` and without white space around them: a fuzzer has few bytes to try.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

/// The plans that the manual shows, and a few that say every option.
fn plans(project: &Path, corpus: &Corpus) {
    let manual = String::from_utf8_lossy(&read(&project.join("docs/traffic.md"))).into_owned();
    let shown = manual.split("```").nth(1).unwrap_or_default();
    for line in shown.lines().filter(|line| !line.is_empty()) {
        corpus.add("traffic_plan", line.split("  ").next().unwrap_or_default().as_bytes());
    }
    for plan in [
        "skewed:hot=12.5%,share=99%,flows=7,size=64..9216,protocol=udp,packets=100,ports=3,pipelines=2,seed=9",
        "hadoop:active=3,size=bimodal,field.x=per-flow(9),field.y=skewed(200),form=record",
        "uniform:field.x=flow,field.y=-7,field.arrival=sequence,field.sport=length",
        "capture:x,pace=timestamps,scale=7/3,repeat=2,faults=accept,packets=3",
        "table:y,ports=9,seed=0",
        "websearch:ports=200,active=64",
    ] {
        corpus.add("traffic_plan", plan.as_bytes());
    }
}

fn few_packets(path: &Path) -> Vec<Captured> {
    let bytes = read(path);
    let reader = Reader::with_head_limit(&bytes[..], 128).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
    reader.filter_map(Result::ok).take(FEW).collect()
}

fn pcap(packets: &[Captured], resolution: Resolution) -> Vec<u8> {
    let link = packets.first().map(|captured| captured.packet.sidecar.link).unwrap_or_default();
    let mut writer = PcapWriter::new(Vec::new(), link, resolution).expect("memory takes everything");
    for captured in packets {
        writer.write(captured.time.unwrap_or_default(), &captured.packet).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything")
}

fn pcapng(packets: &[Captured]) -> Vec<u8> {
    let link = packets.first().map(|captured| captured.packet.sidecar.link).unwrap_or_default();
    let mut writer = PcapngWriter::new(Vec::new(), link).expect("memory takes everything");
    for captured in packets {
        writer.write(captured.time.unwrap_or_default(), &captured.packet).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything")
}

fn first_lines(bytes: &[u8], count: usize) -> Vec<u8> {
    bytes.split_inclusive(|&byte| byte == b'\n').take(count).flatten().copied().collect()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Frames of captures as the first guest of `experiments/vswitch/everything.toml` sends them, to different receivers and as what
/// an interface hands over.
fn vswitch_frames(corpus: &Corpus, captures: &[Vec<Captured>]) {
    let receivers = [[10, 0, 2, 2], [10, 0, 1, 129], [10, 0, 1, 100], [203, 0, 113, 9], [10, 0, 1, 254]];
    for packets in captures {
        let mut all = Vec::new();
        for (number, packet) in packets.iter().enumerate() {
            let mut frame = packet.packet.head.bytes().to_vec();
            frame.truncate(255);
            let Some(mut header) = frame.get_mut(14..).and_then(wire::Ipv4::new).filter(|ip| ip.version() == 4) else {
                continue;
            };
            header.set_source_bits(u32::from_be_bytes([10, 0, 1, 1]));
            header.set_destination_bits(u32::from_be_bytes(receivers[number % receivers.len()]));
            header.fill_checksum();
            frame[6..12].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
            let settings = [0, [15, 0, 1, 0x81, 4][number % 5], 100, frame.len() as u8];
            all.extend([&settings[..], &frame].concat());
        }
        corpus.add("vswitch_frames", &all);
    }
}

/// All files below a folder with an ending, in order of their names.
fn files(project: &Path, folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut folders = vec![project.join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("a folder can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|of| of == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the content of the image of a program, without the checksum; `None` if it does not compile or fit.
fn image(path: &std::path::Path) -> Option<Vec<u8>> {
    let mut sources = diagnostics::Sources::new();
    let compiled = microcode::compile_file(&mut sources, path, &microcode::Options::default()).ok()?;
    let image = trio::Image::new(&compiled.program, &trio::Parameters::default(), Vec::new()).ok()?;
    let bytes = image.to_bytes();
    let begin = bytes.iter().position(|byte| *byte == b'\n')? + 9;
    Some(bytes[begin..bytes.len() - 8].to_vec())
}
