//! Files of keys: which are refused, and that no answer shows what is in them.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use diagnostics::Failure;
use files::PlanText;
use tempfile::TempDir;
use vswitch::configuration::read;
use vswitchd::{Answer, Request, check};

use crate::host::{Guest, Started, VPC};

const OWN: &str = "000102030405060708090a0b0c0d0e0f10111213";
const OTHER: &str = "202122232425262728292a2b2c2d2e2f30313233";

fn good() -> String {
    format!("[out]\nindex = 4097\nkey = \"{OWN}\"\n[[in]]\npeer = \"192.0.2.2\"\nindex = 4098\nkey = \"0x{OTHER}\"\n")
}

/// A folder with a file of keys, and the configuration of a switch that uses it.
struct Secret {
    folder: TempDir,
    guest: Guest,
}

impl Secret {
    fn new() -> Self {
        let secret = Self { folder: tempfile::tempdir().expect("a folder can be made"), guest: Guest::new(1) };
        secret.write(&good());
        secret
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("red.keys")
    }

    fn write(&self, text: &str) {
        std::fs::write(self.path(), text).expect("a file can be written");
        self.permit(0o600);
    }

    fn permit(&self, mode: u32) {
        std::fs::set_permissions(self.path(), Permissions::from_mode(mode)).expect("it is ours");
    }

    fn configuration(&self) -> String {
        format!("{VPC}{}[[encryption]]\nvpc = \"red\"\nkeys = \"red.keys\"\n", self.guest.section(""))
    }

    /// Checks the configuration, which stands beside the keys.
    fn checked(&self) -> Result<(), Failure> {
        let path = self.folder.path().join("host.toml").to_string_lossy().into_owned();
        let plan = PlanText { name: "host".into(), path, text: self.configuration(), folder: Default::default() };
        check(&read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)))).map(|_| ())
    }

    fn refused(&self) -> String {
        let text = self.checked().expect_err("the keys are refused").render(false);
        assert!(!text.contains(&OWN[4..]) && !text.contains(&OTHER[4..]), "it shows a key: {text}");
        text
    }
}

#[test]
fn files_of_keys_that_others_could_use_or_have_changed_are_refused() {
    let secret = Secret::new();
    secret.checked().unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    for mode in [0o640, 0o604, 0o620, 0o601] {
        secret.permit(mode);
        let text = secret.refused();
        assert!(text.contains(&format!("its mode is {mode:o}")) && text.contains("chmod 600"), "{text}");
        assert!(text.contains("host.toml:") && text.contains("keys = \"red.keys\""), "at its place: {text}");
    }
    secret.permit(0o600);
    // A clock that is behind the file could have been set back.
    let later = SystemTime::now() + Duration::from_secs(3600);
    File::options().write(true).open(secret.path()).and_then(|file| file.set_modified(later)).expect("it is ours");
    assert!(secret.refused().contains("set the clock"));
    std::fs::remove_file(secret.path()).expect("it is there");
    assert!(secret.refused().contains("the keys cannot be read"));
    std::fs::create_dir(secret.path()).expect("a folder can be made");
    assert!(secret.refused().contains("this is no file"));
}

#[test]
fn every_mistake_in_keys_is_reported_and_no_key_is_shown() {
    let secret = Secret::new();
    for (text, messages) in [
        (good().replace("13\"", "1\""), &["this is no key"][..]),
        (good().replace("13\"", "13"), &["red.keys:3"]),
        (good().replace(OTHER, OWN), &["this key stands in the file twice"]),
        (good().replace("4097", "255").replace("192.0.2.2", "there"), &["index", "192.0.2.2"]),
        (good().replace("peer", "pier"), &["peer", "pier"]),
        (good().replace("[out]", "[outer]"), &["out"]),
        (format!("{0}[[in]]\n{1}", good(), good().split_once("[[in]]\n").expect("two parts").1), &["a second key of"]),
        (good().replace("index = 4097\n", ""), &["index"]),
        (good().replace("\"192.0.2.2\"", "[]"), &["nobody sends with this key"]),
        (good().replace("\"192.0.2.2\"", "[\"192.0.2.2\", 7]"), &["peer"]),
        (good().replace("\"192.0.2.2\"", "[\"192.0.2.2\", \"there\"]"), &["`there` is not an IP address"]),
        (good().replace("\"192.0.2.2\"", "[\"192.0.2.2\", \"192.0.2.3\"]"), &["a second address of IPv4"]),
        (
            // The way in which somebody may begin with two addresses.
            format!("{}[[in]]\npeer = \"2001:db8::2\"\nindex = 4098\nkey = \"{OTHER}\"\n", good()),
            &["this key stands in the file twice", "peer = [\"192.0.2.2\", \"2001:db8::2\"]"],
        ),
        (
            format!(
                "{}[[in]]\npeer = \"2001:db8::2\"\nindex = 4098\nkey = \"{}\"\n",
                good().replace("\"192.0.2.2\"", "[\"192.0.2.2\", \"2001:db8::2\"]"),
                OTHER.replace('2', "4"),
            ),
            &["a second key of 2001:db8::2 with the index 4098"],
        ),
    ] {
        secret.write(&text);
        let refused = secret.refused();
        assert!(messages.iter().all(|message| refused.contains(message)), "{text}\n{refused}");
    }
}

