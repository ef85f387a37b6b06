//! Measures every path in turn, repeatedly, and compares those of one round.

use std::time::{Duration, Instant};

use diagnostics::Failure;
use files::console;

use super::guests::{self, Guests};
use super::host::Host;
use super::open_vswitch::{self, Ports};
use super::path::Path;
use super::router::{PROGRAM, Size};
use super::switch_process::SwitchProcess;
use super::workloads::{Figures, Servers};
use super::{LivePlan, MeasuredLive, MeasuredPath};
use crate::statistics;

/// The time for which an idle switch is watched.
const IDLE: Duration = Duration::from_secs(2);

/// Runs the plan in this thread's namespace.
///
/// # Errors
/// If a path cannot be set up, or carries nothing.
pub fn measure(plan: &LivePlan) -> Result<MeasuredLive, Failure> {
    let paths = paths(plan);
    let [client, server] = Host::silent_pair()?;
    let failed = |error: std::io::Error| Failure::plain(format!("the servers cannot be started: {error}"));
    let servers = Servers::start(&server).map_err(failed)?;
    let mut rounds: Vec<Vec<(Figures, Option<f64>)>> = Vec::new();
    for round in 1..=plan.rounds {
        let mut measured = Vec::new();
        for path in &paths {
            console::tell(&format!("round {round} of {}: {} …\n", plan.rounds, path.name()));
            measured.push(measure_path(path, plan, &client, &server, &servers)?);
        }
        rounds.push(measured);
    }
    let idle_percent = match paths.iter().find(|path| matches!(path, Path::Polyplane(..))) {
        Some(path) => idle_percent(path, &client, &server, &servers)?,
        None => None,
    };
    let results = (0..paths.len()).map(|at| {
        let peer = peer(&paths, at);
        let own = |round: &Vec<(Figures, _)>| round[at].0.all();
        let ratios = |round: &Vec<(Figures, _)>| {
            let (own, peers) = (round[at].0.all(), round[peer].0.all());
            std::array::from_fn(|figure| own[figure] / peers[figure])
        };
        MeasuredPath {
            path: paths[at].name().to_owned(),
            median: medians(rounds.iter().map(own).collect()),
            against_peer: medians(rounds.iter().map(ratios).collect()),
            peer: paths[peer].name().to_owned(),
            cores: median(rounds.iter().filter_map(|round| round[at].1).collect()),
            rounds: rounds.iter().map(|round| round[at].0).collect(),
        }
    });
    Ok(MeasuredLive { paths: results.collect(), idle_percent })
}

/// Returns the paths of a round, in their order.
fn paths(plan: &LivePlan) -> Vec<Path> {
    let mut paths = vec![Path::Direct, Path::Bridge, Path::CrossConnect, Path::Taps];
    if let Some(binary) = &plan.polyplane {
        let with_xdp = guests::takes_xdp(binary);
        let guests = Guests::ALL.into_iter().filter(|guests| with_xdp || !guests.reads_whole_frames());
        paths.extend(guests.map(|guests| Path::Vswitch(binary.clone(), guests)));
        paths.extend([Path::KernelOverlay, Path::Overlay(binary.clone())]);
    }
    if open_vswitch::is_installed() {
        let ports = [Ports::PacketSockets, Ports::XdpNative, Ports::XdpGeneric];
        paths.extend(ports.map(Path::OpenVswitch));
    }
    if !std::path::Path::new(PROGRAM).is_file() {
        console::tell(&format!("skipping routers: they need {PROGRAM} of Polyplane's sources\n"));
        return paths;
    }
    if let Some(binary) = &plan.polyplane {
        let sizes = [Size::USUAL, Size::MORE_ROUTES, Size::MORE_PORTS];
        paths.extend(sizes.map(|size| Path::Polyplane(binary.clone(), size)));
    }
    paths.extend(plan.bmv2.clone().map(Path::Bmv2));
    paths
}

/// Returns the index of the path with which one is compared: larger routers with the usual one, everything else with
/// the plain cross-connect.
fn peer(paths: &[Path], at: usize) -> usize {
    let is_peer = |path: &Path| match &paths[at] {
        Path::Vswitch(_, guests) if !guests.path.is_empty() || guests.routes > 0 => {
            let usual = Guests { interfaces: guests.interfaces, ..Guests::USUAL };
            matches!(path, Path::Vswitch(_, other) if Guests { name: usual.name, ..*other } == usual)
        }
        Path::Overlay(_) => *path == Path::KernelOverlay,
        Path::Polyplane(_, size) if *size != Size::USUAL => matches!(path, Path::Polyplane(_, Size::USUAL)),
        _ => *path == Path::CrossConnect,
    };
    paths.iter().position(is_peer).expect("each round has both")
}

fn measure_path(
    path: &Path,
    plan: &LivePlan,
    client: &Host,
    server: &Host,
    servers: &Servers,
) -> Result<(Figures, Option<f64>), Failure> {
    let failed = |error: std::io::Error| Failure::plain(format!("nothing gets through ({}): {error}", path.name()));
    let mut connected = path.connect(client, server)?;
    let waited = servers.wait(client);
    connected.switches.iter_mut().try_for_each(SwitchProcess::check)?;
    waited.map_err(failed)?;
    let (before, began) = (connected.processor_time(), Instant::now());
    let figures = servers.measure(client, Duration::from_secs_f64(plan.seconds)).map_err(failed)?;
    let elapsed = began.elapsed().as_nanos() as f64;
    let cores = connected.processor_time().zip(before).map(|(after, before)| (after - before) as f64 / elapsed);
    connected.remove(client);
    Ok((figures, cores))
}

/// Returns the part of a core in percent that a switch uses while the hosts are silent.
fn idle_percent(path: &Path, client: &Host, server: &Host, servers: &Servers) -> Result<Option<f64>, Failure> {
    let connected = path.connect(client, server)?;
    servers.wait(client).map_err(|error| Failure::plain(format!("nothing gets through: {error}")))?;
    let before = connected.processor_time();
    std::thread::sleep(IDLE);
    let percent = connected
        .processor_time()
        .zip(before)
        .map(|(after, before)| 100.0 * (after - before) as f64 / IDLE.as_nanos() as f64);
    connected.remove(client);
    Ok(percent)
}

/// Returns the median of each figure.
fn medians(rounds: Vec<[f64; 4]>) -> Figures {
    let of_figure = |figure: usize| rounds.iter().map(|round| round[figure]).collect();
    Figures::of(std::array::from_fn(|figure| median(of_figure(figure)).unwrap_or_default()))
}

/// Returns the median of values, if there are any.
fn median(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| statistics::median(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_taken_of_each_figure_alone() {
        let rounds = vec![[1.0, 40.0, 7.0, 0.0], [3.0, 20.0, 8.0, 0.0], [2.0, 30.0, 9.0, 6.0]];
        assert_eq!(medians(rounds.clone()).all(), [2.0, 30.0, 8.0, 0.0]);
        assert_eq!(medians(rounds[..2].to_vec()).all(), [2.0, 30.0, 7.5, 0.0]);
    }

    #[test]
    fn larger_routers_are_compared_with_the_usual_one() {
        let binary = || "polyplane".into();
        let paths = [
            Path::Direct,
            Path::CrossConnect,
            Path::Polyplane(binary(), Size::USUAL),
            Path::Polyplane(binary(), Size::MORE_PORTS),
            Path::Bmv2(binary()),
        ];
        assert_eq!([0, 1, 2, 3, 4].map(|at| peer(&paths, at)), [1, 1, 1, 2, 1]);
    }
}
