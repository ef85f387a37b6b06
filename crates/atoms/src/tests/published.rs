//! The least atoms published in the Domino paper (SIGCOMM 2016, table 4) are found for codelets of the same programs.

use super::{Example, least_of};
use crate::{Premise, Template};

#[test]
fn flowlet_switching_needs_rw_and_pred_raw() {
    let text = "
        field arrival: int<32>
        field new_hop: int<32>
        field id: int<32>
        local last: int<32>
        local gap: int<32>
        local expired: bool
        local hop: int<32>
        register last_time: int<32>[8000] = fill 0
        register saved_hop: int<32>[8000] = fill 0
        packet {
          last = @last_time[id]
          @last_time[id] = arrival
          gap = arrival - last
          expired = gap > 5i32
          hop = @saved_hop[id]
          @saved_hop[id] = new_hop if expired
        }";
    assert_eq!(least_of(text, &["last_time"]), Some("rw"));
    assert_eq!(least_of(text, &["saved_hop"]), Some("pred_raw"));
}

#[test]
fn flowlet_switching_written_with_a_choice_is_the_same() {
    let text = "
        field new_hop: int<32>
        field expired: bool
        field id: int<32>
        local hop: int<32>
        local next: int<32>
        register saved_hop: int<32>[8000] = fill 0
        packet {
          hop = @saved_hop[id]
          next = expired ? new_hop : hop
          @saved_hop[id] = next
        }";
    let example = Example::new(text, &["saved_hop"]);
    let mapping = example.map(Template::PredicatedReadAddWrite, Premise::None).expect("as published");
    assert_eq!(
        mapping.configuration.to_string(),
        "if 0 != pkt_1 {\n  state_1 = 0 + pkt_2\n} else {\n  state_1 = state_1\n}\n"
    );
    let names: Vec<_> = mapping.operands.iter().map(|&id| example.program.variable(id).name.as_str()).collect();
    assert_eq!(names, ["expired", "new_hop"]);
}

#[test]
fn a_heavy_hitter_counter_needs_raw() {
    let text = "
        field id: int<32>
        local count: int<32>
        local next: int<32>
        register sketch: int<32>[4096] = fill 0
        packet {
          count = @sketch[id]
          next = count + 1i32
          @sketch[id] = next
        }";
    assert_eq!(least_of(text, &["sketch"]), Some("raw"));
}

#[test]
fn a_learning_filter_needs_rw() {
    let text = "
        field id: int<32>
        local member: int<32>
        register filter: int<32>[256] = fill 0
        packet {
          member = @filter[id]
          @filter[id] = 1i32
        }";
    assert_eq!(least_of(text, &["filter"]), Some("rw"));
}

#[test]
fn rate_control_needs_raw_and_twice_pred_raw() {
    let text = "
        field size: int<32>
        field rtt: int<32>
        local valid: bool
        local bytes: int<32>
        local bytes.1: int<32>
        local sum: int<32>
        local sum.1: int<32>
        local sum.2: int<32>
        local packets: int<32>
        local packets.1: int<32>
        register input_bytes: int<32> = 0
        register sum_rtt: int<32> = 0
        register with_rtt: int<32> = 0
        packet {
          bytes = @input_bytes
          bytes.1 = bytes + size
          @input_bytes = bytes.1
          valid = rtt < 30i32
          sum = @sum_rtt
          sum.1 = sum + rtt
          sum.2 = valid ? sum.1 : sum
          @sum_rtt = sum.2
          packets = @with_rtt
          packets.1 = packets + 1i32
          @with_rtt = packets.1 if valid
        }";
    assert_eq!(least_of(text, &["input_bytes"]), Some("raw"));
    assert_eq!(least_of(text, &["sum_rtt"]), Some("pred_raw"));
    assert_eq!(least_of(text, &["with_rtt"]), Some("pred_raw"));
}

#[test]
fn sampling_needs_if_else_raw() {
    let text = "
        local old: int<32>
        local last: bool
        local next: int<32>
        local new: int<32>
        register count: int<32> = 0
        packet {
          old = @count
          last = old == 29i32
          next = old + 1i32
          new = last ? 0i32 : next
          @count = new
        }";
    assert_eq!(least_of(text, &["count"]), Some("if_else_raw"));
}

/// HULL drains a phantom queue. `sub` compares the counter with the amount drained, which is equivalent only if the
/// difference does not overflow; comparing the wrapped difference itself needs the adder in front of `nested_ifs`.
#[test]
fn hull_needs_sub_if_nothing_overflows() {
    let text = "
        field drained: int<32>
        field bytes: int<32>
        local old: int<32>
        local left: int<32>
        local under: bool
        local floor: int<32>
        local new: int<32>
        register counter: int<32> = 20
        packet {
          old = @counter
          left = old - drained
          under = left < 0i32
          floor = under ? 0i32 : left
          new = floor + bytes
          @counter = new
        }";
    let example = Example::new(text, &["counter"]);
    assert_eq!(example.least_names(), (Some("nested_ifs"), Some("sub")));
    let mapping = example.map(Template::Subtract, Premise::NoOverflow).expect("under the premise");
    let differs = mapping.differs.expect("an overflow shows the difference");
    let value = |name: &str| differs.inputs.iter().find(|(input, _)| input == name).expect("an input").1;
    let (old, drained, bytes) = (value("@counter") as i32, value("drained") as i32, value("bytes") as i32);
    let left = old.wrapping_sub(drained);
    let by_program = (if left < 0 { 0 } else { left }).wrapping_add(bytes);
    let by_atom = if old < drained { bytes } else { left.wrapping_add(bytes) };
    assert_eq!(differs.outcomes, [(i64::from(by_program), i64::from(by_atom))]);
    assert_ne!(by_program, by_atom);
}

