//! Where indices can lie: at random, in turn, and for a load that is known beforehand.

use basis::Random;
use ir::pipeline::Pipeline;

use super::parameters::{Parameters, Sharding};
use super::rules::Departure;

/// Where the indices of an access of a pipeline lie at first, by the number of the access, if it is sharded.
pub(super) fn first_map(number: usize, indices: usize, parameters: &Parameters) -> Vec<u8> {
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

/// Where the indices of all accesses of a pipeline lie at first; for [`Sharding::Fixed`]. What is pinned lies elsewhere,
/// and its map is not looked at.
///
/// Panics if the parameters have maps of their own which do not fit.
pub fn first_maps(pipeline: &Pipeline, parameters: &Parameters) -> Vec<Vec<u8>> {
    let numbered = pipeline.accesses.iter().enumerate();
    numbered.map(|(number, access)| first_map(number, pipeline.indices_of(access), parameters)).collect()
}

/// Every index in a pipeline drawn at random.
pub(super) fn random(indices: usize, pipelines: usize, random: &mut Random) -> Vec<u8> {
    (0..indices).map(|_| random.below(pipelines as u64) as u8).collect()
}

/// Index i in pipeline i modulo k.
pub(super) fn modulo(indices: usize, pipelines: usize) -> Vec<u8> {
    (0..indices).map(|index| (index % pipelines) as u8).collect()
}

/// The indices by how often they are accessed, least often first; of equal ones the lower index first.
fn from_least(accesses: &[u64]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..accesses.len()).collect();
    indices.sort_by_key(|&index| accesses[index]);
    indices
}

/// The worst map for a load that is known beforehand: the indices sorted by how often they are accessed, most
/// often first (ties: lower index first), and dealt out in equal runs, so that pipeline 0 gets all the busy ones.
pub fn sorted_worst_case(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    let mut indices: Vec<usize> = (0..accesses.len()).collect();
    indices.sort_by_key(|&index| (std::cmp::Reverse(accesses[index]), index));
    let mut map = vec![0; accesses.len()];
    for (rank, index) in indices.into_iter().enumerate() {
        map[index] = (rank * pipelines / accesses.len()) as u8;
    }
    map
}

/// The same as the published simulator has it ([`super::Departure::SortedRuns`]): least often first, in runs of
/// n / k indices rounded down, of which the last gets the rest; all in pipeline 0 if there are fewer than k.
pub fn sorted_runs(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    let run = accesses.len() / pipelines;
    let mut map = vec![0; accesses.len()];
    for (rank, index) in from_least(accesses).into_iter().enumerate() {
        map[index] = rank.checked_div(run).map_or(0, |pipeline| pipeline.min(pipelines - 1) as u8);
    }
    map
}

/// The next index to the pipeline with the smallest load, the first of several.
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

/// A good map for a load that is known beforehand: from the busiest index to the least busy one, each to the
/// pipeline with the smallest load. The largest load is then at most 4/3 of the least possible (Graham 1969).
pub fn packed(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    pack(accesses, pipelines, from_least(accesses).into_iter().rev())
}

/// The same as the published simulator has it ([`super::Departure::IdealPacking`]): from the least busy index on.
pub fn packed_from_least(accesses: &[u64], pipelines: usize) -> Vec<u8> {
    pack(accesses, pipelines, from_least(accesses).into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_case_gathers_the_busy_indices() {
        assert_eq!(sorted_worst_case(&[1, 9, 5, 7], 2), [1, 0, 1, 0]);
        assert_eq!(sorted_runs(&[1, 9, 5, 7], 2), [0, 1, 0, 1]);
        // Five indices in runs of two: the last run has three. One index for two pipelines: pipeline 0.
        assert_eq!(sorted_runs(&[1, 2, 3, 4, 5], 2), [0, 0, 1, 1, 1]);
        assert_eq!(sorted_runs(&[7], 2), [0]);
    }

    #[test]
    fn packing_from_the_busiest_evens_loads_out() {
        let accesses = [4, 3, 3, 2];
        assert_eq!(packed(&accesses, 2), [0, 1, 1, 0]);
        // 2 and 3 one each, the other 3 to the 2, then 4 to the 3: 5 and 7.
        assert_eq!(packed_from_least(&accesses, 2), [1, 1, 0, 0]);
    }
}
