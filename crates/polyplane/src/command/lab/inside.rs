//! Commands in hosts.

use std::os::unix::process::CommandExt;

use polyplane::Failure;
use polyplane::rooms::lab::{Lab, command};

/// Replaces this process by a command in a host, so that its signals and its exit status are the command's own.
pub fn run(lab: &Lab, node: &str, words: &[String]) -> Result<u8, Failure> {
    // The parser of the command line requires a word.
    let (program, arguments) = words.split_first().map_or(("true", words), |(program, rest)| (program.as_str(), rest));
    let error = command(lab, node, program)?.args(arguments).exec();
    Err(Failure::plain(format!("cannot run `ip netns exec`: {error}")))
}

/// Replaces this process by a shell in a host, whose prompt in Debian's shells begins with the name of the host.
pub fn shell(lab: &Lab, node: &str) -> Result<u8, Failure> {
    let shell = std::env::var("SHELL").ok().filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".to_owned());
    let error = command(lab, node, &shell)?.env("debian_chroot", node).exec();
    Err(Failure::plain(format!("cannot run `ip netns exec`: {error}")))
}
