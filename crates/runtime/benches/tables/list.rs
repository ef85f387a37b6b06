//! The baseline for tables in which several entries can match: a list in winning order.

use std::cmp::Reverse;

use runtime::tables::{FieldMatch, KeyField};

/// A condition on one word of a key.
enum Test {
    Mask { word: usize, value: u64, mask: u64 },
    Range { word: usize, low: u64, high: u64 },
}

/// Rules in winning order, for keys whose fields have at most 64 bits.
pub struct List {
    rules: Vec<Vec<Test>>,
}

impl List {
    pub fn new(fields: &[KeyField], entries: &[(Vec<FieldMatch>, u32)]) -> Self {
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_by_key(|(_, priority)| Reverse(*priority));
        let test = |(word, (asked, field)): (usize, (&FieldMatch, &KeyField))| {
            let ones = u64::MAX >> (64 - field.width);
            Some(match asked {
                FieldMatch::Any => return None,
                FieldMatch::Exact(value) => Test::Mask { word, value: value.low(), mask: ones },
                FieldMatch::Prefix { value, length } => {
                    Test::Mask { word, value: value.low(), mask: ones & !ones.unbounded_shr(*length) }
                }
                FieldMatch::Mask { value, mask } => Test::Mask { word, value: value.low(), mask: mask.low() },
                FieldMatch::Range { low, high } => Test::Range { word, low: low.low(), high: high.low() },
            })
        };
        let rules = sorted.iter().map(|(key, _)| key.iter().zip(fields).enumerate().filter_map(test).collect());
        Self { rules: rules.collect() }
    }

    pub fn lookup(&self, key: &[u64]) -> Option<usize> {
        let holds = |test: &Test| match test {
            Test::Mask { word, value, mask } => key[*word] & mask == *value,
            Test::Range { word, low, high } => (*low..=*high).contains(&key[*word]),
        };
        self.rules.iter().position(|rule| rule.iter().all(holds))
    }
}
