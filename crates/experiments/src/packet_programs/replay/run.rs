//! Packets of captures, one after the other, through a switch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use control::{DigestNumber, Request, Response};
use measure::Interest;
use node::{Burst, Node, Outbox};

use super::files::ResultFolder;
use super::input::{CaptureInput, Pace, Packets};
use super::names::is_result;
use super::result::ReplayOutcome;
use crate::failure::Failure;
use crate::output_folder::{Finished, OutputFolder};
use crate::packet_programs::words::counted;
use crate::packet_programs::{Entries, Observed, PacketProgram, PacketSwitch, SwitchOptions, build_switch, check_port};

/// What is run.
pub struct Replay<'r> {
    /// The program.
    pub program: &'r PacketProgram,
    /// What fills its tables.
    pub entries: Entries,
    /// The packets.
    pub captures: Vec<CaptureInput>,
    /// When they come.
    pub pace: Pace,
    /// How many at the most.
    pub packets: Option<u64>,
    /// The switch.
    pub options: SwitchOptions,
}

/// Runs it; with a folder, what came out is written there. Says which files those are, and which of an earlier run are
/// still there.
///
/// # Errors
/// Captures that cannot be read or come in on no port of the switch, entries that the switch refuses, a folder that
/// cannot be written or whose results would take the place of what is read. Then the folder holds nothing of this run.
pub fn replay_into(plan: Replay<'_>, folder: Option<&Path>) -> Result<(ReplayOutcome, Finished), Failure> {
    // Before anything else: whether it can be written does not depend on what comes of the run.
    let folder = folder.map(|path| OutputFolder::take(path, is_result)).transpose()?;
    if let Some(folder) = &folder {
        let texts = plan.program.inputs.iter().map(|(name, _)| &**name);
        let texts = texts.chain(plan.entries.inputs().map(|(name, _)| name)).map(Path::new);
        folder.refuse_inputs(texts.chain(plan.captures.iter().map(|capture| &*capture.path)))?;
    }
    let mut switch = build_switch(plan.program, &plan.options)?;
    plan.captures.iter().try_for_each(|capture| check_port(&switch, capture.port))?;
    plan.entries.clone().apply(&mut switch)?;
    let mut packets = Packets::open(&plan.captures, plan.pace)?;
    let start = packets.start();
    let mut files = folder.map(|folder| ResultFolder::new(folder, start));
    let mut outcome = ReplayOutcome {
        program: plan.program.program.name.clone(),
        last_arrival: 0,
        statistics: Default::default(),
        ports: BTreeMap::new(),
        digests: BTreeMap::new(),
    };
    let mut out = Outbox::new(Interest::default());
    let mut burst = Burst::new();
    let mut id = 0;
    while plan.packets.is_none_or(|most| id < most)
        && let Some(mut offered) = packets.next()?
    {
        offered.packet.sidecar.id = id;
        offered.packet.sidecar.arrival = offered.at;
        id += 1;
        outcome.last_arrival = offered.at.microseconds();
        let port = outcome.ports.entry(offered.port.0).or_default();
        port.packets_in += 1;
        port.bytes_in += offered.packet.len() as u64;
        burst.push(offered.packet);
        out.begin(offered.at);
        switch.receive(offered.at, offered.port, &mut burst, &mut out);
        out.discarded.clear();
        for transmission in out.transmissions.drain(..) {
            let port = outcome.ports.entry(transmission.port.0).or_default();
            port.packets_out += 1;
            port.bytes_out += transmission.packet.len() as u64;
            if let Some(files) = &mut files {
                files.packet(&transmission);
            }
        }
        take_digests(&mut switch, offered.at.microseconds(), &mut outcome, files.as_mut())?;
    }
    outcome.statistics = switch.statistics().clone();
    debug_assert!(outcome.is_conserved(), "packets were lost or made: {:?}", outcome.statistics);
    let written = match files {
        Some(files) => {
            let mut finished = files.finish(&mut switch, &outcome, super::described::manifest(&plan, &packets))?;
            finished.written.sort();
            finished
        }
        None => Finished::default(),
    };
    Ok((outcome, written))
}

/// The same as [`replay_into`], for whoever wants to know only which files were written.
///
/// # Errors
/// Those of [`replay_into`].
pub fn replay(plan: Replay<'_>, folder: Option<&Path>) -> Result<(ReplayOutcome, Vec<PathBuf>), Failure> {
    replay_into(plan, folder).map(|(outcome, finished)| (outcome, finished.written))
}

/// The packet of a number, from 1, of a capture; those before it have gone through the switch by then.
///
/// # Errors
/// A capture that cannot be read, has fewer packets, or comes in on no port of the switch.
pub fn nth_packet(
    switch: &mut PacketSwitch,
    capture: CaptureInput,
    pace: Pace,
    number: u64,
) -> Result<Observed, Failure> {
    check_port(switch, capture.port)?;
    let name = capture.path.display().to_string();
    let mut packets = Packets::open(&[capture], pace)?;
    let mut out = Outbox::new(Interest::default());
    for before in 1.. {
        let Some(mut offered) = packets.next()? else {
            let has = counted(before - 1, "packet");
            return Err(Failure::plain(format!("{name} has {has}, and no packet {number}")));
        };
        if before == number {
            return Ok(Observed { number, port: offered.port.0, at: offered.at, packet: offered.packet });
        }
        offered.packet.sidecar.arrival = offered.at;
        out.begin(offered.at);
        switch.receive(offered.at, offered.port, &mut vec![offered.packet], &mut out);
        out.discarded.clear();
        out.transmissions.clear();
    }
    unreachable!("numbers do not end before packets do")
}

/// Digests go to their file in the order of packets.
fn take_digests(
    switch: &mut PacketSwitch,
    time: u64,
    outcome: &mut ReplayOutcome,
    mut files: Option<&mut ResultFolder>,
) -> Result<(), Failure> {
    if switch.statistics().digests == outcome.digests.values().sum::<u64>() {
        return Ok(());
    }
    let info = switch.info().clone();
    for (number, digest) in info.digests.iter().enumerate() {
        let taken = switch.control(&Request::TakeDigests(DigestNumber::from(number)));
        let Ok(Response::Digests(messages)) = taken else { continue };
        *outcome.digests.entry(digest.identity.name.clone()).or_default() += messages.len() as u64;
        if let Some(files) = &mut files {
            messages.iter().for_each(|message| files.digest(time, digest, message));
        }
    }
    Ok(())
}
