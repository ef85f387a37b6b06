//! What a service manager is told that has started the process, such as systemd: that the switch runs, and which process has taken
//! over (sd_notify(3)). Where none has, nobody is told.

use sd_notify::NotifyState;

/// Returns true if a service manager waits for messages of this process.
pub fn is_there() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some()
}

/// Tells it that the switch passes packets on.
pub fn tell_ready() {
    tell(NotifyState::Ready);
}

/// Tells it that another process is the switch from now on. Otherwise the end of this one would be that of the service, and the new
/// switch would be stopped with it.
pub(crate) fn tell_successor(process: u32) {
    tell(NotifyState::MainPid(process));
}

fn tell(state: NotifyState<'_>) {
    // Whoever does not listen any more misses nothing.
    let _ = sd_notify::notify(&[state]);
}
