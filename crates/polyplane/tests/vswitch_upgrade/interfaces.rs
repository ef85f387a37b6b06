//! Interfaces that two processes cannot have at once: TAP and vhost-user.

use crate::command::{CONFIGURATION, Site};
use crate::guest::{Guest, pings_from_here};
use crate::namespace::{ip, within};

/// Returns the configuration with a third guest, at 10.0.1.3 and another interface, and a fourth one at that of a virtual machine.
fn with(interface: &str, machine: &str) -> String {
    let vnic = |number: u8, interface: &str| {
        format!(
            "[[vnic]]\nname = \"guest-{number}\"\ninterface = \"{interface}\"\nvpc = \"red\"\n\
             mac = \"02:00:00:00:00:{number:02}\"\naddresses = [\"10.0.1.{number}\"]\n"
        )
    };
    format!("{CONFIGURATION}{}{}", vnic(3, interface), vnic(4, machine))
}

// `/sys` shows the interfaces of another network namespace than this test's; the interface was taken for one that both can have.
#[test]
fn a_tap_interface_that_stays_goes_over() {
    within("interfaces::a_tap_interface_that_stays_goes_over", || {
        let (one, _two) = (Guest::new(1), Guest::new(2));
        ip("tuntap add dev made3 mode tap");
        for arguments in
            ["link set made3 address 02:00:00:00:00:03", "address add 10.0.1.3/24 dev made3", "link set made3 up"]
        {
            ip(arguments);
        }
        let folder = std::env::temp_dir().join(format!("polyplane-machine-{}.sock", std::process::id()));
        let site = Site::new(&with("made3", &format!("vhost-user:{}", folder.display())));
        let mut old = site.runs(&[]);
        site.waits_for("it passes packets", || one.pings("10.0.1.3"));
        let new = site.upgrades(&[]);
        assert!(old.ends(), "the old one ends, with success");
        // Both guests reach each other by the new one, and a virtual machine could connect.
        assert!(one.pings("10.0.1.3") && pings_from_here("10.0.1.1"));
        assert!(std::os::unix::net::UnixStream::connect(&folder).is_ok(), "the new one listens for a virtual machine");
        let said = site.stops(new);
        assert!(said.contains("took over"), "{said}");
    });
}

#[test]
fn a_tap_interface_that_would_vanish_is_refused_before_anything_happens() {
    within("interfaces::a_tap_interface_that_would_vanish_is_refused_before_anything_happens", || {
        let (one, _two) = (Guest::new(1), Guest::new(2));
        let folder = std::env::temp_dir().join(format!("polyplane-machine-{}.sock", std::process::id()));
        let site = Site::new(&with("tap:made3", &format!("vhost-user:{}", folder.display())));
        let old = site.runs(&[]);
        site.waits_for("it passes packets", || one.pings("10.0.1.254"));
        let (status, said) = site.fails_to_upgrade(&[]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("`tap:made3` vanishes when the process that has it closes it"), "{said}");
        assert!(said.contains("ip tuntap add"), "it says what to do: {said}");
        assert!(one.pings("10.0.1.254"), "the old one goes on");
        site.stops(old);
    });
}
