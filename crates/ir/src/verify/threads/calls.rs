//! Verification of how deep subroutines call each other.

use super::super::item::{Findings, Item};
use crate::Threads;
use crate::threads::{InstructionId, MAX_CALLS, Next};

/// Reports each call that is reached when as many calls as possible have not returned. Jumps to computed instructions are
/// not followed; a thread that exceeds the depth by one ends at run time.
pub(super) fn calls(threads: &Threads, findings: &mut Findings) {
    // A jump can lead to every instruction, so each may be reached without a call.
    let mut depths = vec![0; threads.instructions.len()];
    let mut open: Vec<usize> = (0..depths.len()).collect();
    while let Some(place) = open.pop() {
        let depth = depths[place];
        let mut reach = |id: InstructionId, depth: usize| {
            if let Some(known) = depths.get_mut(id.index())
                && *known < depth
            {
                *known = depth;
                open.push(id.index());
            }
        };
        for next in threads.instructions[place].branch.ways() {
            match next {
                Next::Goto(to) => reach(*to, depth),
                Next::Call { to, then } => {
                    reach(*then, depth);
                    // Deeper calls are reported, and followed no further.
                    reach(*to, (depth + 1).min(MAX_CALLS));
                }
                Next::Jump(_) | Next::Return | Next::End => (),
            }
        }
    }
    for (number, instruction) in threads.instructions.iter().enumerate() {
        let ways = instruction.branch.ways().enumerate();
        for (place, _) in ways.filter(|(_, next)| matches!(next, Next::Call { .. })) {
            if depths[number] == MAX_CALLS {
                let message = format!("subroutines call each other more than {MAX_CALLS} deep here");
                findings.push(Item::Way(InstructionId::from(number), place), message);
            }
        }
    }
}
