//! Placement of indices in pipelines: random, round-robin, or optimised for a known load.

use basis::Random;
use ir::pipeline::Pipeline;

use super::parameters::{Mp5Parameters, Sharding};
use super::rules::Departure;

/// Returns the initial pipeline of each index of the sharded access with the given number.
pub(super) fn first_map(number: usize, indices: usize, parameters: &Mp5Parameters) -> Vec<u8> {
    let k = parameters.pipelines;
    match &parameters.sharding {
        Sharding::Dynamic if parameters.rules.has(Departure::FirstModulo) => modulo(indices, k),
        Sharding::Dynamic | Sharding::StaticRandom => {
            random(indices, k, &mut Random::for_part(parameters.seed, number as u64))
        }
        Sharding::StaticModulo => modulo(indices, k),
        Sharding::Fixed(maps) | Sharding::DynamicFrom(maps) => maps[number].clone(),
        Sharding::AllInOne => vec![0; indices],
    }
}

/// Returns the initial pipeline of each index for all accesses of a pipeline, in the form of [`Sharding::Fixed`]. The
/// maps of pinned accesses are meaningless and ignored.
///
/// # Panics
/// Panics if the parameters contain fewer maps than there are accesses.
pub fn first_maps(pipeline: &Pipeline, parameters: &Mp5Parameters) -> Vec<Vec<u8>> {
    let numbered = pipeline.accesses.iter().enumerate();
    numbered.map(|(number, access)| first_map(number, pipeline.indices_of(access), parameters)).collect()
}

/// Places every index in a random pipeline.
pub(super) fn random(indices: usize, pipelines: usize, random: &mut Random) -> Vec<u8> {
    (0..indices).map(|_| random.below(pipelines as u64) as u8).collect()
}

/// Places index i in pipeline i modulo k.
pub(super) fn modulo(indices: usize, pipelines: usize) -> Vec<u8> {
    (0..indices).map(|index| (index % pipelines) as u8).collect()
}

/// Returns the indices sorted by number of accesses, ascending; ties are ordered by index.
fn from_least(accesses: &[u64]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..accesses.len()).collect();
    indices.sort_by_key(|&index| accesses[index]);
    indices
}

/// Returns the worst map for a known load: the indices sorted by number of accesses, descending (ties: lower index
/// first), and divided into equal contiguous runs, so that pipeline 0 gets all the busiest ones.
pub fn sorted_worst_case(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    let mut indices: Vec<usize> = (0..accesses.len()).collect();
    indices.sort_by_key(|&index| (std::cmp::Reverse(accesses[index]), index));
    let mut map = vec![0; accesses.len()];
    for (rank, index) in indices.into_iter().enumerate() {
        map[index] = (rank * pipelines / accesses.len()) as u8;
    }
    map
}

/// Returns the worst map for a known load as the published simulator computes it ([`super::Departure::SortedRuns`]):
/// the indices sorted by number of accesses, ascending, in runs of n / k indices rounded down, of which the last one
/// gets the rest. If there are fewer than k indices, all are in pipeline 0.
pub fn sorted_runs(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    let run = accesses.len() / pipelines;
    let mut map = vec![0; accesses.len()];
    for (rank, index) in from_least(accesses).into_iter().enumerate() {
        map[index] = rank.checked_div(run).map_or(0, |pipeline| pipeline.min(pipelines - 1) as u8);
    }
    map
}

/// Places each index in turn in the pipeline with the smallest load so far, the first one if several are equal.
fn pack(accesses: &[u64], pipelines: usize, indices: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut loads = vec![0; pipelines];
    let mut map = vec![0; accesses.len()];
    for index in indices {
        let least = (0..pipelines).min_by_key(|&pipeline| loads[pipeline]).unwrap_or(0);
        loads[least] += accesses[index];
        map[index] = least as u8;
    }
    map
}

/// Returns a good map for a known load: in order of decreasing load, each index goes to the pipeline with the smallest
/// load so far. The largest load is then at most 4/3 of the optimum (Graham 1969).
pub fn packed(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    pack(accesses, pipelines, from_least(accesses).into_iter().rev())
}

/// Returns the map for a known load as the published simulator computes it ([`super::Departure::IdealPacking`]): like
/// [`packed`], but in order of increasing load.
pub fn packed_from_least(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    pack(accesses, pipelines, from_least(accesses).into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_case_gathers_the_busiest_indices() {
        assert_eq!(sorted_worst_case(&[1, 9, 5, 7], 2), [1, 0, 1, 0]);
        assert_eq!(sorted_runs(&[1, 9, 5, 7], 2), [0, 1, 0, 1]);
        // Five indices in runs of two: the last run has three. A single index for two pipelines goes to pipeline 0.
        assert_eq!(sorted_runs(&[1, 2, 3, 4, 5], 2), [0, 0, 1, 1, 1]);
        assert_eq!(sorted_runs(&[7], 2), [0]);
    }

    #[test]
    fn packing_from_the_busiest_balances_loads() {
        let accesses = [4, 3, 3, 2];
        assert_eq!(packed(&accesses, 2), [0, 1, 1, 0]);
        // First 2 and 3 in one pipeline each, then the other 3 joins the 2 and the 4 joins the 3: 5 and 7.
        assert_eq!(packed_from_least(&accesses, 2), [1, 1, 0, 0]);
    }
}
