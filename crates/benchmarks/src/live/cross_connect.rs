//! The plain cross-connect: what comes in at one port goes out at the other, one call for each frame, and nothing is
//! looked at. Whatever looks at packets in a process of its own can hardly be faster by more than its calls are fewer.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read, write};

/// The most frames that are taken from one port before the other has its turn.
const BURST: usize = 64;
/// The longest frame: 64 KB of an IP packet, with an Ethernet header in front, and virtio's.
const LONGEST: usize = 65_535 + 64;

/// Connects two ports until the process is killed. A frame carries its virtio header from one to the other, so that it
/// is neither cut nor summed. A frame for which there is no room waits, and all others behind it.
pub fn run(ports: [OwnedFd; 2]) -> io::Result<()> {
    let mut frame = vec![0; LONGEST];
    loop {
        let mut is_idle = true;
        for (from, to) in [(&ports[0], &ports[1]), (&ports[1], &ports[0])] {
            for _ in 0..BURST {
                let Ok(length) = read(from, &mut frame) else { break };
                is_idle = false;
                while let Err(Errno::AGAIN | Errno::NOBUFS) = write(to, &frame[..length]) {
                    std::thread::yield_now();
                }
            }
        }
        if is_idle {
            poll(&mut ports.each_ref().map(|port| PollFd::new(port, PollFlags::IN)), None)?;
        }
    }
}
