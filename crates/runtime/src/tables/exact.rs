//! A hash table on those fields of a key that are matched exactly.

use rustc_hash::FxHashMap;

use crate::Bits;

/// The most limbs of a key that a look-up holds without allocating: 1024 bits.
const LIMBS_ON_THE_STACK: usize = 16;

/// Values by the exact fields of a key.
#[derive(Clone, Debug)]
pub(super) struct ExactMap<V> {
    /// Which fields of the key these are, with their widths.
    fields: Box<[(usize, u32)]>,
    values: Values<V>,
}

#[derive(Clone, Debug)]
enum Values<V> {
    /// There are no exact fields, so there is one value.
    One(Option<V>),
    /// All fields together have at most 128 bits, one after the other in one number.
    Packed(FxHashMap<u128, V>),
    /// The limbs of all fields, one after the other. Every key has as many of each field.
    Limbs(FxHashMap<Box<[u64]>, V>),
}

impl<V> ExactMap<V> {
    /// An empty table on the fields at these places of the key, with their widths.
    pub(super) fn new(fields: Box<[(usize, u32)]>) -> Self {
        let width: u64 = fields.iter().map(|&(_, width)| u64::from(width)).sum();
        let values = match width {
            _ if fields.is_empty() => Values::One(None),
            0..=128 => Values::Packed(FxHashMap::default()),
            _ => Values::Limbs(FxHashMap::default()),
        };
        Self { fields, values }
    }

    /// The value of a key whose field at each place is `field(place)`.
    #[inline]
    pub(super) fn get<'k>(&self, field: impl Fn(usize) -> &'k Bits) -> Option<&V> {
        match &self.values {
            Values::One(value) => value.as_ref(),
            Values::Packed(values) => values.get(&pack(&self.fields, field)),
            Values::Limbs(values) => with_limbs(&self.fields, field, |key| values.get(key)),
        }
    }

    /// The same, to change.
    pub(super) fn get_mut<'k>(&mut self, field: impl Fn(usize) -> &'k Bits) -> Option<&mut V> {
        match &mut self.values {
            Values::One(value) => value.as_mut(),
            Values::Packed(values) => values.get_mut(&pack(&self.fields, field)),
            Values::Limbs(values) => with_limbs(&self.fields, field, |key| values.get_mut(key)),
        }
    }

    /// Gives a key a value.
    pub(super) fn insert<'k>(&mut self, field: impl Fn(usize) -> &'k Bits, value: V) {
        match &mut self.values {
            Values::One(old) => *old = Some(value),
            Values::Packed(values) => _ = values.insert(pack(&self.fields, field), value),
            Values::Limbs(values) => with_limbs(&self.fields, field, |key| _ = values.insert(key.into(), value)),
        }
    }

    /// Takes a key's value away.
    pub(super) fn remove<'k>(&mut self, field: impl Fn(usize) -> &'k Bits) {
        match &mut self.values {
            Values::One(old) => *old = None,
            Values::Packed(values) => _ = values.remove(&pack(&self.fields, field)),
            Values::Limbs(values) => with_limbs(&self.fields, field, |key| _ = values.remove(key)),
        }
    }
}

#[inline]
fn pack<'k>(fields: &[(usize, u32)], field: impl Fn(usize) -> &'k Bits) -> u128 {
    fields.iter().fold(0, |packed, &(place, width)| {
        let limbs = field(place).limbs();
        let value = limbs.iter().rev().fold(0u128, |value, &limb| value.unbounded_shl(64) | u128::from(limb));
        // A single field may take all 128 bits.
        packed.unbounded_shl(width) | value
    })
}

#[inline]
fn with_limbs<'k, R>(fields: &[(usize, u32)], field: impl Fn(usize) -> &'k Bits, then: impl FnOnce(&[u64]) -> R) -> R {
    let limbs = fields.iter().flat_map(|&(place, _)| field(place).limbs());
    let count: usize = fields.iter().map(|&(_, width)| width.div_ceil(64).max(1) as usize).sum();
    if count > LIMBS_ON_THE_STACK {
        return then(&limbs.copied().collect::<Vec<u64>>());
    }
    let mut key = [0; LIMBS_ON_THE_STACK];
    key.iter_mut().zip(limbs).for_each(|(place, &limb)| *place = limb);
    then(&key[..count])
}
