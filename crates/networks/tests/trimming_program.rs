//! The results of a network are those of the program in its switch: edits of the program, its chip and its entries change them
//! as they must. The program is `programs/p4/ndp`, which trims.

#[path = "trimming_program/fixture.rs"]
mod fixture;

use fixture::{Fates, PACKETS, Trial};

fn fates(trial: &Trial, name: &str) -> Fates {
    let outcome = trial.run(name);
    assert_eq!(outcome.summary.delivered, outcome.summary.flows, "all messages arrive: {:?}", outcome.summary);
    Fates::of(&outcome)
}

#[test]
fn every_packet_is_delivered_whole_or_trimmed_once_and_each_deflected_one_notifies_four_pipes() {
    let fates = fates(&Trial::new(), "usual");
    fates.are_accounted_for();
    assert_eq!(fates.lost, 0);
    // Three fourths of the first windows have no place.
    assert!(fates.trimmed > 8 * PACKETS / 2, "{fates:?}");
    assert!(fates.deflected > 0 && fates.in_ingress() > fates.deflected, "{fates:?}");
    // An original for each trimmed packet, and a NOTIFY in each pipe for each that was deflected.
    assert_eq!(fates.by_program, fates.trimmed + 4 * fates.deflected, "{fates:?}");
    assert_eq!(fates.trimmed_bytes, 64 * fates.trimmed);
}

/// Each pipe has no more packets for a port than the port can send, so nothing is trimmed in ingress unless it is told.
#[test]
fn without_notifications_all_trimmed_packets_were_deflected() {
    let fates = fates(&Trial::new().notifies(&[]), "no_notify");
    fates.are_accounted_for();
    assert_eq!((fates.lost, fates.in_ingress()), (0, 0), "{fates:?}");
    assert_eq!(fates.by_program, fates.trimmed, "{fates:?}");
}

#[test]
fn a_notification_that_the_program_does_not_send_does_not_work() {
    // The group has all ports, but what comes to recirculation ports is not sent on.
    let deaf = Trial::new().edit(
        "// On its way to ingress: an UPDATE, or a NOTIFY, which goes to the port of the packet, too.",
        "if (hdr.internal.kind == Kind.NOTIFY) { for_deparser.drop_ctl = 1; }",
    );
    let deaf = fates(&deaf, "deaf");
    let told_nothing = fates(&Trial::new().notifies(&[]), "told_nothing");
    assert_eq!(deaf.in_ingress(), 0, "{deaf:?}");
    assert_eq!((deaf.trimmed, deaf.deflected), (told_nothing.trimmed, told_nothing.deflected));
}

#[test]
fn notifications_to_one_pipe_have_only_that_pipe_trim() {
    let outcome = Trial::new().notifies(&[68]).run("one_pipe");
    let fates = Fates::of(&outcome);
    fates.are_accounted_for();
    assert!(fates.in_ingress() > 0, "{fates:?}");
    assert_eq!(fates.by_program, fates.trimmed + fates.deflected, "{fates:?}");
    let all = Fates::of(&Trial::new().run("all_pipes"));
    assert!(fates.in_ingress() < all.in_ingress() && fates.deflected > all.deflected, "{fates:?} {all:?}");
}

/// With T0 and T1 of 0, a port is pessimistic within the nanosecond of a notification.
#[test]
fn without_a_time_ports_hardly_respond() {
    let never = fates(&Trial::new().edit("respond(6000, 24000, 0, 0)", "respond(0, 0, 0, 0)"), "never");
    never.are_accounted_for();
    assert!(never.in_ingress() * 50 < never.trimmed, "{never:?}");
    // The same by the table.
    let entry = "setdefault response respond(pessimistic_for:0, half_pessimistic_for:0, trims:0, everything:0)";
    let by_entry = fates(&Trial::new().with(entry), "never_by_entry");
    assert_eq!((never.trimmed, never.deflected), (by_entry.trimmed, by_entry.deflected));
}

#[test]
fn a_longer_response_deflects_less_and_trims_more() {
    let runs = ["2000, 8000", "6000, 24000", "30000, 60000"].map(|times| {
        let edited = Trial::new().edit("respond(6000, 24000, 0, 0)", &format!("respond({times}, 0, 0)"));
        Fates::of(&edited.run(&format!("response_{}", times.replace(", ", "_"))))
    });
    runs.iter().for_each(Fates::are_accounted_for);
    let [short, usual, long] = runs;
    assert!(short.deflected >= usual.deflected && usual.deflected >= long.deflected, "{short:?} {usual:?} {long:?}");
    assert!(long.trimmed > short.trimmed, "{short:?} {long:?}");
}