#[test]
fn adaptive_virtual_queues_need_nested_ifs() {
    let text = "
        field bytes: int<32>
        field drained: int<32>
        field gained: int<32>
        local vq.0: int<32>
        local vq.1: int<32>
        local empty: bool
        local vq.2: int<32>
        local vq.3: int<32>
        local marked: bool
        local vq.4: int<32>
        local five: int<32>
        local c.0: int<32>
        local c.1: int<32>
        local below: bool
        local min: int<32>
        local c.2: int<32>
        local negative: bool
        local c.3: int<32>
        register vq: int<32> = 0
        register capacity: int<32> = 0
        packet {
          vq.0 = @vq
          vq.1 = vq.0 - drained
          empty = vq.1 < 0i32
          vq.2 = empty ? 0i32 : vq.1
          vq.3 = vq.2 + bytes
          marked = vq.3 > 3i32
          vq.4 = marked ? vq.2 : vq.3
          @vq = vq.4
          five = bytes * 5i32
          c.0 = @capacity
          c.1 = c.0 + gained
          below = c.1 < 10i32
          min = below ? c.1 : 10i32
          c.2 = min - five
          negative = c.2 < 0i32
          c.3 = negative ? 0i32 : c.2
          @capacity = c.3
        }";
    assert_eq!(least_of(text, &["vq"]), Some("nested_ifs"));
    assert_eq!(Example::new(text, &["capacity"]).least_names(), (None, Some("nested_ifs")));
}

/// In start-time fair queueing, `virtual_time + length` is computed before the codelet; once it is absorbed, two
/// operands remain.
#[test]
fn start_time_fair_queueing_needs_nested_ifs_and_absorbs_a_sum() {
    let text = "
        field virtual_time: int<32>
        field length: int<32>
        field id: int<32>
        local fresh: int<32>
        local old: int<32>
        local known: bool
        local busy: bool
        local both: bool
        local later: int<32>
        local new: int<32>
        register last_finish: int<32>[8000] = fill 1
        packet {
          fresh = virtual_time + length
          old = @last_finish[id]
          known = old > 1i32
          busy = virtual_time < old
          both = known & busy
          later = old + length
          new = both ? later : fresh
          @last_finish[id] = new
        }";
    assert_eq!(least_of(text, &["last_finish"]), Some("nested_ifs"));
    let example = Example::new(text, &["last_finish"]);
    let mapping = example.map(Template::NestedIfs, Premise::None).expect("as published");
    let names: Vec<_> = mapping.operands.iter().map(|&id| example.program.variable(id).name.as_str()).collect();
    assert_eq!(names, ["length", "virtual_time"]);
}

/// A Boolean operand is a 32-bit word that is true if it is not zero, so a counter of changes cannot simply add it.
#[test]
fn the_dns_change_counter_needs_nested_ifs() {
    let text = "
        field id: int<32>
        field ttl: int<32>
        local was_seen: int<32>
        local is_new: bool
        local last: int<32>
        local changed: bool
        local last.1: int<32>
        local last.2: int<32>
        local changes: int<32>
        local changes.1: int<32>
        local changes.2: int<32>
        local changes.3: int<32>
        register seen: int<32>[10000] = fill 0
        register last_ttl: int<32>[10000] = fill 0
        register ttl_change: int<32>[10000] = fill 0
        packet {
          was_seen = @seen[id]
          is_new = was_seen == 0i32
          @seen[id] = 1i32 if is_new
          last = @last_ttl[id]
          changed = last != ttl
          last.1 = changed ? ttl : last
          last.2 = is_new ? ttl : last.1
          @last_ttl[id] = last.2
          changes = @ttl_change[id]
          changes.1 = changes + 1i32
          changes.2 = changed ? changes.1 : changes
          changes.3 = is_new ? 0i32 : changes.2
          @ttl_change[id] = changes.3
        }";
    assert_eq!(least_of(text, &["seen"]), Some("pred_raw"));
    assert_eq!(least_of(text, &["last_ttl"]), Some("rw"), "it becomes the packet's whatever it was");
    assert_eq!(least_of(text, &["ttl_change"]), Some("nested_ifs"));
}

