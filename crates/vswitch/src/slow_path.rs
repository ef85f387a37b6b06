//! The budgets of the slow path: how many packets the policy tables decide for each vNIC.
//!
//! A packet that begins a session costs several times as much as one of a session. Without a budget, a guest that does nothing
//! but begin sessions would take the processor time of its neighbours, and whoever floods a guest from afar would as well.

use basis::Instant;
use runtime::meter::{Color, Meter, MeterRates};

use crate::configuration::{Direction, SessionRate, Vnic};

/// The work of the policy tables on a packet, in packets that find their session, beside what every packet costs
/// (`docs/vswitch/attacks.md` has the measurements).
pub const DECISION_COST: u64 = 6;
/// The same work if the session takes the place of another one, whose memory is not in the processor's caches.
pub const REPLACEMENT_COST: u64 = 12;
/// The further cost of a packet that is refused because no budget is left, or that begins a datagram of fragments.
pub const NOTE_COST: u64 = 1;
/// The new sessions that one counts for if it takes the place of another one.
const REPLACEMENT: u64 = 3;

/// The budgets of the vNICs of a switch, by their positions: one for the sessions that the vNIC begins, and one for those that
/// others begin to it, so that nobody from afar uses up what the guest may begin.
#[derive(Debug, Default)]
pub struct Budgets(Vec<[Meter; 2]>);

impl Budgets {
    /// Creates the budgets of vNICs, none of which is used yet.
    pub fn new(vnics: &[Vnic]) -> Self {
        Self(vnics.iter().map(|vnic| unused(vnic.session_rate)).collect())
    }

    /// Goes on with other vNICs. A vNIC of the same name and rate goes on with what is left of its budgets.
    pub fn apply(&mut self, earlier: &[Vnic], vnics: &[Vnic]) {
        let old = std::mem::take(self);
        let kept = old.0.into_iter().zip(earlier).map(Some).chain(std::iter::repeat_with(|| None));
        let budgets = vnics.iter().zip(kept).map(|(vnic, kept)| match kept {
            Some((budgets, old)) if old.name == vnic.name && old.session_rate == vnic.session_rate => budgets,
            _ => unused(vnic.session_rate),
        });
        self.0 = budgets.collect();
    }

    /// Takes a packet that the policy tables are to decide from the budget of a vNIC for sessions of a direction; `replaces`
    /// says that its session would take the place of another one. Returns false, and takes nothing, if not so much is left.
    pub fn spend(&mut self, now: Instant, vnic: u32, direction: Direction, replaces: bool) -> bool {
        let Some(budgets) = self.0.get_mut(vnic as usize) else { return true };
        let amount = if replaces { REPLACEMENT } else { 1 };
        budgets[direction as usize].mark(now, amount, Color::Green) != Color::Red
    }
}

/// Returns the budgets of a vNIC that has used nothing of them.
fn unused(rate: SessionRate) -> [Meter; 2] {
    let SessionRate { per_second, burst } = rate;
    let (rate, burst) = (per_second.into(), u64::from(burst).max(REPLACEMENT));
    let rates = MeterRates { committed_rate: rate, committed_burst: burst, peak_rate: rate, peak_burst: burst };
    [(); 2].map(|()| Meter::new(rates).expect("the rates are equal, and the bursts above 0"))
}

#[cfg(test)]
mod tests {
    use basis::Duration;

    use super::*;

    fn vnic(name: &str, per_second: u32) -> Vnic {
        Vnic { name: name.to_owned(), session_rate: SessionRate { per_second, burst: 4 }, ..Vnic::vacant() }
    }

    #[test]
    fn each_direction_has_a_budget_that_comes_back_with_time() {
        let mut budgets = Budgets::new(&[vnic("one", 10)]);
        let spent = |budgets: &mut Budgets, now, direction| {
            (0..9).take_while(|_| budgets.spend(now, 0, direction, false)).count()
        };
        assert_eq!(spent(&mut budgets, Instant::ZERO, Direction::Out), 4);
        assert_eq!(spent(&mut budgets, Instant::ZERO, Direction::In), 4);
        let later = Instant::ZERO + Duration::from_microseconds(200_000);
        assert!(!budgets.spend(later, 0, Direction::Out, true), "two are there, and three are needed");
        assert_eq!(spent(&mut budgets, later, Direction::Out), 2);
    }

    #[test]
    fn another_configuration_leaves_what_is_used() {
        let earlier = [vnic("one", 10), vnic("two", 10), vnic("three", 10)];
        let mut budgets = Budgets::new(&earlier);
        for vnic in 0..3 {
            (0..4).for_each(|_| assert!(budgets.spend(Instant::ZERO, vnic, Direction::Out, false)));
        }
        budgets.apply(&earlier, &[vnic("one", 10), vnic("two", 11), vnic("other", 10), vnic("new", 10)]);
        let has_some = [0, 1, 2, 3].map(|vnic| budgets.spend(Instant::ZERO, vnic, Direction::Out, false));
        assert_eq!(has_some, [false, true, true, true]);
    }
}
