//! The machine of a contender for one stream. No other file of this module knows parameters of machines.

use machines::mp5::{self, Blocking, Departure, Mp5, Ordering, Rules, Sharding};
use machines::recirculating;
use machines::{Device, Unsuitable};

use super::contender::{Contender, Placement};
use super::stream::{PERIOD, Stream};
use workbench::KnownLoad;

/// Returns the number of stages before the first of a stream's: by the paper's rules addresses are resolved in one
/// (section 3.3); the published simulator has none.
pub fn resolution_stages(rules: Rules) -> u32 {
    u32::from(!rules.has(Departure::ResolvedAtEntry))
}

/// Distinguishes the seeds of initial maps from those of streams.
const MAPS: u64 = 1 << 32;

/// Builds the machine of a contender for a stream: with its shape, and with maps for its loads if the contender knows
/// them.
///
/// # Errors
/// Fails if the machine cannot be built.
pub fn stream_machine(
    stream: &Stream,
    contender: &Contender,
    rules: Rules,
    seed: u64,
) -> Result<Box<dyn Device>, Unsuitable> {
    let (pipeline, binding) = (stream.pipeline(), stream.binding());
    let pipelines = stream.shape().pipelines as usize;
    let ports = u16::try_from(stream.shape().ports).unwrap_or(u16::MAX);
    // Streams are drawn from the same seeds, so the machine must draw a different sequence.
    let seed = seed.wrapping_add(MAPS);
    let plain = mp5::Mp5Parameters { pipelines, ports, seed, period: PERIOD, rules, ..mp5::Mp5Parameters::default() };
    let placed = |known: KnownLoad| known.sharding(&stream.loads(), &plain);
    let sharding = match contender {
        Contender::Ideal => placed(KnownLoad::Packed),
        Contender::NoRemapping if rules.has(Departure::SortedRuns) => placed(KnownLoad::Sorted),
        Contender::NoRemapping | Contender::Static(Placement::Random) => Sharding::StaticRandom,
        Contender::Static(Placement::Modulo) => Sharding::StaticModulo,
        Contender::Static(Placement::Sorted) => placed(KnownLoad::Sorted),
        Contender::Naive => Sharding::AllInOne,
        Contender::Mp5 | Contender::NoPhantoms | Contender::Recirculating => Sharding::Dynamic,
    };
    let ordering = if *contender == Contender::NoPhantoms { Ordering::None } else { Ordering::Phantoms };
    if *contender == Contender::Recirculating {
        let parameters = recirculating::RecirculatingParameters {
            pipelines,
            ports,
            seed,
            period: PERIOD,
            sharding,
            ..Default::default()
        };
        return Ok(Box::new(recirculating::build(&pipeline, binding, parameters)?));
    }
    let blocking = if *contender == Contender::Ideal { Blocking::PerIndex } else { Blocking::HeadOfLine };
    Ok(Box::new(Mp5::new(&pipeline, binding, mp5::Mp5Parameters { sharding, ordering, blocking, ..plain })?))
}
