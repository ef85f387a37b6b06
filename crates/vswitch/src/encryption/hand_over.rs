//! The numbers of encrypted tunnels, for another process that goes on with them: it accepts no packet that has come already, and uses
//! no number that was used.

use super::associations::Associations;
use super::window::Window;
use crate::configuration::{address, number};
use crate::handover::{HandedNumbers, HandedWindow};

impl Associations {
    /// Returns what has come with each key of another switch.
    pub fn windows(&self) -> impl Iterator<Item = HandedWindow> {
        self.receivers.iter().filter_map(|receiver| {
            let (greatest, seen) = receiver.window.parts();
            let (peer, index) = (number(receiver.peer), receiver.key.index);
            let fingerprint = receiver.key.fingerprint();
            let handed = HandedWindow { peer, vni: receiver.vni, index, fingerprint, greatest, seen };
            (greatest > 0).then_some(handed)
        })
    }

    /// Returns what was sent with each key of this switch.
    pub fn numbers(&self) -> impl Iterator<Item = HandedNumbers> {
        self.senders.iter().filter_map(|(vni, sender)| {
            let sender = sender.as_ref()?;
            let fingerprint = sender.key.fingerprint();
            Some(HandedNumbers {
                vni: *vni,
                index: sender.key.index,
                fingerprint,
                next: sender.next,
                sent: sender.sent,
            })
        })
    }

    /// Goes on with what has come at another process, and with the numbers that it has used, where the keys are the same.
    pub fn resume(&mut self, windows: &[HandedWindow], numbers: &[HandedNumbers]) {
        for handed in windows {
            let Some(&place) = self.places.get(&(address(handed.peer), handed.index)) else { continue };
            let receiver = &mut self.receivers[place];
            let is_same = receiver.vni == handed.vni && receiver.key.fingerprint() == handed.fingerprint;
            if let Some(window) = Window::of(handed.greatest, handed.seen).filter(|_| is_same) {
                receiver.window = window;
            }
        }
        for handed in numbers {
            let Some(Some(sender)) = self.senders.get_mut(&handed.vni) else { continue };
            if sender.key.index == handed.index && sender.key.fingerprint() == handed.fingerprint {
                sender.next = sender.next.max(handed.next);
                sender.sent = handed.sent;
            }
        }
    }
}
