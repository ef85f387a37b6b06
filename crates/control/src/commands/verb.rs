//! The verbs of commands, and their numbers of arguments.

use diagnostics::{Diagnostic, did_you_mean};

use super::Command;
use crate::Word;

macro_rules! verbs {
    ($($verb:ident $name:literal $least:literal $most:expr, $usage:literal;)*) => {
        /// The verb of a command, which is its first word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Verb {
            $(#[doc = concat!("`", $name, " ", $usage, "`")] $verb,)*
            /// A command that has no effect here and is ignored with a warning.
            Ignored,
        }

        /// The verbs by name, with the minimum and maximum number of arguments and the usage.
        const VERBS: &[(&str, Verb, usize, Option<usize>, &str)] =
            &[$(($name, Verb::$verb, $least, $most, $usage),)*];
    };
}

verbs! {
    TableAdd "table_add" 3 None, "TABLE ACTION KEY ... => PARAMETER ... [PRIORITY]";
    TableSetDefault "table_set_default" 2 None, "TABLE ACTION PARAMETER ...";
    TableResetDefault "table_reset_default" 1 Some(1), "TABLE";
    TableModify "table_modify" 3 None, "TABLE ACTION ENTRY [=>] PARAMETER ...";
    TableSetTimeout "table_set_timeout" 3 Some(3), "TABLE ENTRY MILLISECONDS";
    TableDelete "table_delete" 2 Some(2), "TABLE ENTRY";
    TableClear "table_clear" 1 Some(1), "TABLE";
    TableDump "table_dump" 1 Some(1), "TABLE";
    TableNumEntries "table_num_entries" 1 Some(1), "TABLE";
    TableDumpEntry "table_dump_entry" 2 Some(2), "TABLE ENTRY";
    TableIndirectAdd "table_indirect_add" 2 None, "TABLE KEY ... => MEMBER [PRIORITY]";
    TableIndirectAddWithGroup "table_indirect_add_with_group" 2 None, "TABLE KEY ... => GROUP [PRIORITY]";
    TableIndirectDelete "table_indirect_delete" 2 Some(2), "TABLE ENTRY";
    TableIndirectSetDefault "table_indirect_set_default" 2 Some(2), "TABLE MEMBER";
    TableIndirectSetDefaultWithGroup "table_indirect_set_default_with_group" 2 Some(2), "TABLE GROUP";
    TableIndirectResetDefault "table_indirect_reset_default" 1 Some(1), "TABLE";
    CreateMember "act_prof_create_member" 2 None, "PROFILE ACTION PARAMETER ...";
    ModifyMember "act_prof_modify_member" 3 None, "PROFILE ACTION MEMBER [=>] PARAMETER ...";
    DeleteMember "act_prof_delete_member" 2 Some(2), "PROFILE MEMBER";
    CreateGroup "act_prof_create_group" 1 Some(1), "PROFILE";
    DeleteGroup "act_prof_delete_group" 2 Some(2), "PROFILE GROUP";
    AddToGroup "act_prof_add_member_to_group" 3 Some(3), "PROFILE MEMBER GROUP";
    RemoveFromGroup "act_prof_remove_member_from_group" 3 Some(3), "PROFILE MEMBER GROUP";
    DumpProfile "act_prof_dump" 1 Some(1), "PROFILE";
    DumpMember "act_prof_dump_member" 2 Some(2), "PROFILE MEMBER";
    DumpGroup "act_prof_dump_group" 2 Some(2), "PROFILE GROUP";
    GroupCreate "mc_mgrp_create" 1 Some(1), "GROUP";
    GroupDestroy "mc_mgrp_destroy" 1 Some(1), "GROUP";
    NodeCreate "mc_node_create" 1 None, "REPLICA PORT ...";
    NodeUpdate "mc_node_update" 1 None, "NODE PORT ...";
    NodeAssociate "mc_node_associate" 2 Some(2), "GROUP NODE";
    NodeDissociate "mc_node_dissociate" 2 Some(2), "GROUP NODE";
    NodeDestroy "mc_node_destroy" 1 Some(1), "NODE";
    MirroringAdd "mirroring_add" 2 Some(3), "SESSION PORT [LENGTH]";
    MirroringAddGroup "mirroring_add_mc" 2 Some(3), "SESSION GROUP [LENGTH]";
    MirroringDelete "mirroring_delete" 1 Some(1), "SESSION";
    MirroringGet "mirroring_get" 1 Some(1), "SESSION";
    CounterRead "counter_read" 2 Some(2), "COUNTER INDEX";
    CounterWrite "counter_write" 4 Some(4), "COUNTER INDEX PACKETS BYTES";
    CounterReset "counter_reset" 1 Some(1), "COUNTER";
    RegisterRead "register_read" 1 Some(2), "REGISTER [INDEX]";
    RegisterWrite "register_write" 3 None, "REGISTER INDEX VALUE";
    RegisterReset "register_reset" 1 Some(1), "REGISTER";
    MeterGetRates "meter_get_rates" 2 Some(2), "METER INDEX";
    MeterSetRates "meter_set_rates" 4 Some(4), "METER INDEX RATE:BURST RATE:BURST";
    MeterArraySetRates "meter_array_set_rates" 3 Some(3), "METER RATE:BURST RATE:BURST";
    FilterSet "lpf_set" 6 Some(6), "LPF INDEX KIND GAIN DECAY SCALE";
    EarlyDetectionSet "wred_set" 6 Some(6), "WRED INDEX TIME_CONSTANT MINIMUM MAXIMUM PROBABILITY";
    ValueSetAdd "pvs_add" 2 Some(2), "VALUE_SET VALUE";
    ValueSetRemove "pvs_remove" 2 Some(2), "VALUE_SET VALUE";
    ValueSetGet "pvs_get" 1 Some(1), "VALUE_SET";
    ValueSetClear "pvs_clear" 1 Some(1), "VALUE_SET";
    MemoryRead "memory_read" 2 Some(3), "SEGMENT OFFSET [WORDS]";
    MemoryWrite "memory_write" 3 None, "SEGMENT OFFSET WORD ...";
    MemoryDump "memory_dump" 1 Some(1), "SEGMENT";
    RecordGet "record_get" 2 Some(2), "RECORDS KEY";
    RecordAdd "record_add" 2 None, "RECORDS KEY [WORD ...]";
    RecordDelete "record_delete" 2 Some(2), "RECORDS KEY";
    RecordDump "record_dump" 1 Some(1), "RECORDS";
    EventRaise "event_raise" 1 Some(2), "EVENT [NUMBER]";
    Configure "configure" 0 None, "[SETTINGS]";
}

