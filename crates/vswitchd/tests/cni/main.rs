//! The plugin for containers, called by a scripted runtime. Where rights or tools are missing, a test says so.

#![cfg(target_os = "linux")]

#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use files::PlanText;
use namespace::{ip, set, unshare, within};
use serde_json::{Value, json};
use service::Cancel;
use service::socket::{Answers, Begun, Manner};
use vswitch::configuration::read;
use vswitchd::cni::{Call, CniError, PATIENCE, run};
use vswitchd::socket::{Server, SocketFile, serve};
use vswitchd::{Answer, Refusal, Request, Switch, SwitchHandle, Totals};

/// A container: a network namespace. It is gone when this is dropped.
struct Container(Child);

impl Container {
    fn new() -> Self {
        let sleep = unshare().args(["sleep", "60"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let container = Self(sleep.expect("unshare was found before"));
        // The child is in its namespace a little later than it is there.
        let own = fs::read_link("/proc/self/ns/net").expect("a namespace");
        while fs::read_link(container.path()).is_ok_and(|its| its == own) {
            std::thread::sleep(Duration::from_millis(1));
        }
        container
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.0.id())
    }

    /// Runs a command in the container, and returns whether it succeeds.
    fn runs(&self, words: &[&str]) -> bool {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.path())).arg("--").args(words);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    fn pings(&self, address: &str) -> bool {
        self.runs(&["ping", "-c", "3", "-i", "0.2", "-W", "1", address])
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A runtime with a switch, and with a plugin for addresses that gives container `cN` the address 10.0.1.N.
struct Runtime {
    folder: tempfile::TempDir,
    handle: SwitchHandle,
    thread: JoinHandle<Totals>,
    _server: Server,
}

const HOST: &str = "name = \"host\"\n[[vpc]]\nname = \"red\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\n\
    gateway = \"10.0.1.254\"\n[[security_group]]\nname = \"web\"\n[[security_group.rule]]\ndirection = \"in\"\n\
    [[security_group.rule]]\ndirection = \"out\"\n";

impl Runtime {
    fn new() -> Self {
        set("ipv6/conf/default/disable_ipv6", "1");
        ip("link set lo up");
        let folder = tempfile::tempdir().expect("a folder");
        let plugin = folder.path().join("addresses");
        let log = folder.path().join("log");
        let script = format!(
            "#!/bin/sh\ncat > /dev/null\necho \"$CNI_COMMAND $CNI_CONTAINERID\" >> {}\n[ \"$CNI_COMMAND\" = ADD ] || exit 0\n\
             if [ $CNI_CONTAINERID = c99 ]; then echo '{{\"code\":11,\"msg\":\"no address is free\"}}'; exit 1; fi\n\
             echo '{{\"ips\":[{{\"address\":\"10.0.1.'${{CNI_CONTAINERID#c}}'/24\",\"gateway\":\"10.0.1.254\"}}],'\n\
             echo '\"routes\":[{{\"dst\":\"0.0.0.0/0\"}}]}}'\n",
            log.display()
        );
        fs::write(&plugin, script).expect("a file");
        fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).expect("a file");
        let plan =
            PlanText { name: "host".into(), path: "host.toml".into(), text: HOST.into(), folder: Default::default() };
        let reading = read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let (sender, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let switch = Switch::open(reading).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
            sender.send(switch.handle()).expect("the test waits for it");
            switch.run(None).expect("it can wait")
        });
        let handle = opened.recv().expect("it can be opened");
        let file = SocketFile::listen(&folder.path().join("host.vswitch")).expect("it is free");
        let server = serve(file, handle.clone()).expect("there are threads");
        Self { folder, handle, thread, _server: server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn call(
        &self,
        command: &str,
        container: &str,
        namespace: Option<&str>,
        more: &Value,
    ) -> Result<Option<Value>, CniError> {
        let mut input = json!({
            "cniVersion": "1.1.0", "name": "net", "type": "polyplane-cni", "vpc": "red", "security_groups": ["web"],
            "switch": self.path("host.vswitch"), "ipam": { "type": "addresses" },
        });
        for (name, value) in more.as_object().expect("entries") {
            input[name] = value.clone();
        }
        let folder = self.folder.path().display().to_string();
        let variable = |name: &str| match name {
            "CNI_COMMAND" => Some(command.to_owned()),
            "CNI_CONTAINERID" => Some(container.to_owned()),
            "CNI_NETNS" => namespace.map(str::to_owned),
            "CNI_IFNAME" => Some("eth0".to_owned()),
            "CNI_PATH" => Some(folder.clone()),
            _ => None,
        };
        run(&Call { variable: &variable, input: &input.to_string(), patience: PATIENCE })
    }

    fn attached(&self) -> Vec<String> {
        match self.handle.ask(Request::Attached {}) {
            Ok(Answer::Attached(names)) => names,
            other => panic!("{other:?}"),
        }
    }

    fn end(self) {
        self.handle.stop();
        let totals = self.thread.join().expect("the switch does not panic");
        assert_eq!(totals.missing(), 0, "every frame has a verdict: {totals:?}");
    }
}

/// The number of interfaces of the plugin in this namespace.
fn links() -> usize {
    let shown = Command::new("ip").args(["-o", "link", "show", "type", "veth"]).output().expect("ip is there");
    String::from_utf8_lossy(&shown.stdout).lines().filter(|line| line.contains(": pp")).count()
}

#[test]
fn containers_come_reach_each_other_and_go() {
    within("containers_come_reach_each_other_and_go", || {
        let runtime = Runtime::new();
        let containers = [Container::new(), Container::new()];
        let paths = containers.each_ref().map(Container::path);
        runtime.call("STATUS", "", None, &json!({})).expect("the switch runs");
        let mut results = Vec::new();
        for (name, path) in ["c1", "c2"].iter().zip(&paths) {
            results.push(runtime.call("ADD", name, Some(path), &json!({})).expect("it is added").expect("a result"));
        }
        let result = &results[0];
        assert_eq!((&result["cniVersion"], &result["ips"][0]["address"]), (&json!("1.1.0"), &json!("10.0.1.1/24")));
        assert_eq!(result["interfaces"][1]["sandbox"], json!(paths[0]));
        assert_eq!(runtime.attached(), ["cni:net:c1:eth0", "cni:net:c2:eth0"]);
        assert!(
            containers[0].pings("10.0.1.2") && containers[1].pings("10.0.1.1") && containers[0].pings("10.0.1.254")
        );
        let check = |name: &str, path: &str, result: &Value| {
            runtime.call("CHECK", name, Some(path), &json!({ "prevResult": result }))
        };
        check("c1", &paths[0], &results[0]).expect("it has everything");
        let mut other = results[0].clone();
        other["ips"][0]["address"] = json!("10.0.1.7/24");
        assert!(check("c1", &paths[0], &other).is_err_and(|error| error.message.contains("10.0.1.7")));
        // A second ADD is refused, and takes nothing away.
        let again = runtime.call("ADD", "c1", Some(&paths[0]), &json!({})).expect_err("it has been added");
        assert!(again.code == 100 && again.message.contains("`cni:net:c1:eth0` already"), "{again:?}");
        assert!(containers[0].pings("10.0.1.2"));
        // What the runtime does not list any more goes.
        let valid = json!({ "cni.dev/valid-attachments": [{ "containerID": "c1", "ifname": "eth0" }] });
        runtime.call("GC", "", None, &valid).expect("it can be removed");
        assert_eq!((runtime.attached(), links()), (vec!["cni:net:c1:eth0".to_owned()], 1));
        assert!(check("c2", &paths[1], &results[1]).is_err());
        for _ in 0..2 {
            runtime.call("DEL", "c1", Some(&paths[0]), &json!({})).expect("a second time is no error");
        }
        runtime.call("DEL", "c2", None, &json!({})).expect("its namespace may be gone");
        assert_eq!((runtime.attached(), links()), (Vec::new(), 0));
        let log = fs::read_to_string(runtime.path("log")).expect("the plugin for addresses was called");
        for line in ["STATUS ", "ADD c1", "CHECK c1", "GC ", "DEL c2"] {
            assert!(log.lines().any(|own| own == line), "{line}: {log}");
        }
        runtime.end();
    });
}

#[test]
fn a_container_that_cannot_be_added_leaves_nothing_behind() {
    within("a_container_that_cannot_be_added_leaves_nothing_behind", || {
        let runtime = Runtime::new();
        let container = Container::new();
        let path = container.path();
        let refused =
            |name: &str, more: &Value| runtime.call("ADD", name, Some(&path), more).expect_err("it is refused");
        let error = refused("c1", &json!({ "vpc": "blue" }));
        assert!(error.code == 100 && error.message.contains("there is no VPC called `blue`"), "{error:?}");
        let error = refused("c99", &json!({}));
        assert_eq!((error.code, error.message.as_str()), (11, "addresses: no address is free"));
        assert_eq!(refused("c1", &json!({ "cniVersion": "9.0.0" })).code, 1);
        assert_eq!(refused("c1", &json!({ "vpc": 7 })).code, 7);
        assert_eq!(refused("c1", &json!({ "switch": "/nowhere/host.vswitch" })).code, 50);
        assert_eq!(refused("../c1", &json!({})).code, 4);
        assert_eq!(refused("c1", &json!({ "ipam": {} })).code, 7);
        // Two containers with one address: the second one gets nothing.
        runtime.call("ADD", "c1", Some(&path), &json!({})).expect("it is added");
        let second = Container::new();
        let taken = json!({ "name": "other" });
        let error = runtime.call("ADD", "c1", Some(&second.path()), &taken).expect_err("the address is taken");
        assert!(error.message.contains("has the address 10.0.1.1 too"), "{error:?}");
        assert_eq!((runtime.attached().len(), links()), (1, 1));
        assert!(!second.runs(&["ip", "link", "show", "eth0"]), "its interface is gone too");
        runtime.call("DEL", "c1", Some(&path), &json!({})).expect("it can be removed");
        runtime.end();
    });
}

/// More than the switch answers at once, as when a host starts its containers; some of them once failed.
#[test]
fn many_containers_come_and_go_at_once() {
    within("many_containers_come_and_go_at_once", || {
        let runtime = Runtime::new();
        let containers: Vec<(String, Container)> =
            (1..=12).map(|number| (format!("c{number}"), Container::new())).collect();
        let all = |calls: &[(&str, usize)]| {
            std::thread::scope(|scope| {
                for (command, times) in calls {
                    for (name, container) in containers.iter().flat_map(|own| std::iter::repeat_n(own, *times)) {
                        let (runtime, path) = (&runtime, container.path());
                        scope.spawn(move || {
                            let done = runtime.call(command, name, Some(&path), &json!({}));
                            done.unwrap_or_else(|error| panic!("{command} {name}: {error:?}"))
                        });
                    }
                }
            });
        };
        all(&[("ADD", 1)]);
        assert_eq!((runtime.attached().len(), links()), (12, 12));
        all(&[("DEL", 2)]);
        assert_eq!((runtime.attached(), links()), (Vec::new(), 0));
        runtime.end();
    });
}

#[test]
fn versions_are_told_without_a_switch() {
    let variable = |name: &str| (name == "CNI_COMMAND").then(|| "VERSION".to_owned());
    let call = |input| run(&Call { variable: &variable, input, patience: PATIENCE });
    let told = call("{\"cniVersion\":\"1.1.0\"}").expect("versions").expect("JSON");
    assert!(told["supportedVersions"].as_array().is_some_and(|versions| versions.contains(&json!("1.1.0"))));
    let error = call("nonsense").expect_err("no JSON");
    assert_eq!(error.to_json("1.1.0")["code"], 6);
}

/// A switch that is busy for so many questions, and then answers.
#[derive(Clone)]
struct BusyFor(Arc<AtomicU32>);

impl Answers for BusyFor {
    type Messages = vswitchd::socket::Messages;

    fn manner(&self, _: &Request) -> Manner {
        Manner::AtOnce
    }

    fn answer(&self, _: Request, _: &Cancel) -> Result<Answer, Refusal> {
        let less = |left: u32| left.checked_sub(1);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Err(Refusal::busy("8 requests are being answered already\n")),
            Err(_) => Ok(Answer::Attached(Vec::new())),
        }
    }

    fn stream(&self, _: Request, _: Box<dyn Fn() + Send + Sync>) -> Result<Begun<Answer>, Refusal> {
        Err(Refusal::new("nothing follows"))
    }
}

/// The plugin once failed at once, with an error of its own that no runtime tries again after, and left behind what it was to remove.
#[test]
fn a_switch_that_is_busy_is_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("host.vswitch");
    let left = Arc::new(AtomicU32::new(0));
    let file = SocketFile::listen(&path).expect("it is free");
    let server = serve(file, BusyFor(Arc::clone(&left))).expect("there are threads");
    let variable = |name: &str| (name == "CNI_COMMAND").then(|| "GC".to_owned());
    let input = json!({ "cniVersion": "1.1.0", "name": "net", "vpc": "red", "switch": path }).to_string();
    let call = |patience| run(&Call { variable: &variable, input: &input, patience });
    left.store(3, Ordering::Relaxed);
    assert_eq!(call(PATIENCE), Ok(None));
    assert_eq!(left.load(Ordering::Relaxed), 0, "it was busy three times");
    left.store(u32::MAX, Ordering::Relaxed);
    let error = call(Duration::ZERO).expect_err("it stays busy");
    let expected = json!({
        "cniVersion": "1.1.0", "code": 11, "msg": "the switch is busy: 8 requests are being answered already",
    });
    assert_eq!(error.to_json("1.1.0"), expected);
    drop(server);
}
