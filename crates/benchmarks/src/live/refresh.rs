//! Another route in a virtual switch with two million sessions, while packets of all of them pass: how far their rate falls,
//! and for how long (Triton, figure 10).

use std::io;
use std::net::{SocketAddrV4, UdpSocket};
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use diagnostics::Failure;
use files::console;
use serde::{Deserialize, Serialize};

use super::guests::{self, Guests};
use super::host::Host;
use super::ip;
use super::path::Path;
use super::router::host_mac;
use super::workloads::{CLIENT, NOBODY};
use crate::statistics::median;

/// The switch, which has room for all sessions, and one route more.
const BEFORE: Guests = Guests { name: "vswitch, 2,000,000 sessions", limits: LIMITS, ..Guests::USUAL };
const AFTER: Guests = Guests { routes: 1, ..BEFORE };
const LIMITS: &str = "sessions = 2200000\nsessions_per_vnic = 2200000\nnew_sessions_per_second = 4000000\nnew_sessions_burst = 4000000\n\
    [timeouts]\nudp = \"3600 s\"";

/// The source ports, and the destination ports of each: so many sessions.
const SOURCES: u16 = 62;
const DESTINATIONS: u16 = 32_768;

/// The time of one count.
const WINDOW: Duration = Duration::from_millis(100);
/// What is still the usual rate, relative to the median before.
const USUAL: f64 = 0.9;

/// The rate of packets around a change of routes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredRefresh {
    /// The number of sessions.
    pub sessions: u64,
    /// The median rate before the change, in packets per second.
    pub packets_per_second: f64,
    /// The lowest rate of a tenth of a second before the change, relative to the median.
    pub lowest_before: f64,
    /// The lowest rate of a tenth of a second after it, relative to the median before.
    pub lowest_after: f64,
    /// The time from the change on in which packets were below nine tenths of the usual rate, in seconds.
    pub seconds_below: f64,
    /// The time until the command had put the change in place, in seconds.
    pub seconds_to_apply: f64,
    /// The time until all sessions were decided by the new routes, in seconds.
    pub seconds_to_decide: f64,
    /// The packets that arrived in each tenth of a second from the change on, relative to the median before.
    pub rates: Vec<f64>,
}

/// Measures the change of a route.
///
/// # Errors
/// If the switch cannot be started, or does not take the sessions.
pub fn refresh(quick: bool, binary: &FilePath, client: &Host, server: &Host) -> Result<MeasuredRefresh, Failure> {
    let failed = |error: io::Error| Failure::plain(format!("a change of routes cannot be measured: {error}"));
    let connected = Path::Vswitch(binary.to_owned(), BEFORE).connect(client, server)?;
    client.run(|| ip(&format!("neighbor replace {NOBODY} lladdr {} dev eth0 nud permanent", host_mac(2))))?;
    let (time, most_seconds) = if quick { (Duration::from_millis(500), 1) } else { (Duration::from_secs(40), 120) };
    let stopped = AtomicBool::new(false);
    let measured = thread::scope(|scope| {
        let sender = scope.spawn(|| client.run(|| send(&stopped)));
        let measured = (|| {
            let sessions = fill(binary, most_seconds)?;
            let before = server.run(|| count(WINDOW.max(time / 3))).map_err(failed)?;
            let file = guests::write(guests::NAME, &guests::configuration(&AFTER))?;
            let applied = scope.spawn(move || {
                let began = Instant::now();
                super::succeed(guests::command(binary).arg("apply").arg(file).args(["--socket", guests::NAME]))?;
                let in_place = began.elapsed();
                while state(binary)?.1 {
                    thread::sleep(Duration::from_millis(20));
                }
                Ok::<_, Failure>([in_place, began.elapsed()])
            });
            let after = server.run(|| count(time)).map_err(failed)?;
            let times = applied.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok((sessions, before, after, times))
        })();
        stopped.store(true, Ordering::Relaxed);
        let sent = sender.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        sent.map_err(failed).and(measured)
    });
    connected.remove(client);
    let (sessions, before, after, [in_place, decided]) = measured?;
    Ok(evaluate(sessions, &before, &after, in_place, decided))
}