const CONGA: &str = "
    field util: int<32>
    field path: int<32>
    field id: int<32>
    local best: int<32>
    local hop: int<32>
    local better: bool
    local worse: bool
    local same: bool
    local same_path: bool
    local best.1: int<32>
    local best.2: int<32>
    local hop.1: int<32>
    register best_path_util: int<32>[256] = fill 100
    register best_path: int<32>[256] = fill -1
    packet {
      best = @best_path_util[id]
      hop = @best_path[id]
      better = util < best
      same = path == hop
      best.1 = same ? util : best
      best.2 = better ? util : best.1
      hop.1 = better ? path : hop
      @best_path_util[id] = best.2
      @best_path[id] = hop.1
    }";

#[test]
fn conga_needs_pair_with_guard_bits() {
    assert_eq!(least_of(CONGA, &["best_path_util", "best_path"]), Some("pair"));
    let example = Example::new(CONGA, &["best_path_util", "best_path"]);
    let mapping = example.map(Template::Pair, Premise::None).expect("as published");
    let text = mapping.configuration.to_string();
    assert!(text.starts_with("if state_1 - pkt_") && text.contains("> 0 exactly"), "{text}");
    assert_eq!(mapping.updates.len(), 2);
    assert_eq!(example.map(Template::Pair, Premise::None), Ok(mapping), "a function of the codelet");
}

#[test]
fn codel_maps_to_nothing() {
    let text = "
        field tick: int<32>
        field ok: bool
        local count.0: int<32>
        local count.1: int<32>
        local count.2: int<32>
        local next.0: int<32>
        local due: bool
        local share: int<32>
        local next.1: int<32>
        register count: int<32> = 0
        register drop_next: int<32> = 0
        packet {
          next.0 = @drop_next
          due = tick >= next.0
          count.0 = @count
          count.1 = count.0 + 1i32
          count.2 = due ? count.1 : count.0
          @count = count.2
          share = 30i32 / count.2
          next.1 = next.0 + share
          @drop_next = next.1 if due
        }";
    let refused = Example::new(text, &["count", "drop_next"]).least().exact.expect_err("as published");
    assert_eq!(refused.to_string(), "divides its state; no atom does");
}

/// Two variants of an update of the two-rate marker: one for which the paper's authors found an atom, and one for which
/// they found none.
#[test]
fn half_of_the_two_rate_marker_maps() {
    let text = |guard: &str| {
        format!(
            "field size: int<32>
            field time: int<32>
            local big: bool
            local old: int<32>
            local poor: bool
            local less: int<32>
            local tc.1: int<32>
            local tc.2: int<32>
            local tc.3: int<32>
            local full: bool
            local tc.4: int<32>
            register tc: int<32> = 2
            packet {{
              old = @tc
              big = 2i32 < size
              poor = old < size
              less = old - size
              tc.1 = poor ? old : less
              {guard}
              tc.3 = tc.2 + time
              full = tc.3 > 2i32
              tc.4 = full ? 2i32 : tc.3
              @tc = tc.4
            }}"
        )
    };
    let satisfiable = text("tc.2 = false ? old : tc.1");
    assert_eq!(least_of(&satisfiable, &["tc"]), Some("nested_ifs"));
    let unsatisfiable = text("tc.2 = big ? old : tc.1");
    assert_eq!(Example::new(&unsatisfiable, &["tc"]).least_names(), (None, None));
}

/// A state machine over two registers, with the states unknown, tracked with a count, and spammer.
#[test]
fn spam_detection_needs_pair_without_operands() {
    let text = "
        field id: int<32>
        local kind.0: int<32>
        local mails.0: int<32>
        local unknown: bool
        local kind.1: int<32>
        local mails.1: int<32>
        local tracked: bool
        local mails.2: int<32>
        local mails.3: int<32>
        local many: bool
        local spammer: bool
        local kind.2: int<32>
        register mta: int<32>[100] = fill 1
        register mails: int<32>[100] = fill 0
        packet {
          kind.0 = @mta[id]
          mails.0 = @mails[id]
          unknown = kind.0 == 1i32
          kind.1 = unknown ? 2i32 : kind.0
          mails.1 = unknown ? 0i32 : mails.0
          tracked = kind.1 == 2i32
          mails.2 = mails.1 + 1i32
          mails.3 = tracked ? mails.2 : mails.1
          many = mails.3 == 1000i32
          spammer = tracked & many
          kind.2 = spammer ? 3i32 : kind.1
          @mta[id] = kind.2
          @mails[id] = mails.3
        }";
    assert_eq!(least_of(text, &["mta", "mails"]), Some("pair"));
}

#[test]
fn a_moving_average_needs_mul_acc() {
    let text = "
        field gain: int<32>
        field sample: int<32>
        local rest: int<32>
        local part: int<32>
        local old: int<32>
        local scaled: int<32>
        local new: int<32>
        register average: int<32> = 0
        packet {
          rest = 1i32 - gain
          part = rest * sample
          old = @average
          scaled = gain * old
          new = scaled + part
          @average = new
        }";
    assert_eq!(least_of(text, &["average"]), Some("mul_acc"));
    let refused = Example::new(text, &["average"]).map(Template::Pair, Premise::None).expect_err("a product");
    assert_eq!(refused.to_string(), "multiplies its state; only `mul_acc` does");
}
