//! What is said of mistakes: one message for each, with a hint that helps.

use diagnostics::Failure;
use vswitch::configuration::read;

use super::{GUESTS, mistakes, plan};

/// Returns the only hint for a configuration.
#[track_caller]
fn hint(text: &str) -> String {
    let Err(Failure::BadInput { diagnostics, .. }) = read(&plan(text)) else { panic!("it is accepted") };
    let all: Vec<_> = diagnostics.iter().collect();
    assert!(all.len() == 1, "{all:?}");
    all[0].hint.clone().unwrap_or_default()
}

#[test]
fn a_value_of_the_wrong_kind_is_one_mistake() {
    for value in ["99999999999999999999999", "nan", "2026-11-27", "[7001]", "-1", "\"7001\""] {
        let found = mistakes(&GUESTS.replace("vni = 7001", &format!("vni = {value}")));
        assert!(found.len() == 1 && found[0].contains("`vni`"), "{value}: {found:?}");
    }
    let found = mistakes(&GUESTS.replace("mac = \"02:00:00:00:00:01\"", "mac = 5"));
    assert_eq!(found, ["12: `mac` must be a text in quotes"]);
    let balancer = "[[load_balancer]]\nname = 5\nvpc = \"red\"\naddress = \"10.0.1.100\"\nport = 80\n\
                    [[load_balancer.back_end]]\naddress = \"10.0.1.2\"\n";
    let line = GUESTS.lines().count() + 2;
    assert_eq!(mistakes(&format!("{GUESTS}{balancer}")), [format!("{line}: `name` must be a text in quotes")]);
}

#[test]
fn a_section_that_is_there_again_is_one_mistake() {
    let underlay = "[underlay]\ninterface = \"eth1\"\nmac = \"02:00:00:00:01:01\"\naddresses = [\"192.0.2.1\"]\n";
    assert_eq!(mistakes(&format!("{GUESTS}{underlay}{underlay}")).len(), 1);
    assert_eq!(mistakes(&format!("{GUESTS}{underlay}mtu = 1500\nmtu = 1600\n")).len(), 1);
}

#[test]
fn what_follows_from_a_mistake_is_not_reported() {
    assert_eq!(mistakes(&GUESTS.replace("10.0.1.0/24", "10.0.1.0/33")), ["6: `10.0.1.0/33` is not a prefix"]);
    assert_eq!(mistakes(&GUESTS.replace("[[vpc]]", "[vpc]")), ["2: `vpc` must be tables: [[vpc]]"]);
    assert_eq!(mistakes(&GUESTS.replace("name = \"red\"", "name = 7")), ["3: `name` must be a text in quotes"]);
}

#[test]
fn hints_say_what_can_be_written() {
    let limited = |vnic: &str| {
        format!("{GUESTS}[[limiter]]\nname = \"a\"\nvnic = \"{vnic}\"\ndirection = \"egress\"\nrate = \"1 Gb/s\"\n")
    };
    assert_eq!(hint(&limited("three")), "there are `one`, `two`");
    let text = limited("three");
    let second = text.find("[[vnic]]\nname = \"two\"").expect("the second vNIC");
    let only = format!("{}{}", &text[..second], &text[GUESTS.len()..]);
    assert_eq!(hint(&only), "there is only `one`");
    assert_eq!(hint(&limited("on")), "did you mean `one`?");
    let unknown = hint(&format!("{GUESTS}[[bar]]\n"));
    assert!(unknown.starts_with("known entries: "), "{unknown}");
    let underlay = "[underlay]\ninterface = \"eth1\"\nmac = \"02:00:00:00:01:01\"\naddresses = [\"192.0.2.1\"]\nnext_hop = \"router\"\n";
    let next_hop = hint(&format!("{GUESTS}{underlay}"));
    assert!(next_hop.contains("192.0.2.254") && next_hop.contains("02:00:00:00:00:01"), "{next_hop}");
}

#[test]
fn lists_of_addresses_are_called_lists_of_texts() {
    let found = mistakes(&GUESTS.replace("[\"10.0.1.1\"]", "\"10.0.1.1\""));
    assert_eq!(found, ["13: `addresses` must be a list of texts in brackets: [\"…\", \"…\"]"]);
}

#[test]
fn a_file_of_keys_is_called_so() {
    let Err(Failure::BadInput { diagnostics, .. }) = vswitch::encryption::Keys::read(&plan(""), 1) else {
        panic!("it is accepted")
    };
    let messages: Vec<_> = diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages[0], "a file of keys has no `out`");
    let broken = hint("name =\n");
    assert!(broken.starts_with("the file is TOML"), "{broken}");
}
