//! The pieces of programs that the paper prints compile as printed: section 3.2, and figures 8, 17 and 18.

mod common;

use common::compile;

/// Figure 8, figure 17 and figure 18.
const STRUCTS: &str = "
struct trio_ml_hdr_t { // 12 bytes
job_id : 8; // aggregation job id
block_id : 32; // aggregation block id
age_op : 4; // if the block has aged out
final : 1; // if the block is final block
degraded : 1; // aggregation is partial

: 2; // unused for byte alignment
src_id : 8; // source id of the packet
src_cnt : 8; // number of sources contributing
gen_id : 16; // generation id

: 4; // room to expand grad_cnt
grad_cnt : 12; // number of gradients

};

struct trio_ml_job_ctx_t { // 58 bytes
block_curr_cnt : 16;
block_cnt_max : 12;
block_grad_max : 12;
block_exp : 8;
block_total_cnt : 32;
out_src_addr : 32;
out_dst_addr : 32;
out_nh_addr : 32;

: 24;
src_cnt : 8;
src_mask_0 : 64;
src_mask_1 : 64;
src_mask_2 : 64;
src_mask_3 : 64;

};

struct trio_ml_block_ctx_t { // 58 bytes
block_exp : 8;
block_age : 8;
block_start_time : 64;
job_ctx_paddr : 32;
aggr_paddr : 32;

: 20;
grad_cnt : 12;

: 24;
rcvd_cnt : 8;
rcvd_mask_0 : 64;
rcvd_mask_1 : 64;
rcvd_mask_2 : 64;
rcvd_mask_3 : 64;

};
";

/// The instructions of section 3.2.
const PIECES: [&str; 4] = [
    "struct ether_t {\ndmac : 48;\nsmac : 48;\netype : 16;\n\n};",
    "process_ether:\nbegin\n\nir0 = 0;\nif (ether_ptr ->etype == 0x0800) {\ngoto process_ip;\n}\ngoto count_dropped;\n\nend",
    "process_ip:\nbegin\n\nconst ipv4_t *ipv4_addr = ether_ptr +\nsizeof(ether_t);\n\nir0 = 1;\nif (ipv4_addr ->ver == 4 &&\n\
     ipv4_addr ->ihl == 5) {\ngoto forward_packet;\n}\ngoto count_dropped;\n\nend",
    "count_dropped:\nbegin\n\nconst : addr = DROP_CNT_BASE + ir0 * 2;\nCounterIncPhys(addr , r_work.pkt_len);\n\
     goto drop_packet;\n\nend",
];

fn instruction(text: &str, name: &str) -> String {
    let program = compile(text).to_string();
    let begin = program.find(&format!("instruction {name} {{")).unwrap_or_else(|| panic!("no {name}:\n{program}"));
    let end = begin + program[begin..].find("\n}").expect("it ends");
    program[begin..end].lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_filter_of_section_3_2_compiles_as_printed() {
    let rest = "
        struct ipv4_t { ver : 4; ihl : 4; tos : 8; };
        const ether_t *ether_ptr = packet_start;
        sram counter_t DROP_CNT_BASE[2];
        reason dropped;
        on packet goto process_ether;";
    let ends = "
        forward_packet:
        // code to forward the packet
        // based on the destination address
        begin PacketSend(this_packet, 1, 0, packet_start, r_work.head_len); exit; end
        drop_packet:
        // code to drop the packet
        begin PacketDrop(this_packet, dropped); exit; end";
    let text = [PIECES[0], rest, PIECES[1], PIECES[2], PIECES[3], ends].join("\n");
    assert_eq!(
        instruction(&text, "process_ip"),
        "ir0 = 1u32\ngoto forward_packet if (memory(142u16, 0, 4) == 4u4) & (memory(142u16, 4, 4) == 5u4)\ngoto count_dropped"
    );
    // Figure 6: counters are 16 bytes, and 2 apart.
    assert_eq!(
        instruction(&text, "count_dropped"),
        "async count bit<35>(8u32 + (ir0 * 2u32)) << 3u8, r_work.pkt_len\ngoto drop_packet"
    );
}

#[test]
fn the_filter_compiles_if_the_header_is_found_by_a_register() {
    let rest = "
        struct ipv4_t { ver : 4; ihl : 4; tos : 8; };
        register ether_t *ether_ptr;
        const : DROP_CNT_BASE = 0x200;
        on packet goto process_ether;";
    let ends = "forward_packet: drop_packet: begin exit; end";
    let text = [PIECES[0], rest, PIECES[1], PIECES[2], PIECES[3], ends].join("\n");
    let is_ip = "(memory(ether_ptr + 14u16, 0, 4) == 4u4) & (memory(ether_ptr + 14u16, 4, 4) == 5u4)";
    assert!(instruction(&text, "process_ip").contains(is_ip));
    assert!(instruction(&text, "process_ether").contains("memory(ether_ptr, 96, 16) == 2048u16"));
}

#[test]
fn the_program_of_the_repository_has_the_printed_pieces() {
    let text = common::shipped("filter");
    for piece in &PIECES[1..] {
        assert!(text.contains(piece), "{piece}");
    }
}

#[test]
fn structs_of_the_figures_have_their_sizes_and_layouts() {
    let using = |expression: &str| {
        let begin = "const trio_ml_hdr_t *hdr = packet_start; const trio_ml_job_ctx_t *job = packet_start;
                     const trio_ml_block_ctx_t *block = packet_start; on packet goto all; register : 64 x;";
        instruction(&format!("{STRUCTS} {begin} all: begin x = {expression}; exit; end"), "all")
    };
    let sizes = [("trio_ml_hdr_t", 12), ("trio_ml_job_ctx_t", 58), ("trio_ml_block_ctx_t", 58)];
    for (name, bytes) in sizes {
        assert_eq!(using(&format!("sizeof({name})")), format!("x = {bytes}u64\nend"));
    }
    // Byte and bit of the field, behind the packet's head at 128, and its width: by hand from the figures.
    let fields = [
        ("hdr->block_id", 1, 0, 32),
        ("hdr->age_op", 5, 0, 4),
        ("hdr->final", 5, 4, 1),
        ("hdr->degraded", 5, 5, 1),
        ("hdr->src_id", 6, 0, 8),
        ("hdr->gen_id", 8, 0, 16),
        ("hdr->grad_cnt", 10, 4, 12),
        ("job->block_cnt_max", 2, 0, 12),
        ("job->block_grad_max", 3, 4, 12),
        ("job->block_exp", 5, 0, 8),
        ("job->out_nh_addr", 18, 0, 32),
        ("job->src_cnt", 25, 0, 8),
        ("block->block_start_time", 2, 0, 64),
        ("block->aggr_paddr", 14, 0, 32),
        ("block->grad_cnt", 20, 4, 12),
        ("block->rcvd_cnt", 25, 0, 8),
    ];
    for (field, byte, bit, width) in fields {
        let memory = format!("memory({}u16, {bit}, {width})", 128 + byte);
        let expected = if width == 64 { format!("x = {memory}\nend") } else { format!("x = bit<64>({memory})\nend") };
        assert_eq!(using(field), expected, "{field}");
    }
    for (mask, byte) in [("job->src_mask_3", 50), ("block->rcvd_mask_0", 26)] {
        assert_eq!(using(mask), format!("x = memory({}u16, 0, 64)\nend", 128 + byte), "{mask}");
    }
}
