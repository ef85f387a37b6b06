//! A machine of QEMU with one network card.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::machines::archive::Kit;
use crate::machines::console::Console;

/// A running machine with the addresses 10.0.1.N and fd00::N. It is killed when this is dropped.
pub struct Machine {
    child: Child,
    console: Console,
    number: u8,
}

/// Returns the name of what runs the instructions of a machine. `/dev/kvm` is there as well on virtual machines whose kernel interprets
/// the instructions of most guests, which takes longer than if QEMU does.
pub fn accelerator() -> &'static str {
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let has_hardware = flags.split_whitespace().any(|flag| ["vmx", "svm"].contains(&flag));
    let may_use = fs::OpenOptions::new().read(true).write(true).open("/dev/kvm").is_ok();
    if has_hardware && may_use { "kvm" } else { "tcg" }
}

impl Machine {
    /// Starts a machine whose network card has properties (those of QEMU's `virtio-net-pci`) and is a guest of the switch by a socket, which
    /// is either's by options of QEMU. It boots meanwhile.
    pub fn start(kit: &Kit, number: u8, (socket, whose): (&Path, &str), properties: &str) -> Self {
        let mut command = Command::new("qemu-system-x86_64");
        let accelerator = accelerator();
        // QEMU 7.2 ends with a segmentation fault when a vhost-user card has interrupts by messages (MSI-X) and QEMU runs the
        // instructions itself: it asks KVM to deliver them.
        let (processor, interrupts) = if accelerator == "kvm" { ("host", "") } else { ("max", ",vectors=0") };
        command.args(["-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio"]);
        command.args(["-accel", accelerator, "-cpu", processor, "-m", "160M"]);
        command.args(["-object", "memory-backend-memfd,id=ram,size=160M,share=on,seal=on", "-numa", "node,memdev=ram"]);
        command.arg("-chardev").arg(format!("socket,id=net,path={},{whose}", socket.display()));
        command.args(["-netdev", "vhost-user,id=net,chardev=net", "-device"]);
        command.arg(format!("virtio-net-pci,netdev=net,mac=02:00:00:00:00:{number:02x}{interrupts}{properties}"));
        command.arg("-kernel").arg(&kit.kernel).arg("-initrd").arg(&kit.archive);
        // Nothing but what ends the kernel may come between what commands print.
        command.args(["-append", "console=ttyS0 loglevel=1 panic=-1"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("QEMU was found before");
        let console = Console::new(child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Self { child, console, number }
    }

    /// Waits until it has booted, and gives its interface addresses.
    pub fn is_ready(&mut self) {
        self.console.wait_for("READY");
        let number = self.number;
        for command in [
            "echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad",
            &format!("ip address add 10.0.1.{number}/24 dev eth0"),
            &format!("ip -6 address add fd00::{number}/64 dev eth0"),
            "ip link set eth0 up",
            "ip link set lo up",
            // Whoever connects to port 7 is sent back what it sends.
            "nc -ll -p 7 -e /bin/cat &",
        ] {
            self.runs(command);
        }
    }

    /// Runs a command that must succeed, and returns what it prints.
    pub fn runs(&mut self, command: &str) -> String {
        let (succeeds, text) = self.console.tries(command);
        assert!(succeeds, "machine {}: {command}\n{text}", self.number);
        text
    }

    /// Returns true if pings to an address come back; the first ones may be lost while somebody asks for an address.
    pub fn pings(&mut self, address: &str, length: u32) -> bool {
        let ping = |count: u8| format!("ping -c {count} -W 1 -s {length} {address} > /dev/null");
        self.console.tries(&format!("for try in 1 2 3 4 5 6 7 8; do {} && break; done; {}", ping(1), ping(2))).0
    }

    /// Returns what the kernel has said of its network card that sounds like a complaint.
    pub fn complaints(&mut self) -> String {
        let words = ["eth0.*bad", "virtio.*\\(fail\\|error\\|bad\\|bug\\)", "netdev watchdog"];
        self.console.tries(&format!("dmesg | grep -i{}", words.map(|word| format!(" -e '{word}'")).concat())).1
    }

    /// Stops it in the middle of whatever it does, as a machine whose turn does not come, until [`Self::goes_on`].
    pub fn stands_still(&self) {
        self.signals(Signal::STOP);
    }

    pub fn goes_on(&self) {
        self.signals(Signal::CONT);
    }

    fn signals(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// Returns true if the driver and the switch have agreed on a feature of virtio, by its bit.
    pub fn has(&mut self, bit: usize) -> bool {
        let features = self.runs("cat /sys/class/net/eth0/device/features");
        features.trim().as_bytes().get(bit) == Some(&b'1')
    }

    /// Boots it again, without QEMU ending.
    pub fn reboots(&mut self) {
        self.console.says("reboot -f");
        self.is_ready();
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
