//! `polyplane live`: runs a program on live packets of Linux interfaces.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use polyplane::rooms::basis::Instant;
use polyplane::rooms::live::{self, Driver, Tally};
use polyplane::rooms::machines::Device;
use polyplane::rooms::node::Port;
use polyplane::rooms::workbench::check_port;
use polyplane::{Diagnostic, Failure};
use serde::Serialize;

use crate::packet_arguments::LiveArguments;
use crate::{loading, output};

/// The result in JSON.
#[derive(Serialize)]
struct Result {
    received: u64,
    transmitted: u64,
    discarded: BTreeMap<String, u64>,
}

pub fn run(arguments: &LiveArguments) -> std::result::Result<u8, Failure> {
    let program = loading::load(&arguments.program)?;
    let (machine, settings) = arguments.on.chosen(&program)?;
    let mut device = machine.fit(&program, &settings)?.build(arguments.seed)?;
    loading::entries(&arguments.tables, &program)?.apply(&mut *device)?;
    let interfaces = interfaces(&arguments.bindings, &*device)?;
    let names: Vec<String> = interfaces.iter().map(|(port, name)| format!("{name} is port {}", port.0)).collect();
    let open = |(port, name): (Port, String)| {
        let interface = live::open(&name, &live::Options::default());
        interface.map(|interface| (port, interface)).map_err(|error| cannot_open(&name, &error))
    };
    let interfaces = interfaces.into_iter().map(open).collect::<std::result::Result<Vec<_>, Failure>>()?;
    let end = arguments.time.map(|time| Instant::ZERO + time);
    let cannot_wait = |error| Failure::plain(format!("the system has no descriptors left: {error}"));
    let mut driver = Driver::new(device, interfaces).map_err(cannot_wait)?;
    driver.wake_by(end);
    let is_stopped = Arc::new(AtomicBool::new(false));
    let caught = stop_on_signals(Arc::clone(&is_stopped), driver.waker());
    caught.map_err(|error| Failure::plain(format!("signals cannot be caught: {error}")))?;
    output::tell(&format!("{} runs on {}: {}\n", program.program.name, machine.name(), names.join(", ")));
    let ended = driver.run(|_, now, _| {
        let is_over = is_stopped.load(Ordering::Relaxed) || end.is_some_and(|end| now >= end);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    ended.map_err(|error| Failure::plain(format!("an interface failed: {error}")))?;
    report(&driver.tally(), arguments.json)?;
    Ok(0)
}

/// Sets `is_stopped` when the process is asked to end, and wakes the driver.
fn stop_on_signals(is_stopped: Arc<AtomicBool>, waker: live::Waker) -> std::io::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    std::thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            is_stopped.store(true, Ordering::Relaxed);
            waker.wake();
        }
    });
    Ok(())
}

/// Parses the bindings `PORT=NAME`; each port must exist in the device, and each port and interface may be bound only
/// once.
fn interfaces(texts: &[String], device: &dyn Device) -> std::result::Result<Vec<(Port, String)>, Failure> {
    let mut bound: BTreeMap<u16, String> = BTreeMap::new();
    for text in texts {
        let parsed = text.split_once('=').and_then(|(port, name)| Some((port.parse::<u16>().ok()?, name)));
        let Some((port, name)) = parsed.filter(|(_, name)| !name.is_empty()) else {
            let error = Diagnostic::without_place(format!("`--port {text}` is not of the form PORT=INTERFACE"));
            return Err(error.hint("`--port 1=veth1` binds port 1 to the interface veth1").into());
        };
        check_port(device, port)?;
        if bound.values().any(|own| own == name) || bound.insert(port, name.to_owned()).is_some() {
            let error = Diagnostic::without_place(format!("`--port {text}` binds a port or interface again"));
            return Err(error.hint("bind each port to one interface, and each interface to one port").into());
        }
    }
    Ok(bound.into_iter().map(|(port, name)| (Port(port), name)).collect())
}

fn cannot_open(name: &str, error: &std::io::Error) -> Failure {
    let diagnostic = Diagnostic::without_place(format!("the interface `{name}` cannot be opened: {error}"));
    let hint = "this needs Linux and CAP_NET_RAW, or /dev/net/tun and CAP_NET_ADMIN to make a TAP interface: run as root, or in a namespace made by \
                `unshare --user --map-root-user --net`";
    diagnostic.hint(hint).into()
}

fn report(tally: &Tally, as_json: bool) -> std::result::Result<(), Failure> {
    let discarded = tally.discarded.iter().map(|(reason, count)| (reason.to_string(), *count)).collect();
    let result = Result { received: tally.received, transmitted: tally.transmitted, discarded };
    if as_json {
        return output::print_json(&result);
    }
    let mut text = format!("received        {}\ntransmitted     {}\n", result.received, result.transmitted);
    let dropped: Vec<String> = result.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    text.push_str(&format!(
        "dropped         {}\n",
        if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") }
    ));
    output::print(&text)
}
