//! A new switch takes over from one that runs, between guests of Linux that notice as little as possible. Where rights or tools
//! are missing, a test says so.

#![cfg(target_os = "linux")]

#[path = "../linux/guest.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod guest;
mod machine;
#[path = "../../../live/tests/linux/namespace.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod namespace;
mod probes;
#[path = "../../../live/tests/vhost_user/guest.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod queues;
mod started;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use guest::Guest;
use machine::Machine;
use namespace::within;
use probes::Probes;
use started::Started;
use vswitchd::{Request, Takeover, UpgradeReport};

/// Guest 2 may be spoken to by TCP at port 80 and by UDP, and begins nothing by itself.
const CONFIGURATION: &str = "name = \"host\"\n[[vpc]]\nname = \"red\"\nvni = 7001\n\
    [[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
    [[security_group]]\nname = \"servers\"\n\
    rule = [{ direction = \"in\", protocol = \"tcp\", ports = 80 }, { direction = \"in\", protocol = \"udp\" }, \
    { direction = \"in\", protocol = \"icmp\" }]\n\
    [[vnic]]\nname = \"one\"\ninterface = \"guest1\"\nvpc = \"red\"\nmac = \"02:00:00:00:00:01\"\naddresses = [\"10.0.1.1\"]\n\
    [[vnic]]\nname = \"two\"\ninterface = \"guest2\"\nvpc = \"red\"\nmac = \"02:00:00:00:00:02\"\naddresses = [\"10.0.1.2\"]\n\
    security_groups = [\"servers\"]\n";

/// Opens a TCP connection between two guests: the ends of the client and of the server.
fn connection(one: &Guest, two: &Guest) -> [TcpStream; 2] {
    let inside = |guest: &Guest| Some(guest.path());
    let listener =
        live::namespace::within(inside(two).as_deref(), || TcpListener::bind("10.0.1.2:80")).expect("a port");
    let client = live::namespace::within(inside(one).as_deref(), || TcpStream::connect("10.0.1.2:80"));
    let (server, _) = listener.accept().expect("the client connects");
    let ends = [client.expect("the server listens"), server];
    for end in &ends {
        end.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
    }
    ends
}

/// Sends bytes from one end of a connection to the other.
fn says(from: &mut TcpStream, to: &mut TcpStream, what: &[u8]) {
    from.write_all(what).expect("the connection is there");
    let mut heard = vec![0; what.len()];
    to.read_exact(&mut heard).expect("the connection goes on");
    assert_eq!(heard, what);
}

#[test]
fn a_new_switch_takes_over_while_packets_pass() {
    within("a_new_switch_takes_over_while_packets_pass", || {
        let (one, two) = (Guest::new(1), Guest::new(2));
        let old = Started::new(CONFIGURATION);
        let [mut client, mut server] = connection(&one, &two);
        says(&mut client, &mut server, b"hello");
        let probes = Probes::start(&one, &two);
        probes.wait_for(300);
        let mut takeover = Takeover::begin(old.socket()).expect("the old switch answers");
        let new = Started::taking_over(takeover.report());
        let taken = takeover.finish(&new.handle).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        assert_eq!((taken.taken >= 2, taken.refused), (true, 0), "{taken:?}");
        takeover.wait_for_end().unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let totals = old.joined();
        assert!(totals.discarded.keys().all(|reason| *reason != vswitch::reasons::DENIED));
        probes.wait_for(300);
        // The server could say nothing by itself: the new switch knows the connection.
        says(&mut server, &mut client, b"welcome");
        says(&mut client, &mut server, b"goodbye");
        probes.end_without_gap();
        let totals = new.end();
        assert!(!totals.discarded.contains_key(&vswitch::reasons::DENIED), "{:?}", totals.discarded);
    });
}

#[test]
fn a_machine_whose_front_end_listens_is_taken_over_while_packets_pass() {
    within("a_machine_whose_front_end_listens_is_taken_over_while_packets_pass", || {
        let (one, two) = (Guest::new(1), Machine::start());
        let interface = format!("vhost-user-client:{}", two.socket().display());
        let old = Started::new(&CONFIGURATION.replace("guest2", &interface));
        let probes = Probes::to_what_returns_them(&one, "10.0.1.2:7000");
        probes.wait_for(300);
        let mut takeover = Takeover::begin(old.socket()).expect("the old switch answers");
        let new = Started::taking_over(takeover.report());
        takeover.finish(&new.handle).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        takeover.wait_for_end().unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        old.joined();
        probes.wait_for(300);
        probes.end_without_gap();
        assert_eq!(new.end().missing(), 0);
    });
}

