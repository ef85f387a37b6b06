//! The files of keys for encrypted tunnels.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use diagnostics::Failure;
use files::PlanText;
use vswitch::configuration::{Configuration, Reading};
use vswitch::encryption::{Clash, InboundKey, Key, Keys, clashes};

/// The most bytes of a file of keys.
const LONGEST_FILE: u64 = 1 << 20;
/// The bits of a file's mode that let somebody else than its owner read or write it.
const OTHERS: u32 = 0o077;

/// Reads the files of keys that a configuration names. A relative path begins in the folder of the configuration's own file.
///
/// # Errors
/// Fails with every file that cannot be used, or not beside another one, at its place in the configuration, or with what is wrong with
/// the keys in one.
pub(crate) fn load(reading: &mut Reading) -> Result<(), Failure> {
    let folder = Path::new(reading.source().0).parent().map(Path::to_owned).unwrap_or_default();
    let (mut found, mut loaded) = (Vec::new(), Vec::new());
    for (number, encryption) in reading.configuration.encryptions.iter().enumerate() {
        let path = folder.join(&encryption.file);
        match text_of(&path) {
            Ok((text, first)) => {
                let name = encryption.file.clone();
                let plan = PlanText { name, path: path.display().to_string(), text, folder: PathBuf::new() };
                loaded.push(Arc::new(Keys::read(&plan, first)?));
            }
            Err((message, hint)) => found.push((number, format!("`{}`: {message}", path.display()), hint.to_owned())),
        }
    }
    reading.refuse_keys(found)?;
    let encryptions = &reading.configuration.encryptions;
    let vpcs = &reading.configuration.vpcs;
    let clash = |(number, earlier, clash): (usize, usize, Clash)| {
        let [file, other]: [&str; 2] = [number, earlier].map(|number| &*encryptions[number].file);
        let vpc = vpcs.iter().find(|vpc| vpc.vni == encryptions[earlier].vni).map_or("", |vpc| &vpc.name);
        let (what, hint) = match clash {
            Clash::Key => {
                let hint = "each VPC counts the initialization vectors of its keys by itself, and using one twice gives the key away";
                ("a key".to_owned(), format!("give each VPC keys of its own: {hint}"))
            }
            Clash::Index(peer, index) => {
                let hint = "give each key of a sender an index of its own, whatever VPC it is for";
                (format!("a key of {peer} with the index {index}"), hint.to_owned())
            }
        };
        (number, format!("`{file}` has {what} that `{other}` of the VPC `{vpc}` has too"), hint)
    };
    reading.refuse_keys(clashes(&loaded).into_iter().map(clash).collect())?;
    for (encryption, keys) in reading.configuration.encryptions.iter_mut().zip(loaded) {
        encryption.keys = Some(keys);
    }
    Ok(())
}

/// Returns which keys are other ones in another configuration, by their indices: a line for each VPC whose keys have changed.
pub(crate) fn difference(before: &Configuration, after: &Configuration) -> Vec<String> {
    let mut lines = Vec::new();
    for new in &after.encryptions {
        let Some(old) = before.encryptions.iter().find(|old| old.vni == new.vni) else { continue };
        let (Some(old), Some(keys)) = (&old.keys, &new.keys) else { continue };
        if (&old.outbound, &old.inbound) != (&keys.outbound, &keys.inbound) {
            let vpc = after.vpcs.iter().find(|vpc| vpc.vni == new.vni).map_or("", |vpc| &vpc.name);
            lines.push(format!("~ keys of vpc `{vpc}`: {} -> {}", indices(old, old), indices(keys, old)));
        }
    }
    lines
}

/// Returns the indices of keys: of the one that is sent with, and of those that are accepted. Of each it is said what is other than with the
/// key that has had its index before.
fn indices(keys: &Keys, before: &Keys) -> String {
    let inbound = keys.inbound.iter().map(|InboundKey { peers, key }| {
        let is_of_sender = |other: &&InboundKey| other.peers.iter().any(|peer| peers.contains(peer));
        let mut of_sender = before.inbound.iter().filter(is_of_sender).map(|other| &other.key);
        let old = of_sender.find(|other| other.index == key.index);
        let peers: Vec<String> = peers.iter().map(ToString::to_string).collect();
        format!("{} from {}{}", key.index, peers.join(" and "), changed(key, old))
    });
    let inbound: Vec<String> = inbound.collect();
    let own = Some(&before.outbound).filter(|old| old.index == keys.outbound.index);
    let accepted = if inbound.is_empty() { "nothing".to_owned() } else { inbound.join(", ") };
    format!("sends with {}{}, accepts {accepted}", keys.outbound.index, changed(&keys.outbound, own))
}

/// Returns what is other about a key than about the one that has had its index before, without showing either.
fn changed(key: &Key, old: Option<&Key>) -> &'static str {
    match old {
        Some(old) if !key.has_bytes_of(old) => " (another key)",
        Some(old) if key.is_extended && !old.is_extended => " (now with extended sequence numbers)",
        Some(old) if !key.is_extended && old.is_extended => " (now without extended sequence numbers)",
        _ => "",
    }
}

/// Returns the text of a file of keys, and the first initialization vector to use with them: the nanoseconds since 1970, which are more
/// than were used before, for fewer packets than one in a nanosecond are sent.
fn text_of(path: &Path) -> Result<(String, u64), (String, &'static str)> {
    let cannot = |error: io::Error| (format!("the keys cannot be read: {error}"), "");
    // What is looked at is what is read, whatever takes its place meanwhile.
    if !fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(("this is no file".to_owned(), "keys stand in a file of their own"));
    }
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    let mode = metadata.mode();
    if mode & OTHERS != 0 {
        let message = format!("others than its owner may use the keys: its mode is {:03o}", mode & 0o777);
        return Err((message, "chmod 600"));
    }
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own && metadata.uid() != 0 {
        return Err((format!("the keys belong to user {}", metadata.uid()), "the switch's own user or root owns them"));
    }
    if metadata.len() > LONGEST_FILE {
        return Err((format!("a file of keys has at most {LONGEST_FILE} bytes"), ""));
    }
    let mut text = String::new();
    file.take(LONGEST_FILE).read_to_string(&mut text).map_err(cannot)?;
    let since_1970 = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let now = since_1970(SystemTime::now());
    if now <= metadata.modified().map(since_1970).unwrap_or(0) {
        let hint = "set the clock: initialization vectors count from it, and must never be used twice with a key";
        return Err(("the keys are younger than this computer's clock says it is".to_owned(), hint));
    }
    Ok((text, now))
}
