//! Random programs that ask for whatever a traffic manager can do.

use basis::Random;

use super::chip::{NUMBERS, outside};

const TEMPLATE: &str = include_str!("random.p4");

/// A ghost thread that writes the depth of each queue.
const GHOST: &str = "Register<bit<32>, bit<16>>(2048) depths;
control Ghost(in ghost_intrinsic_metadata_t ghost) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(depths) write = {
        void apply(inout bit<32> value) { value = (bit<32>)ghost.qlength; }
    };
    apply { write.execute((bit<16>)ghost.qid); }
}";

/// Returns a program, for Tofino 2 or for Tofino.
pub fn program(random: &mut Random, is_for_tofino_2: bool) -> String {
    let has_ghost = is_for_tofino_2 && random.chance(0.5);
    let ingress = statements(random, is_for_tofino_2, in_ingress);
    let egress = statements(random, is_for_tofino_2, in_egress);
    TEMPLATE
        .replace("@header@", if is_for_tofino_2 { "t2na.p4" } else { "tna.p4" })
        .replace("@ingress@", &ingress)
        .replace("@egress@", &egress)
        .replace("@ghost@", if has_ghost { GHOST } else { "" })
        .replace("@ghost_block@", if has_ghost { ", Ghost()" } else { "" })
}

/// Returns some statements, most of which depend on the packet.
fn statements(random: &mut Random, is_for_tofino_2: bool, one: fn(&mut Random, bool) -> String) -> String {
    let mut text = String::new();
    for _ in 0..2 + random.below(10) {
        let statement = one(random, is_for_tofino_2);
        let condition = match random.below(4) {
            0 => "true".to_owned(),
            1 => format!("hdr.order.{}[{1}:{1}] == 1", field(random), random.below(8)),
            2 => format!("hdr.order.{} < {}", field(random), random.below(256)),
            _ => format!("hdr.order.{}[1:0] == {}", field(random), random.below(4)),
        };
        text += &format!("if ({condition}) {{ {statement} }}\n        ");
    }
    text
}

fn field(random: &mut Random) -> char {
    ['a', 'b', 'c', 'd'][random.below(4) as usize]
}

fn in_ingress(random: &mut Random, _is_for_tofino_2: bool) -> String {
    let number = random.below(NUMBERS);
    match random.below(19) {
        0..=3 => format!("ig_tm_md.ucast_egress_port = {};", outside(random)),
        4 => "ig_tm_md.ucast_egress_port = hdr.order.a[0:0] ++ hdr.order.b;".to_owned(),
        5 => format!("ig_tm_md.mcast_grp_a = {number};"),
        6 => format!("ig_tm_md.mcast_grp_b = {number};"),
        7 | 18 => {
            format!("ig_tm_md.level1_exclusion_id = {}; ig_tm_md.rid = {};", 1 + random.below(2), random.below(4))
        }
        8 => format!("ig_tm_md.level2_exclusion_id = {number}; ig_tm_md.level2_mcast_hash = (bit<13>)hdr.order.d;"),
        9 => "ig_tm_md.copy_to_cpu = 1;".to_owned(),
        10 | 11 => "ig_tm_md.deflect_on_drop = 1;".to_owned(),
        12 => format!("ig_tm_md.qid = {}; ig_tm_md.packet_color = {};", random.below(5), random.below(4)),
        13 => format!("ig_dprsr_md.drop_ctl = {};", random.below(8)),
        14 => "ig_tm_md.bypass_egress = 1;".to_owned(),
        15 => format!("ig_dprsr_md.mirror_type = 1; md.session = {number};"),
        16 => "if (md.was_resubmitted == 0) { ig_dprsr_md.resubmit_type = 2; }".to_owned(),
        _ => "if (ig_prsr_md.parser_err != 0) { ig_dprsr_md.drop_ctl = 1; }".to_owned(),
    }
}

fn in_egress(random: &mut Random, is_for_tofino_2: bool) -> String {
    match random.below(6) {
        0 => format!("eg_dprsr_md.drop_ctl = {};", random.below(8)),
        1 | 2 => format!("eg_dprsr_md.mirror_type = 1; md.session = {};", random.below(NUMBERS)),
        3 if is_for_tofino_2 => format!("eg_dprsr_md.mtu_trunc_len = {};", random.below(80)),
        3 => "hdr.order.setInvalid();".to_owned(),
        _ => "hdr.order.a = (bit<8>)eg_intr_md.enq_qdepth; hdr.order.b = eg_intr_md.egress_rid[7:0];".to_owned(),
    }
}