/// Returns what rates mean.
fn evaluate(sessions: u64, before: &[f64], after: &[f64], in_place: Duration, decided: Duration) -> MeasuredRefresh {
    let median = median(before.to_vec());
    let lowest = |rates: &[f64]| rates.iter().copied().fold(f64::INFINITY, f64::min);
    let rates: Vec<f64> = after.iter().map(|rate| rate / median).collect();
    MeasuredRefresh {
        sessions,
        packets_per_second: median,
        lowest_before: lowest(before) / median,
        lowest_after: lowest(&rates),
        seconds_below: rates.iter().filter(|rate| **rate < USUAL).count() as f64 * WINDOW.as_secs_f64(),
        seconds_to_apply: in_place.as_secs_f64(),
        seconds_to_decide: decided.as_secs_f64(),
        rates,
    }
}

/// Sends datagrams of all flows in turns, as fast as the host can, until it is told to stop.
fn send(stopped: &AtomicBool) -> io::Result<()> {
    let sockets: Vec<UdpSocket> =
        (0..SOURCES).map(|number| UdpSocket::bind((CLIENT, 20_000 + number))).collect::<io::Result<_>>()?;
    loop {
        for port in 1..=DESTINATIONS {
            for socket in &sockets {
                // A full queue of the interface refuses one, which is lost then as others are.
                let _ = socket.send_to(&[5; 18], SocketAddrV4::new(NOBODY, port));
            }
            if stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }
}

/// Waits until the switch has a session of every flow, for at most so many seconds. Returns the number of sessions.
fn fill(binary: &FilePath, seconds: u32) -> Result<u64, Failure> {
    let all = u64::from(SOURCES) * u64::from(DESTINATIONS);
    let mut sessions = 0;
    for second in 0..seconds {
        thread::sleep(Duration::from_secs(1));
        sessions = state(binary)?.0;
        if second % 10 == 0 {
            console::tell(&format!("{sessions} of {all} sessions …\n"));
        }
        if sessions >= all * 99 / 100 {
            break;
        }
    }
    Ok(sessions)
}

/// Returns the number of sessions, and whether some are still to be decided by new routes.
fn state(binary: &FilePath) -> Result<(u64, bool), Failure> {
    // By its name, for others may run on this computer.
    let shown = guests::command(binary).args(["show", "switch", "--json", "--socket", guests::NAME]).output();
    let shown = shown.map_err(|error| Failure::plain(format!("cannot run {}: {error}", binary.display())))?;
    let answer: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
    let report = &answer["switch"];
    let sessions = report["sessions"].as_u64().ok_or_else(|| Failure::plain("the virtual switch does not answer"))?;
    Ok((sessions, report["deciding"] == true))
}

/// Returns the packets per second that arrive at this host, window by window.
fn count(time: Duration) -> io::Result<Vec<f64>> {
    let mut rates = Vec::new();
    let (began, mut at, mut packets) = (Instant::now(), Instant::now(), received()?);
    while began.elapsed() < time {
        thread::sleep(WINDOW.saturating_sub(at.elapsed()));
        let (now, total) = (Instant::now(), received()?);
        rates.push((total - packets) as f64 / (now - at).as_secs_f64());
        (at, packets) = (now, total);
    }
    Ok(rates)
}

/// Returns the number of packets that have come in at `eth0` of this thread's namespace.
fn received() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/net/dev")?;
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("eth0:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_can_be_read() {
        assert_eq!([BEFORE, AFTER].map(|guests| guests.read().vpcs[0].routes.len()), [0, 1]);
    }

    #[test]
    fn rates_are_relative_to_the_median_before() {
        let measured = evaluate(2, &[90.0, 100.0, 110.0], &[100.0, 50.0, 80.0, 100.0], WINDOW, 2 * WINDOW);
        assert_eq!((measured.packets_per_second, measured.lowest_before, measured.lowest_after), (100.0, 0.9, 0.5));
        assert_eq!((measured.seconds_below, measured.seconds_to_apply, measured.seconds_to_decide), (0.2, 0.1, 0.2));
        assert_eq!(measured.rates, [1.0, 0.5, 0.8, 1.0]);
    }
}