/// A meter that colours everything red is as good as none.
#[test]
fn a_pessimistic_meter_without_a_rate_trims_everything() {
    let starved = Trial::new().with("meter_array_set_rates pessimistic 0.000001:1 0.000001:1").run("starved");
    let everything = Trial::new().edit("respond(6000, 24000, 0, 0)", "respond(6000, 24000, 0, 1)").run("everything");
    assert_eq!(starved.tables, everything.tables);
    let usual = Trial::new().run("usual_meter");
    assert!(Fates::of(&everything).in_ingress() > Fates::of(&usual).in_ingress());
}

/// A single sender, whose port has all of the link: the meter alone decides.
#[test]
fn the_rate_of_the_optimistic_meter_is_the_rate_of_a_flow_alone() {
    let alone = |trial: Trial, name: &str| {
        let outcome = Trial { senders: 2, receivers: 2, end: "9 us", ..trial }.run(name);
        Fates::of(&outcome)
    };
    let full = alone(Trial::new(), "alone");
    assert_eq!((full.trimmed, full.deflected), (0, 0), "{full:?}");
    let half = Trial::new().with("meter_array_set_rates optimistic 6250:15000 6250:15000");
    let half = alone(half, "alone_half");
    assert_eq!(half.deflected, 0, "{half:?}");
    // In 60 packet times of 120 ns, 6.25 kB/us let 30 packets pass and the burst ten more, and 20 are trimmed; of each of two
    // flows, of which the last packets have not arrived yet.
    assert!((76..=80).contains(&half.whole) && (36..=40).contains(&half.trimmed), "{half:?}");
}

#[test]
fn the_length_of_a_session_is_that_of_trimmed_packets() {
    let long = Trial::new().entries("length = 69", "length = 105");
    let long = fates(&long, "long");
    assert_eq!(long.trimmed_bytes, 100 * long.trimmed, "{long:?}");
    // Cut before the end of NDP's header, they are not packets of NDP any more.
    let short = Trial { end: "100 us", ..Trial::new().entries("length = 69", "length = 60") }.run("short");
    let malformed = short.summary.drops.get("malformed").copied().unwrap_or_default();
    assert!(malformed > 100, "{:?}", short.summary.drops);
    assert_eq!(Fates::of(&short).trimmed_bytes, 55 * Fates::of(&short).trimmed);
}

#[test]
fn what_is_not_deflected_is_lost_in_the_queue() {
    let fates = Fates::of(&Trial::new().edit("for_manager.deflect_on_drop = 1;", "").run("no_deflection"));
    fates.are_accounted_for();
    assert_eq!(fates.deflected, 0);
    assert!(fates.lost > 4 * PACKETS, "{fates:?}");
}

#[test]
fn what_finds_no_room_at_the_deflection_port_is_lost_there() {
    let chip = "queues = [0]\npriority = 0\n";
    let outcome = Trial::new().chip(chip, &format!("{chip}limit = 1\n")).run("no_room");
    let fates = Fates::of(&outcome);
    fates.are_accounted_for();
    // Nobody is notified, so nothing is trimmed in ingress either.
    assert_eq!(fates.trimmed, 0, "{fates:?}");
    let lost = outcome.summary.drops.get("no room at the deflection port").copied();
    assert_eq!(lost, Some(fates.lost), "{:?}", outcome.summary.drops);
    assert!(fates.lost > 4 * PACKETS, "{fates:?}");
}

/// SFC: trimmed packets go back to their senders, and not to the receivers.
#[test]
fn returned_packets_reach_their_senders() {
    let fates = Fates::of(&Trial::new().returns().run("returned"));
    fates.are_accounted_for();
    assert_eq!((fates.trimmed, fates.lost), (0, 0), "{fates:?}");
    assert!(fates.returned > 4 * PACKETS && fates.deflected > 0, "{fates:?}");
    assert_eq!(fates.by_program, fates.returned + 4 * fates.deflected, "{fates:?}");
}

/// Machine code and the interpreter, on a chip that keeps time.
#[test]
fn both_executors_give_the_same_tables() {
    let native = Trial::new().run("native");
    let interpreted = Trial { executor: "interpreter", ..Trial::new() }.run("interpreted");
    assert_eq!(native.tables, interpreted.tables);
}
