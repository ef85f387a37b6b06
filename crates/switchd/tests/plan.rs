//! Plans of live switches: everything that is wrong is said at its place, before anything is touched.

mod common;

use common::{Folder, entries, program};
use files::PlanText;
use switchd::{SwitchPlan, check_interfaces, plan};

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

#[test]
fn ports_that_the_device_lacks_or_that_are_bound_twice_are_refused_at_their_place() {
    let folder = folder();
    let text = "program = \"pair.p4\"\n\n[[port]]\nport = 0\ninterface = \"a\"\n\n[[port]]\nport = 0\ninterface = \"b\"\n\n\
                [[port]]\nport = 1\ninterface = \"a\"\n\n[[port]]\nport = 60000\ninterface = \"c\"\n";
    let plan = read(&folder, text).expect("each alone is right");
    let loaded = plan.load().unwrap_or_else(|failure| panic!("{failure}"));
    let error = plan.build(&loaded).err().expect("the ports are wrong").to_string();
    for (place, message) in [
        ("8:8", "port 0 is bound to `a` already"),
        ("12:8", "`a` is bound to port 0 already"),
        ("16:8", "there is no port 60000"),
    ] {
        assert!(error.contains(&format!("switch.toml:{place}")) && error.contains(message), "{place}: {error}");
    }
}

#[test]
fn interfaces_that_cannot_be_are_refused_without_being_touched() {
    let folder = folder();
    let text = "program = \"pair.p4\"\n\n[[port]]\nport = 0\ninterface = \"a name of an interface that is too long\"\n\n\
                [[port]]\nport = 1\ninterface = \"veth0\"\nnamespace = \"there-is-no-such\"\n";
    let plan = read(&folder, text).expect("each alone is right");
    let error = check_interfaces(&plan).expect_err("both are wrong").to_string();
    assert!(error.contains("switch.toml:4:8") && error.contains("cannot be the name"), "{error}");
    assert!(error.contains("switch.toml:8:8") && error.contains("no network namespace"), "{error}");
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
