//! Reduction of a list of items that shows a failure, by delta debugging.

/// The amount of work that a reduction may still spend on tests. It is measured in items rather than seconds so that
/// the result is the same on every computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    left: u64,
}

impl Effort {
    /// Creates an effort for tests of at most this many items in total.
    pub fn items(items: u64) -> Self {
        Self { left: items }
    }

    /// Returns whether no effort is left.
    pub fn is_spent(self) -> bool {
        self.left == 0
    }

    /// Runs a test if the remaining effort permits. A test that is not permitted counts as not failing.
    pub fn fails<T>(&mut self, items: &[T], fails: &mut dyn FnMut(&[T]) -> bool) -> bool {
        if self.is_spent() {
            return false;
        }
        self.left = self.left.saturating_sub(items.len().max(1) as u64);
        fails(items)
    }
}

/// Truncates `items`, which must fail, to the shortest prefix that bisection finds to fail.
///
/// The result is minimal if every prefix that is longer than a failing one also fails; otherwise it is some failing
/// prefix.
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

/// Removes items while the rest still fails; `items` itself must fail. This is `ddmin` of Zeller and Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 2002, figure 5, without the tests of single chunks,
/// which rarely contain a failure that depends on history.
///
/// Unless the effort is spent, no single item of the result can be removed (1-minimality).
pub fn remove_items<T: Clone>(items: &mut Vec<T>, effort: &mut Effort, fails: &mut dyn FnMut(&[T]) -> bool) {
    let mut chunks = 2;
    while items.len() > 1 && !effort.is_spent() {
        chunks = chunks.min(items.len());
        let size = items.len().div_ceil(chunks);
        let mut removed = false;
        // From the back: items after the failure are not needed, whereas items before it may have caused it.
        let mut end = items.len();
        while end > 0 {
            // A remainder is at the front, so that chunks of one size are tried at all positions.
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
            // After the removal of this item, another one may have become removable: start over.
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
        fn the_result_fails_and_is_one_minimal(
            needed in prop::collection::btree_set(0u32..200, 1..6),
            length in 200u32..300,
            parity in any::<bool>(),
        ) {
            // Fails if all needed items are present and, for a non-monotone failure, the number of items is odd.
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
                prop_assert!(!fails(&fewer), "item {} of {:?} can be removed", removed, items);
            }
        }
    }

    #[test]
    fn stops_with_a_failing_result_when_effort_is_spent() {
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
