//! Whether a virtual switch can start on this computer.

use diagnostics::Failure;
use live::{Claim, Options};
use vswitch::configuration::Reading;

use crate::claims::Claims;
use crate::notes;

/// Checks that every interface of a configuration can be opened by this process and that its files of keys can be read, without
/// touching anything. Returns what is allowed and may not be meant, a sentence each: interfaces that will be made, because they are not
/// there, and interfaces that pass shorter packets than the configuration says.
///
/// # Errors
/// Fails with every interface that cannot and every file, each at its place in the configuration.
pub fn check(reading: &Reading) -> Result<Vec<String>, Failure> {
    crate::keys::load(&mut reading.clone())?;
    crate::xdp::check(reading)?;
    let (mut claims, mut found) = (Vec::<Claim>::new(), Vec::new());
    let mut taken = Claims::default();
    for (number, name) in reading.interface_names().enumerate() {
        match live::check(name, &Options::default()).and_then(|own| taken.take(name).map(|()| own)) {
            Ok(own) => {
                if let Some(taken) = own.iter().find(|claim| claims.iter().any(|other| other.conflicts_with(claim))) {
                    found.push((number, format!("{taken} is used twice"), "each needs one of its own".to_owned()));
                }
                claims.extend(own);
            }
            Err(unusable) => found.push((number, unusable.message, unusable.hint)),
        }
    }
    reading.refuse_interfaces(found)?;
    Ok(notes::of_interfaces(reading, |_| false))
}