/// What was applied while another process took over was gone in that one, though it had been answered with success.
#[test]
fn nothing_is_applied_that_the_next_switch_would_not_know() {
    within("nothing_is_applied_that_the_next_switch_would_not_know", || {
        let (one, _two) = (Guest::new(1), Guest::new(2));
        let old = Started::new(CONFIGURATION);
        let other = format!("{CONFIGURATION}[limits]\nsessions = 1000\n");
        let apply = |text: &str| {
            let (path, text) = ("host.toml".to_owned(), Some(text.to_owned()));
            old.handle.ask(Request::Apply { path, text, dry_run: false })
        };
        let mut takeover = Takeover::begin(old.socket()).expect("the old switch answers");
        let new = Started::taking_over(takeover.report());
        apply(&other).expect("the old switch goes on");
        let refused = takeover.finish(&new.handle).expect_err("the new one has read another configuration");
        assert!(refused.render(false).contains("has been applied since"), "{}", refused.render(false));
        new.end();
        // Behind giving way, it is the new one that must be asked.
        old.handle.ask(Request::GiveWay { since: 0, epoch: None }).expect("it gives way");
        let refused = apply(CONFIGURATION).expect_err("another process takes over");
        assert!(refused.reason().contains("taking over"), "{}", refused.reason());
        old.handle.ask(Request::Resume {}).expect("it goes on");
        apply(CONFIGURATION).expect("it goes on");
        assert!(one.pings("10.0.1.254"));
        old.end();
    });
}

/// A new process that hung while it had an interface left the old one without it for good.
#[test]
fn an_interface_that_cannot_be_opened_again_at_once_is_opened_later() {
    within("an_interface_that_cannot_be_opened_again_at_once_is_opened_later", || {
        let one = Guest::new(1);
        let made = Command::new("ip").args(["tuntap", "add", "guest2", "mode", "tap"]).status();
        if !made.is_ok_and(|status| status.success()) {
            return eprintln!("no TAP interface can be made here: nothing is tested");
        }
        let old = Started::new(CONFIGURATION);
        let gives_and_resumes = || {
            old.handle.ask(Request::GiveWay { since: 0, epoch: None }).expect("it gives way");
            let other = live::open("guest2", &live::Options::default()).expect("nobody has it now");
            old.handle.ask(Request::Resume {}).expect("it goes on");
            assert!(one.pings("10.0.1.254"), "the others go on");
            other
        };
        let other = gives_and_resumes();
        assert!(live::open("guest2", &live::Options::default()).is_err(), "the other process has it");
        drop(other);
        let began = Instant::now();
        while live::open("guest2", &live::Options::default()).is_ok() {
            assert!(began.elapsed() < Duration::from_secs(20), "the switch does not open it again");
            std::thread::sleep(Duration::from_millis(300));
        }
        // A file that is applied meanwhile may have another interface at its port.
        let other = gives_and_resumes();
        let (path, text) = ("host.toml".to_owned(), Some(CONFIGURATION.replace("guest2", "tap:guest3")));
        old.handle.ask(Request::Apply { path, text, dry_run: false }).expect("a file without it");
        drop(other);
        std::thread::sleep(Duration::from_millis(2500));
        assert!(live::open("guest2", &live::Options::default()).is_ok(), "it is not opened any more");
        assert!(one.pings("10.0.1.254"), "the switch goes on");
        old.end();
    });
}

#[test]
fn no_packet_is_lost_when_cores_are_given_and_taken() {
    within("no_packet_is_lost_when_cores_are_given_and_taken", || {
        let (one, two) = (Guest::new(1), Guest::new(2));
        let switch = Started::new(&format!("{CONFIGURATION}[path]\ncores = 2\n"));
        let [mut client, mut server] = connection(&one, &two);
        let probes = Probes::start(&one, &two);
        probes.wait_for(200);
        for number in [1, 3, 2, 1, 2] {
            switch.handle.ask(Request::Cores { number: Some(number) }).expect("cores can be given and taken");
            probes.wait_for(100);
            says(&mut server, &mut client, b"still here");
        }
        let answers = probes.end();
        assert!(answers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "none is lost, and none overtakes another");
        let totals = switch.end();
        assert_eq!(totals.missing(), 0, "{totals:?}");
        assert!(!totals.discarded.contains_key(&vswitch::reasons::RING_FULL), "{:?}", totals.discarded);
        assert!(!totals.discarded.contains_key(&vswitch::reasons::DENIED), "{:?}", totals.discarded);
    });
}

