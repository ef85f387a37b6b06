//! Fewer items that still show a failure: delta debugging.

/// Runs of a test that a reduction may still make: it is bounded by work, not by seconds, so that it gives the
/// same answer everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    left: u64,
}

impl Effort {
    /// Tests of at most this many items in sum.
    pub fn items(items: u64) -> Self {
        Self { left: items }
    }

    /// True if nothing may be tried any more.
    pub fn is_spent(self) -> bool {
        self.left == 0
    }

    /// Tests, if that may still be done. A test that may not is one that did not fail.
    pub fn fails<T>(&mut self, items: &[T], fails: &mut dyn FnMut(&[T]) -> bool) -> bool {
        if self.is_spent() {
            return false;
        }
        self.left = self.left.saturating_sub(items.len().max(1) as u64);
        fails(items)
    }
}

/// The shortest prefix that bisection finds to fail, `items` being known to.
///
/// Exact if every longer prefix of a failing one fails; else still a failing prefix.
pub fn shortest_prefix<T>(items: &mut Vec<T>, effort: &mut Effort, fails: &mut dyn FnMut(&[T]) -> bool) {
    let (mut passing, mut failing) = (0, items.len());
    while passing + 1 < failing && !effort.is_spent() {
        let middle = passing + (failing - passing) / 2;
        if effort.fails(&items[..middle], fails) {
            failing = middle;
        } else {
            passing = middle;
        }
    }
    items.truncate(failing);
}

/// Removes items while the rest still fails, `items` being known to: `ddmin` of Zeller and Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 2002, figure 5, without the tests of single
/// chunks, of which a failure that needs a history rarely passes one.
///
/// Unless the effort is spent, no item of the result can be removed alone (1-minimal).
pub fn remove_items<T: Clone>(items: &mut Vec<T>, effort: &mut Effort, fails: &mut dyn FnMut(&[T]) -> bool) {
    let mut chunks = 2;
    while items.len() > 1 && !effort.is_spent() {
        chunks = chunks.min(items.len());
        let size = items.len().div_ceil(chunks);
        let mut removed = false;
        // From the back: what came after the failure is of no use, what came before may have set it up.
        let mut end = items.len();
        while end > 0 {
            // A remainder is at the front, so that chunks of one size are tried wherever they lie.
            let start = end.saturating_sub(size);
            let rest: Vec<T> = items[..start].iter().chain(&items[end..]).cloned().collect();
            if !rest.is_empty() && effort.fails(&rest, fails) {
                *items = rest;
                removed = true;
            }
            end = start;
        }
        if !removed && size == 1 {
            return;
        }
        if !removed {
            chunks = (2 * chunks).min(items.len());
        } else if size == 1 {
            // Without this item another one may have become removable: go through all once more.
            chunks = items.len().max(1);
        } else {
            chunks = chunks.saturating_sub(1).max(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn what_is_left_fails_and_is_one_minimal(
            needed in prop::collection::btree_set(0u32..200, 1..6),
            length in 200u32..300,
            parity in any::<bool>(),
        ) {
            // Fails if all needed items are there and, not monotone, the number of items is odd if need be.
            let mut fails = |items: &[u32]| {
                needed.iter().all(|item| items.contains(item)) && (!parity || items.len() % 2 == length as usize % 2)
            };
            let mut items: Vec<u32> = (0..length).collect();
            let mut effort = Effort::items(1_000_000);
            shortest_prefix(&mut items, &mut effort, &mut fails);
            remove_items(&mut items, &mut effort, &mut fails);
            prop_assert!(!effort.is_spent());
            prop_assert!(fails(&items));
            prop_assert!(items.windows(2).all(|pair| pair[0] < pair[1]), "the order stays");
            for removed in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(removed);
                prop_assert!(!fails(&fewer), "item {} of {:?} could go", removed, items);
            }
        }
    }

    #[test]
    fn a_spent_effort_ends_with_what_still_fails() {
        let mut runs = 0;
        let mut fails = |items: &[u32]| {
            runs += 1;
            items.contains(&3) && items.contains(&900)
        };
        let mut items: Vec<u32> = (0..1000).collect();
        let mut effort = Effort::items(5_000);
        remove_items(&mut items, &mut effort, &mut fails);
        assert!(effort.is_spent() && items.contains(&3) && items.contains(&900) && items.len() < 1000);
        assert!(runs < 1000);
    }
}
