//! The annotations of TNA, as the public compiler lists them (p4lang/p4c, `backends/tofino/bf-p4c`, `common/pragma` and
//! `phv/pragma`), with those of the language and of P4Runtime. docs/tna.md says what each does.

use crate::Standing;

/// The annotations that the public compiler for Tofino knows, by the effect that they have here.
pub(super) const ANNOTATIONS: &[(Standing, &[&str])] = &[
    (
        Standing::Honoured,
        &[
            "name",
            "optional",
            "defaultonly",
            "tableonly",
            "hidden",
            "controller_header",
            "p4runtime_translation",
            "pkginfo",
            "id",
            "match",
            "priority",
            "length",
            "symmetric",
            "flexible",
            "pa_alias",
            "pa_auto_init_metadata",
            "default_portmap",
            "brief",
            "description",
            "platform_property",
            "noWarn",
        ],
    ),
    (
        Standing::WithoutMeaning,
        &[
            "__debug",
            "__ghost_metadata",
            "__intrinsic_metadata",
            "action_selector_hash_field_calc_name",
            "action_selector_hash_field_list_name",
            "algorithm",
            "alpm",
            "alpm_atcam_exclude_field_msbs",
            "alpm_partitions",
            "alpm_subtrees_per_partition",
            "atcam_number_partitions",
            "atcam_partition_index",
            "atomic",
            "backward_compatible",
            "chain_total_size",
            "command_line",
            "critical",
            "deprecated",
            "disable_atomic_modify",
            "dont_translate_extern_method",
            "dont_unroll",
            "dontmerge",
            "dynamic_table_key_masks",
            "egress_intrinsic_metadata_opt",
            "entries_with_ranges",
            "field_list_field_slice",
            "force_immediate",
            "force_shift",
            "gfm_parity_enable",
            "header_checksum",
            "idletime_interval",
            "idletime_precision",
            "ignore_table_dependency",
            "immediate",
            "in_hash",
            "ixbar_group_num",
            "lrt_enable",
            "lrt_scale",
            "max_actions",
            "max_loop_depth",
            "meter_profile",
            "min_width",
            "mode",
            "no_field_initialization",
            "no_gateway_conversion",
            "noWarn",
            "no_versioning",
            "not_extracted_in_egress",
            "override_phase0_action_name",
            "override_phase0_table_name",
            "pa_allow_pov_on_mocha",
            "pa_atomic",
            "pa_byte_pack",
            "pa_container_size",
            "pa_container_type",
            "pa_disable_deparse_0_optimization",
            "pa_do_not_bridge",
            "pa_mutually_exclusive",
            "pa_no_init",
            "pa_no_overlay",
            "pa_no_pack",
            "pa_parser_bandwidth_opt",
            "pa_parser_group_monogress",
            "pa_prioritize_ara_inits",
            "pa_quick_phv_alloc",
            "pa_solitary",
            "pack",
            "padding",
            "payload_checksum",
            "phase0",
            "phv_limit",
            "placement_priority",
            "pragma",
            "random_seed",
            "reduction_or_group",
            "reg",
            "selector_max_group_size",
            "separate_gateway",
            "stage",
            "synchronous",
            "terminate_parsing",
            "ternary",
            "use_hash_action",
            "user_annotation",
            "ways",
        ],
    ),
    (
        Standing::Refused,
        &[
            "adjust_byte_count",
            "calculated_field_update_location",
            "chain_address",
            "green",
            "hash_mask",
            "idletime_per_flow_idletime",
            "idletime_two_way_notification",
            "not_deparsed",
            "not_parsed",
            "packet_entry",
            "pre_color",
            "proxy_hash_algorithm",
            "proxy_hash_width",
            "red",
            "selector_enable_scramble",
            "true_egress_accounting",
            "yellow",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    /// The annotations at the beginnings of rows of the tables of docs/tna.md, with what the last column says first.
    fn documented() -> BTreeMap<String, Standing> {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tna.md");
        let page = std::fs::read_to_string(page).expect("the page is there");
        let (_, section) = page.split_once("\n## Annotations\n").expect("the page has a section about annotations");
        let mut found = BTreeMap::new();
        for row in section.lines().filter(|line| line.starts_with("| `@")) {
            let columns: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            let says = columns.last().copied().unwrap_or("");
            let standing = match says {
                _ if says.starts_with("honoured") => Standing::Honoured,
                _ if says.starts_with("of no meaning") => Standing::WithoutMeaning,
                _ if says.starts_with("refused") => Standing::Refused,
                other => panic!("`{}`: {other}", columns[0]),
            };
            let names = columns[0].split("`@").skip(1);
            let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
            found.extend(names.map(|text| (name(text), standing)));
        }
        found
    }

    #[test]
    fn the_page_and_the_compiler_say_the_same_of_every_annotation() {
        let listed =
            ANNOTATIONS.iter().flat_map(|(standing, names)| names.iter().map(|name| ((*name).to_owned(), *standing)));
        let listed: BTreeMap<String, Standing> = listed.collect();
        let documented = documented();
        let differ = listed.iter().filter(|(name, standing)| documented.get(*name) != Some(standing));
        let differ: Vec<_> = differ.map(|(name, standing)| (name, standing, documented.get(name))).collect();
        assert!(differ.is_empty(), "the page says otherwise: {differ:?}");
        let unknown: Vec<_> = documented.keys().filter(|name| !listed.contains_key(*name)).collect();
        assert!(unknown.is_empty(), "the compiler does not know {unknown:?}");
    }
}