#[test]
fn a_switch_with_several_cores_hands_over_to_one_with_several() {
    within("a_switch_with_several_cores_hands_over_to_one_with_several", || {
        let (one, two) = (Guest::new(1), Guest::new(2));
        let old = Started::new(&format!("{CONFIGURATION}[path]\ncores = 3\n"));
        let mut connections: Vec<_> = (0..10).map(|_| connection(&one, &two)).collect();
        let mut takeover = Takeover::begin(old.socket()).expect("the old switch answers");
        let new = Started::taking_over(takeover.report());
        let taken = takeover.finish(&new.handle).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        assert_eq!((taken.taken >= 10, taken.refused), (true, 0), "{taken:?}");
        takeover.wait_for_end().unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        old.joined();
        for [client, server] in &mut connections {
            says(server, client, b"welcome");
        }
        new.end();
    });
}

#[test]
fn a_switch_goes_on_whose_successor_does_not_begin() {
    within("a_switch_goes_on_whose_successor_does_not_begin", || {
        let (one, two) = (Guest::new(1), Guest::new(2));
        let old = Started::new(CONFIGURATION);
        let [mut client, mut server] = connection(&one, &two);
        // One that says nothing more, and one that says so.
        for says_so in [false, true] {
            old.handle.ask(Request::GiveWay { since: 0, epoch: None }).expect("it gives way");
            assert!(
                old.handle.ask(Request::GiveWay { since: 0, epoch: None }).is_err() || !says_so,
                "there is one successor at a time"
            );
            assert!(!one.pings("10.0.1.2") || !says_so, "nothing passes until then");
            if says_so {
                old.handle.ask(Request::Resume {}).expect("it goes on");
            }
            let began = Instant::now();
            while !one.pings("10.0.1.2") {
                assert!(began.elapsed() < Duration::from_secs(20), "it does not go on");
            }
            says(&mut client, &mut server, b"still");
            says(&mut server, &mut client, b"here");
        }
        // One that cannot have the interfaces.
        let mut report: UpgradeReport = Takeover::begin(old.socket()).expect("it answers").report().clone();
        report.file.1 = CONFIGURATION.replace("guest2", "guest3");
        let refused = vswitchd::Switch::open_to_take_over(&report).err().map(|failure| failure.render(false));
        assert!(refused.is_some_and(|text| text.contains("guest3")), "the interface is named");
        says(&mut client, &mut server, b"nothing has changed");
        old.end();
    });
}

/// The variable by which this program runs a switch of a configuration until it is killed.
const SWITCH: &str = "POLYPLANE_TEST_SWITCH";

/// Runs a switch for [`connections_are_picked_up_in_the_middle_after_a_kill`], in a process of its own.
#[test]
fn switch_of_another_test() {
    if let Ok(configuration) = std::env::var(SWITCH) {
        Started::new(&configuration).joined();
    }
}

#[test]
fn connections_are_picked_up_in_the_middle_after_a_kill() {
    within("connections_are_picked_up_in_the_middle_after_a_kill", || {
        let (one, two) = (Guest::new(1), Guest::new(2));
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "switch_of_another_test"]).env(SWITCH, CONFIGURATION).stdout(Stdio::null());
        let mut old = command.spawn().expect("it can be run again");
        let began = Instant::now();
        while !one.pings("10.0.1.2") {
            assert!(began.elapsed() < Duration::from_secs(20), "the switch does not begin");
        }
        let [mut client, mut server] = connection(&one, &two);
        says(&mut server, &mut client, b"hello");
        old.kill().expect("it runs");
        old.wait().expect("it was killed");
        let new = Started::new(CONFIGURATION);
        // The server may begin nothing, and is the first to say something: the client is asked whether it has the connection.
        says(&mut server, &mut client, b"pushed");
        says(&mut client, &mut server, b"are you there");
        new.end();
    });
}
