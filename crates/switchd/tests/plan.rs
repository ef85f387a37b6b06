//! Plans of live switches: everything that is wrong is said at its place, before anything is touched.

mod common;

use common::{Folder, entries, program};
use files::PlanText;
use switchd::{SwitchPlan, check, plan};

fn read(folder: &Folder, text: &str) -> Result<SwitchPlan, String> {
    let path = folder.write("switch.toml", text);
    let text = PlanText { path: "switch.toml".to_owned(), ..PlanText::read(&path).expect("it is there") };
    plan::read(&text).map_err(|failure| failure.to_string())
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("pair.p4", &program());
    folder.write("pair.stf", &entries(1));
    folder
}

#[test]
fn every_field_is_read() {
    let folder = folder();
    let text = r#"
        name = "edge-1"
        program = "pair.p4"
        machine = "native"
        tables = ["pair.stf"]
        define = ["N=4", "FAST"]
        seed = 7
        spin = "30 us"
        core = 1

        [options]
        undefined = "zero"

        [[port]]
        port = 0
        interface = "veth0"
        rate = "1 Gb/s"

        [[port]]
        port = 1
        interface = "veth1"
        namespace = "red"

        [queues]
        queue = "ecn"
        limit = "100 packets"
        threshold = "64 KiB"

        [queues.buffer]
        total = "1 MiB"

        [[capture]]
        at = ["in", "dropped"]
        ports = [1]
        filter = "udp port 53"
        write = "dns.pcapng"

        [metrics]
        listen = "127.0.0.1:9100"

        [control]
        socket = "edge.sock"
    "#;
    let plan = read(&folder, text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((plan.name.as_str(), plan.seed, plan.core), ("edge-1", 7, Some(1)));
    assert_eq!(plan.machine.map(|kind| kind.name()), Some("native"));
    assert_eq!(plan.ports[0].rate, Some(basis::Rate::from_gigabits_per_second(1)));
    assert_eq!((plan.ports[1].port, plan.ports[1].namespace.as_deref()), (1, Some("red")));
    assert_eq!(plan.options.definitions, [("N".to_owned(), "4".to_owned()), ("FAST".to_owned(), "1".to_owned())]);
    assert_eq!(plan.queues.as_ref().and_then(|queues| queues.buffer.total), Some(1 << 20));
    assert_eq!(plan.captures[0].filter.to_string(), "udp port 53");
    assert_eq!(plan.metrics, "127.0.0.1:9100".parse().ok());
    assert_eq!(plan.socket, Some(folder.0.join("edge.sock")));
    let loaded = plan.load().unwrap_or_else(|failure| panic!("{failure}"));
    plan.build(&loaded).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    let folder = folder();
    let text = "name = \"a/b\"\nprogram = \"none.p4\"\nmachine = \"nativ\"\ntables = [\"none.stf\"]\nspin = \"1 s\"\nprot = 1\n\n\
                [[port]]\nport = 70000\ninterface = 5\n\n[[port]]\nport = 1\nnamespce = \"red\"\n\n[queues]\nqueue = \"ec\"\n\n\
                [[capture]]\nat = [\"inn\"]\nfilter = \"udp prt 5\"\n\n[metrics]\nlisten = \"9100\"\n";
    let error = read(&folder, text).err().expect("almost everything is wrong");
    for (place, message) in [
        ("1:8", "cannot be the name of a switch"),
        ("2:11", "there is no file"),
        ("3:11", "did you mean `native`?"),
        ("4:11", "there is no file"),
        ("5:8", "`spin` cannot be 1 s"),
        ("6:1", "did you mean `port`?"),
        ("9:8", "a whole number from 0 to 65535"),
        ("10:13", "`interface` must be a text"),
        ("14:1", "did you mean `namespace`?"),
        ("17:9", "did you mean `ecn`?"),
        ("20:7", "did you mean `in`?"),
        ("21:10", "cannot stand here"),
        ("24:10", "not an address to listen at"),
    ] {
        assert!(error.contains(&format!("switch.toml:{place}")), "no error at {place} in\n{error}");
        assert!(error.contains(message), "no {message} in\n{error}");
    }
    assert!(error.contains("has no `write`") && error.contains("has no `interface`"), "{error}");
    let none = read(&folder, "program = \"pair.p4\"\n").err().expect("no ports");
    assert!(none.contains("the switch has no ports"), "{none}");
}

/// Asserts that an error tells each message, in its title or its help, at its place, and nothing else.
fn assert_told(error: &str, expected: &[(&str, &str)]) {
    let told: Vec<&str> = error.split("\nerror").collect();
    for (place, message) in expected {
        let is_told = told.iter().any(|finding| {
            let at = finding.lines().nth(1).expect("each finding has a place");
            at.ends_with(&format!("switch.toml:{place}")) && finding.contains(message)
        });
        assert!(is_told, "no `{message}` at {place} in\n{error}");
    }
    assert_eq!(told.len(), expected.len(), "{error}");
}

#[test]
fn mistakes_in_links_are_reported_at_their_place() {
    let folder = folder();
    let port = |number, rest| format!("[[port]]\nport = {number}\ninterface = \"a{number}\"\n{rest}");
    let text = [
        "program = \"pair.p4\"\n".to_owned(),
        port(0, "rate = \"fast\"\ndelay = \"11 s\"\n[port.arriving]\nrate = 10\ndelay = \"soon\"\nlimit = 0\n"),
        port(1, "[port.arriving]\nrate = \"1 Mb/s\"\ndelay = \"1 min\"\nlimt = 5\n"),
        port(2, "[port.arriving]\n"),
        port(3, "[port.arriving]\ndelay = \"1 ms\"\nlimit = 5\n"),
        port(4, "arriving = 5\n"),
    ];
    let error = read(&folder, &text.concat()).err().expect("all links are wrong");
    let expected = [
        ("3:8", "a port with a `rate` needs a queue"),
        ("5:8", "`rate` must be a rate"),
        ("6:9", "`delay` cannot be 11 s"),
        ("8:8", "`rate` must be a rate"),
        ("9:9", "`delay` must be a time"),
        ("10:9", "a whole number from 1 to 1048576"),
        ("16:9", "`delay` "),
        ("17:1", "did you mean `limit`?"),
        ("21:7", "the link on which packets arrive holds none"),
        ("27:9", "`limit` without a `rate`"),
        ("31:12", "arriving"),
    ];
    assert_told(&error, &expected);
}

#[test]
fn ports_that_the_device_lacks_are_refused_at_their_place() {
    let folder = folder();
    let text =
        "program = \"pair.p4\"\n\n[[port]]\nport = 60000\ninterface = \"a\"\n\n[[port]]\nport = 1\ninterface = \"b\"\n";
    let plan = read(&folder, text).expect("each alone is right");
    let loaded = plan.load().unwrap_or_else(|failure| panic!("{failure}"));
    let error = plan.build(&loaded).err().expect("a port is wrong").to_string();
    assert_told(&error, &[("4:8", "there is no port 60000")]);
}

#[test]
fn everything_that_keeps_a_switch_from_starting_is_said_at_once_and_nothing_is_touched() {
    let folder = folder();
    folder.write("no.pcapng", "this is no capture");
    let file = folder.0.join("there.pcapng").display().to_string();
    let metrics =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|own| own.local_addr().map(|address| (own, address)));
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").and_then(|own| own.local_addr().map(|address| (own, address)));
    let ((_listener, metrics), (_socket, udp)) = (metrics.expect("a free port"), udp.expect("a free port"));
    let interfaces = [
        "udp:127.0.0.1:4000".to_owned(),
        format!("udp:{udp},127.0.0.1:9"),
        "udp:127.0.0.1:0,[::1]:9".to_owned(),
        "pcapng:in.pcapng".to_owned(),
        format!("pcapng:{}/no.pcapng,", folder.0.display()),
        format!("pcapng:,{file}"),
        format!("pcapng:,{}/./there.pcapng", folder.0.display()),
        "pcapng:,/no/such/folder/out.pcapng".to_owned(),
        "xyz:veth0".to_owned(),
        "a name that is too long".to_owned(),
        "packet:nothing-there".to_owned(),
        String::new(),
    ];
    let mut text = format!(
        "program = \"pair.p4\"\ncore = 4000\n[metrics]\nlisten = \"{metrics}\"\n[control]\nsocket = \"pair.p4\"\n\
         [[capture]]\nports = [77]\nwrite = \"there.pcapng\"\n[[capture]]\nwrite = \"none/x.pcapng\"\n\
         [[capture]]\nwrite = \"there.pcapng\"\n"
    );
    for (port, interface) in interfaces.iter().enumerate() {
        let port = if port == 11 { 10 } else { port };
        text.push_str(&format!("[[port]]\nport = {port}\ninterface = \"{interface}\"\n"));
    }
    text.push_str("[[port]]\nport = 12\ninterface = \"veth0\"\nnamespace = \"there-is-no-such\"\n");
    let plan = read(&folder, &text).unwrap_or_else(|error| panic!("{error}"));
    let before: Vec<_> = std::fs::read_dir(&folder.0).expect("it is there").flatten().map(|file| file.path()).collect();
    let error = check(&plan).expect_err("almost everything is wrong").to_string();
    assert_told(
        &error,
        &[
            ("48:8", "port 10 is bound to `packet:nothing-there` already"),
            ("16:13", "is not of the form LOCAL,REMOTE"),
            ("19:13", "cannot be used: Address already in use"),
            ("22:13", "are of different versions of IP"),
            ("25:13", "is not of the form IN.pcapng,OUT.pcapng"),
            ("28:13", "no.pcapng` cannot be read"),
            ("34:13", "there.pcapng` is taken by port 5 already"),
            ("37:13", "there is no folder `/no/such/folder`"),
            ("40:13", "there is no kind of interfaces `xyz`"),
            ("43:13", "`a name that is too long` cannot be the name of an interface"),
            ("46:13", "there is no interface `nothing-there`"),
            ("49:13", "`` cannot be the name of an interface"),
            ("52:13", "there is no network namespace `there-is-no-such`"),
            ("8:10", "a capture is of port 77, to which no interface is bound"),
            ("9:9", "is taken by port 5 already"),
            ("11:9", "cannot be written: there is no folder"),
            ("13:9", "is taken by port 5 already"),
            ("2:8", "there is no core 4000 that this process may use"),
            ("4:10", "metrics cannot be served at"),
            ("6:10", "is there and is no socket"),
        ],
    );
    let after: Vec<_> = std::fs::read_dir(&folder.0).expect("it is there").flatten().map(|file| file.path()).collect();
    assert_eq!(before, after, "no file was made");
}

