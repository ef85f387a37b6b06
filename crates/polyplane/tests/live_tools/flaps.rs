//! Links that go down and up again while packets cross.

use std::process::Stdio;
use std::time::Duration;

use crate::namespace::ip;
use crate::site::{LEARNING_SWITCH, RIGHT, Site};
use crate::tool::with_tools;

#[test]
fn pings_cross_again_after_links_have_flapped() {
    with_tools("flaps::pings_cross_again_after_links_have_flapped", &["ping"], || {
        let mut site = Site::new(&LEARNING_SWITCH);
        let mut load = site.left.command("ping");
        let load = load.args(["-q", "-f", "-w", "3", RIGHT]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        for port in [1, 2, 1, 2, 1, 2] {
            for state in ["down", "up"] {
                ip(&format!("link set port{port} {state}"));
                std::thread::sleep(Duration::from_millis(30));
            }
        }
        site.assert_running();
        site.soon("pings cross again", || site.ping());
        load.expect("nsenter is there").wait().expect("it ends by itself");
        site.soon("pings cross again", || site.ping());
        site.assert_running();
    });
}