/// With one key for two VPCs, initialization vectors were once used twice.
#[test]
fn two_vpcs_of_a_switch_have_no_key_in_common() {
    let secret = Secret::new();
    let other_vpc =
        "[[vpc]]\nname = \"blue\"\nvni = 7002\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n";
    let section = "[[encryption]]\nvpc = \"blue\"\nkeys = \"blue.keys\"\n";
    let text = format!("{}{section}", secret.configuration().replacen("[[vnic]]", &format!("{other_vpc}[[vnic]]"), 1));
    let path = secret.folder.path().join("host.toml").to_string_lossy().into_owned();
    let plan = PlanText { name: "host".into(), path, text, folder: Default::default() };
    let reading = read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let blue = secret.folder.path().join("blue.keys");
    let checked = |keys: String| {
        std::fs::write(&blue, keys).expect("a file can be written");
        std::fs::set_permissions(&blue, Permissions::from_mode(0o600)).expect("it is ours");
        check(&reading).map_err(|failure| failure.render(false))
    };
    let [own, other] = [OWN, OTHER].map(|key| key.replace("13", "14").replace("33", "34"));
    let of_blue = good().replace(OWN, &own).replace(OTHER, &other).replace("4098", "4099");
    checked(of_blue.clone()).expect("the keys are others, and so is the index");
    for (keys, message) in [
        (of_blue.replace(&own, OWN), "`blue.keys` has a key that `red.keys` of the VPC `red` has too"),
        (of_blue.replace(&own, OTHER), "`blue.keys` has a key that"),
        (
            of_blue.replace("4099", "4098"),
            "`blue.keys` has a key of 192.0.2.2 with the index 4098 that `red.keys` of the VPC `red` has too",
        ),
    ] {
        let refused = checked(keys).expect_err("it is refused");
        assert!(refused.contains(message) && refused.contains("keys = \"blue.keys\""), "{refused}");
    }
}

/// Both sides of the line were once alike when a key was replaced under its index.
#[test]
fn what_is_other_about_keys_is_said() {
    let secret = Secret::new();
    let absolute = secret.configuration().replace("red.keys", &secret.path().to_string_lossy());
    let switch = Started::new(&absolute);
    let change = |text: String| {
        secret.write(&text);
        match switch.apply(&absolute, true) {
            Ok(Answer::Applied(report)) => report.changes.concat(),
            other => panic!("{other:?}"),
        }
    };
    let before = "~ keys of vpc `red`: sends with 4097, accepts 4098 from 192.0.2.2 -> ";
    let other = |key: &str| key.replace("1112", "1113").replace("3132", "3133");
    for (text, after) in [
        (good().replace(OWN, &other(OWN)), "sends with 4097 (another key), accepts 4098 from 192.0.2.2"),
        (good().replace(OTHER, &other(OTHER)), "sends with 4097, accepts 4098 from 192.0.2.2 (another key)"),
        (
            format!("{}extended = false\n", good()),
            "sends with 4097, accepts 4098 from 192.0.2.2 (now without extended sequence numbers)",
        ),
        (
            good().replace("\"192.0.2.2\"", "[\"192.0.2.2\", \"2001:db8::2\"]"),
            "sends with 4097, accepts 4098 from 192.0.2.2 and 2001:db8::2",
        ),
        (good().replace("4097", "4099").replace(OWN, &other(OWN)), "sends with 4099, accepts 4098 from 192.0.2.2"),
        (good().split_once("[[in]]").expect("two parts").0.to_owned(), "sends with 4097, accepts nothing"),
    ] {
        assert_eq!(change(text), format!("{before}{after}"));
    }
    switch.end();
}

#[test]
fn no_answer_shows_a_key() {
    let secret = Secret::new();
    let absolute = secret.configuration().replace("red.keys", &secret.path().to_string_lossy());
    let switch = Started::new(&absolute);
    secret.guest.send(2, [1000, 53]);
    secret.write(&good().replace(
        "[[in]]",
        "[[in]]\npeer = \"192.0.2.3\"\nindex = 4098\nkey = \"ffffffffffffffffffffffffffffffffffffffff\"\n[[in]]",
    ));
    let applied = switch.apply(&absolute, true);
    let Ok(Answer::Applied(report)) = &applied else { panic!("{applied:?}") };
    let accepts = "accepts 4098 from 192.0.2.3, 4098 from 192.0.2.2";
    let expected =
        format!("~ keys of vpc `red`: sends with 4097, accepts 4098 from 192.0.2.2 -> sends with 4097, {accepts}");
    assert_eq!(report.changes, [expected], "which keys are other ones is said, and no key");
    let mut said = vec![format!("{applied:?}"), format!("{:?}", switch.apply(&absolute, false))];
    for request in [
        Request::Switch {},
        Request::Rules {},
        Request::Ports {},
        Request::Drops {},
        Request::Upgrade {},
        Request::Flows { vnic: None, most: 10 },
        Request::HandOver { from: 0 },
    ] {
        said.push(format!("{:?}", switch.ask(request)));
    }
    for text in said {
        assert!(![OWN, OTHER, "ffffffffffff"].iter().any(|key| text.contains(key)), "{text}");
    }
    // Another process that takes over reads the file again; one that cannot is refused before anything happens.
    secret.permit(0o644);
    assert!(switch.apply(&absolute, false).is_err_and(|refusal| refusal.error.contains("chmod 600")));
    switch.end();
}
