//! Guests in virtual machines: QEMU with Debian's kernel, whose network card is a queue in memory that it shares with the switch
//! (vhost-user).
//!
//! `make vswitch-outside` installs QEMU and busybox, and unpacks the kernel into `target/guest-kernel`. The processor's virtualization is
//! used where it is there, and QEMU interprets instructions elsewhere, which takes some seconds more.

mod archive;
mod console;
mod features;
mod machine;
mod restarts;
mod site;
mod traffic;
