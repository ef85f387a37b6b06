//! A condition on the next message of a digest.

use runtime::Bits;

use crate::{DigestNumber, Info, Leaf};

/// A condition on the next message of a digest, of those that no earlier line has looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestCheck {
    /// The digest.
    pub digest: DigestNumber,
    /// The values that the message must have, each with the place of its leaf in the digest's type; `None` if no message
    /// must be left.
    pub fields: Option<Vec<(usize, Bits)>>,
}

impl DigestCheck {
    /// Checks the next message, which has a value for each leaf of the digest's type.
    ///
    /// # Errors
    /// Returns a description of the message if it is not as it must be, or there is none.
    pub fn verify(&self, info: &Info, next: Option<&[Bits]>) -> Result<(), String> {
        let about = &info.digests[self.digest.index()];
        let name = &about.identity.name;
        let shown = |values: Vec<(usize, &Bits)>| message(&about.data_type.leaves(), &values);
        match (&self.fields, next) {
            (None, None) => Ok(()),
            (None, Some(next)) => {
                Err(format!("digest `{name}` has another message, {}", shown(next.iter().enumerate().collect())))
            }
            (Some(_), None) => Err(format!("digest `{name}` has no further message")),
            (Some(fields), Some(next)) => {
                if fields.iter().all(|(place, value)| next.get(*place) == Some(value)) {
                    return Ok(());
                }
                let expected = fields.iter().map(|(place, value)| (*place, value)).collect();
                let found = shown(next.iter().enumerate().collect());
                Err(format!("digest `{name}` has sent {found}; it must have sent {}", shown(expected)))
            }
        }
    }
}

/// Returns the name of a leaf of a digest's type. The only one of a plain type has no path.
pub(super) fn leaf_name(leaf: &Leaf) -> &str {
    if leaf.path.is_empty() { "value" } else { &leaf.path }
}

/// Formats values of a digest with the names of their leaves.
fn message(leaves: &[Leaf], values: &[(usize, &Bits)]) -> String {
    let fields = values.iter().map(|(place, value)| {
        let name = leaves.get(*place).map_or("value", leaf_name);
        format!("{name}:{value}")
    });
    format!("({})", fields.collect::<Vec<_>>().join(", "))
}