#[test]
fn more_ports_than_the_system_has_descriptors_for_are_refused() {
    let folder = folder();
    let mut plan = SwitchPlan::of_program(folder.0.join("pair.p4"));
    plan.ports = vec![switchd::PortBinding::new(0, "pcapng:,"); 1 << 16];
    let most = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let most =
        most.lines().find(|line| line.starts_with("Max open files")).and_then(|line| line.split_whitespace().nth(3));
    let most: u64 = most.and_then(|most| most.parse().ok()).unwrap_or(u64::MAX);
    for (port, binding) in plan.ports.iter_mut().enumerate() {
        binding.port = port as u16;
    }
    let error = check(&plan).err().map(|failure| failure.to_string()).unwrap_or_default();
    assert_eq!(error.contains("65536 ports need about"), most < 2 << 16, "{error}");
}

#[test]
fn options_of_another_machine_are_refused() {
    let folder = folder();
    let port = "\n[[port]]\nport = 0\ninterface = \"a\"\n";
    let text = format!("program = \"pair.p4\"\nmachine = \"native\"\n[options]\npipelines = 4\n{port}");
    let error = read(&folder, &text).err().expect("native has no pipelines");
    assert!(error.contains("switch.toml:4:13") && error.contains("and not of native"), "{error}");
    let plan =
        read(&folder, &format!("program = \"pair.p4\"\n[options]\npipelines = 4\n{port}")).expect("not known yet");
    let error = plan.load().err().expect("v1model has no pipelines").to_string();
    assert!(error.contains("`--pipelines`") && error.contains("not of v1model"), "{error}");
}