/// Older names of commands, which take the name of a table instead of that of its profile.
const OLDER: &[(&str, Verb)] = &[
    ("table_indirect_create_member", Verb::CreateMember),
    ("table_indirect_modify_member", Verb::ModifyMember),
    ("table_indirect_delete_member", Verb::DeleteMember),
    ("table_indirect_create_group", Verb::CreateGroup),
    ("table_indirect_delete_group", Verb::DeleteGroup),
    ("table_indirect_add_member_to_group", Verb::AddToGroup),
    ("table_indirect_remove_member_from_group", Verb::RemoveFromGroup),
];

/// Commands about things that do not exist here (queues, ports of the host, other programs), or that only print.
const IGNORED: &[&str] = &[
    "set_queue_depth",
    "set_queue_rate",
    "set_crc16_parameters",
    "set_crc32_parameters",
    "set_toeplitz_hash_key",
    "table_info",
    "table_show_actions",
    "table_dump_entry_from_key",
    "table_dump_group",
    "table_dump_member",
    "show_tables",
    "show_actions",
    "show_ports",
    "show_pvs",
    "switch_info",
    "port_add",
    "port_remove",
    "mc_dump",
    "mc_set_lag_membership",
    "get_time_elapsed",
    "get_time_since_epoch",
    "load_new_config_file",
    "swap_configs",
    "write_config_to_file",
    "serialize_state",
    "reset_state",
    "help",
    "shell",
    "greet",
    "EOF",
];

/// What is wrong with a line that only names a pipe.
pub(crate) const PIPE_ALONE: &str = "the number of a pipe and a command must follow";

/// How a line names a pipe.
pub(crate) const PIPE_USAGE: &str = "a line about one pipe has `pipe 2` in front of the command";

/// Reads the number of a pipe.
pub(crate) fn pipe_number(word: &Word) -> Result<u32, Diagnostic> {
    let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.text.parse().ok().filter(|_| is_number);
    number.ok_or_else(|| {
        Diagnostic::error(word.span, format!("`{}` is not the number of a pipe", word.text)).hint(PIPE_USAGE)
    })
}

impl Verb {
    /// Returns the verb of this name, if there is one.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let known = VERBS.iter().find(|row| row.0 == name).map(|row| row.1);
        let older = || OLDER.iter().find(|row| row.0 == name).map(|row| row.1);
        let ignored = || IGNORED.contains(&name).then_some(Self::Ignored);
        known.or_else(older).or_else(ignored)
    }

    /// Returns all names, for hints.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        VERBS.iter().map(|row| row.0).chain(OLDER.iter().map(|row| row.0))
    }
}

/// Parses a line, which must have at least one word. It may begin with `pipe` and the number of a pipe.
pub(crate) fn read(mut line: Vec<Word>) -> Result<Command, Diagnostic> {
    let mut first = line.remove(0);
    let start = first.span;
    let mut pipe = None;
    if first.text == "pipe" {
        let [number, verb, ..] = &line[..] else {
            return Err(
                Diagnostic::error(line.first().map_or(start, |word| start.to(word.span)), PIPE_ALONE).hint(PIPE_USAGE)
            );
        };
        pipe = Some(pipe_number(number)?);
        first = verb.clone();
        line.drain(..2);
    }
    let span = line.last().map_or(start.to(first.span), |last| start.to(last.span));
    let Some(verb) = Verb::named(&first.text) else {
        let diagnostic = Diagnostic::error(first.span, format!("there is no command `{}`", first.text));
        return Err(match did_you_mean(&first.text, Verb::names()) {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    };
    if let Some((_, _, least, most, usage)) = VERBS.iter().find(|row| row.1 == verb) {
        let words = line.iter().filter(|word| word.text != "=>").count();
        if words < *least || most.is_some_and(|most| line.len() > most) {
            let few = if words < *least { "too few" } else { "too many" };
            let message = format!("`{}` has {few} arguments", first.text);
            return Err(Diagnostic::error(span, message).hint(format!("usage: `{} {usage}`", first.text)));
        }
    }
    Ok(Command { pipe, verb, arguments: line, span })
}
