//! The headers of TNA and T2NA: programs for them are accepted, and the headers in front of packets have the documented
//! widths.

mod findings;

use findings::{accepts, refuses};

const FIRST: &str = include_str!("tna/every_extern.p4");
const SECOND: &str = include_str!("tna/tofino2.p4");

#[test]
fn accepts_every_extern_of_tna() {
    accepts(FIRST);
}

#[test]
fn accepts_parsers_by_channel() {
    accepts(&format!("#define SEVERAL_PARSERS\n{FIRST}"));
}

/// TNA has wider identifiers on Tofino 2, and is the same otherwise.
#[test]
fn accepts_tna_on_tofino_2() {
    accepts(&format!("#define __TARGET_TOFINO__ 2\n{FIRST}"));
}

#[test]
fn accepts_every_extern_that_t2na_adds() {
    accepts(SECOND);
}

#[test]
fn register_actions_have_a_body() {
    refuses(
        "#include <tna.p4>\ncontrol C() {\n  Register<bit<8>, bit<4>>(16) r;\n  RegisterAction<bit<8>, bit<4>, bit<8>>(r) a;\n  apply { a.execute(0); }\n}",
        &["4: the abstract method `apply` is not implemented"],
    );
}

/// The widths in bits: those of "P4_16 Tofino Native Architecture" (Open-Tofino), and of the published declarations.
#[test]
fn headers_in_front_of_packets_have_the_documented_widths() {
    let both = [
        ("ingress_intrinsic_metadata_t", 64),
        ("pktgen_timer_header_t", 48),
        ("pktgen_port_down_header_t", 48),
        ("pktgen_recirc_header_t", 48),
        ("ptp_metadata_t", 64),
    ];
    let of_first = [("egress_intrinsic_metadata_t", 216)];
    let of_second = [
        ("egress_intrinsic_metadata_t", 224),
        ("ghost_intrinsic_metadata_t", 32),
        ("pktgen_deparser_header_t", 48),
        ("pktgen_pfc_header_t", 48),
    ];
    for (header, of_one) in [("tna.p4", &of_first[..]), ("t2na.p4", &of_second[..])] {
        for (name, bits) in both.iter().chain(of_one) {
            let least = format!("S.minSizeInBits() == {bits}");
            let most = format!("S.maxSizeInBits() == {bits}");
            accepts(&format!(
                "#include <{header}>\nstruct S {{ {name} first; }}\nconst bool is_right = static_assert({least} && {most});"
            ));
        }
    }
}

/// The metadata of the port is behind that of ingress (PORT_METADATA_SIZE), and wider on Tofino 2.
#[test]
fn metadata_of_ports_has_the_documented_width() {
    for (header, bits) in [("tna.p4", 64), ("t2na.p4", 192)] {
        accepts(&format!("#include <{header}>\nconst bool is_right = static_assert(PORT_METADATA_SIZE == {bits});"));
    }
    let wrong = "#include <tna.p4>\nconst bool is_right = static_assert(PORT_METADATA_SIZE == 65);";
    assert!(!findings::is_usable(wrong), "an assertion that does not hold is an error");
}