#[test]
fn the_plan_of_the_manual_is_right() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(project.join("docs/live.md")).expect("the page is there");
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a plan");
    let folder = Folder::new();
    for name in ["learning_switch.p4", "commands.txt"] {
        let file =
            std::fs::read_to_string(project.join("programs/p4/learning_switch").join(name)).expect("it is there");
        folder.write(name, &file);
    }
    let plan = read(&folder, text).unwrap_or_else(|error| panic!("{error}"));
    let loaded = plan.load().unwrap_or_else(|failure| panic!("{failure}"));
    plan.build(&loaded).unwrap_or_else(|failure| panic!("{failure}"));
    // Every field of the page's table is one that a plan can have.
    let table = page.split("### Fields of switch.toml").nth(1).expect("a table");
    for field in ["program", "name", "include", "define", "binding", "machine", "tables", "seed", "spin", "core"] {
        assert!(table.contains(&format!("`{field}`")), "{field}");
    }
}

#[test]
fn p4runtime_is_read_and_protected() {
    let folder = folder();
    folder.write("server.pem", "");
    folder.write("server.key", "");
    let plan = read(&folder, "[p4runtime]\nlisten = \"127.0.0.1:9559\"").expect("program and ports may come later");
    assert_eq!((plan.program, plan.ports.len()), (None, 0));
    let p4runtime = plan.p4runtime.expect("it was given");
    assert_eq!((p4runtime.device_id, p4runtime.cpu_port, p4runtime.tls), (1, None, None));
    let all = "[p4runtime]\nlisten = \"0.0.0.0:9559\"\ndevice_id = 7\ncpu_port = 255\ntls_certificate = \"server.pem\"\n\
               tls_key = \"server.key\"\n";
    let p4runtime = read(&folder, all).expect("TLS protects it").p4runtime.expect("it was given");
    assert_eq!((p4runtime.device_id, p4runtime.cpu_port, p4runtime.tls.is_some()), (7, Some(255), true));
    let error = |text: &str| read(&folder, text).err().unwrap_or_default();
    let open = error("[p4runtime]\nlisten = \"0.0.0.0:9559\"");
    assert!(open.contains("whoever reaches 0.0.0.0:9559 could control the switch"), "{open}");
    let half = error("[p4runtime]\nlisten = \"127.0.0.1:9559\"\ntls_key = \"server.key\"");
    assert!(half.contains("`tls_key` needs `tls_certificate`"), "{half}");
    let ca = error("tables = [\"pair.stf\"]\n[p4runtime]\nlisten = \"127.0.0.1:9559\"\nclient_ca = \"server.pem\"");
    assert!(ca.contains("`client_ca` needs a certificate") && ca.contains("table entries need a program"), "{ca}");
}
