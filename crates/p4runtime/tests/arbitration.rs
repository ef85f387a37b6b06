//! Arbitration, by the rows of sections 5.3 and 5.4 and of the checks of `Write` (P4Runtime specification 1.4).

use p4runtime::arbitration::{Arbitration, Claim, ClaimRefused, Client, Notification, Standing, WriteRefused};

const DEVICE: u64 = 3;
const MOST: usize = 4;
const A: Client = Client(1);
const B: Client = Client(2);
const C: Client = Client(3);

/// Arbitration whose roles have texts as configurations.
struct Scene(Arbitration<&'static str>);

/// A notification in short: who is told, of which highest election id, and its standing.
type Told = (Client, Option<u128>, Standing);

fn short(told: Vec<Notification<&'static str>>) -> Vec<Told> {
    told.into_iter().map(|told| (told.client, told.election_id, told.standing)).collect()
}

fn of_role(role: &str, election: impl Into<Option<u128>>) -> Claim<&'static str> {
    Claim { device_id: DEVICE, role: role.into(), config: None, election_id: election.into() }
}

impl Scene {
    fn new() -> Self {
        Self(Arbitration::new(DEVICE, MOST))
    }

    fn claim(&mut self, client: Client, election: impl Into<Option<u128>>) -> Result<Vec<Told>, ClaimRefused> {
        self.0.claim(client, of_role("", election)).map(short)
    }

    fn leave(&mut self, client: Client) -> Vec<Told> {
        short(self.0.leave(client))
    }

    fn write(&mut self, election: impl Into<Option<u128>>) -> Result<(), WriteRefused> {
        self.0.begin_write(DEVICE, "", election.into())
    }

    /// A write that ends at once.
    fn whole_write(&mut self, election: impl Into<Option<u128>>) -> Result<(), WriteRefused> {
        self.write(election)?;
        assert!(self.0.end_write("").is_empty(), "nobody waits for it");
        Ok(())
    }
}

#[test]
fn the_first_claim_is_checked() {
    let mut scene = Scene::new();
    scene.claim(A, 5).unwrap();
    let claim = |scene: &mut Scene, claim| scene.0.claim(B, claim).map(short);
    let other_device = Claim { device_id: 4, ..of_role("", 6) };
    assert_eq!(claim(&mut scene, other_device), Err(ClaimRefused::UnknownDevice { asked: 4, own: DEVICE }));
    assert_eq!(claim(&mut scene, of_role("", 5)), Err(ClaimRefused::ElectionIdInUse { asked: 5 }));
    assert_eq!(scene.0.role_of(B), None, "a refused controller is not remembered");
    assert!(claim(&mut scene, of_role("other", 5)).is_ok(), "ids of other roles do not matter");
}

#[test]
fn a_role_has_a_limit_of_controllers_and_the_device_one_of_roles() {
    let mut scene = Scene::new();
    for number in 0..MOST as u64 {
        scene.claim(Client(number), None).unwrap();
    }
    assert_eq!(scene.claim(Client(99), 1), Err(ClaimRefused::TooManyStreams { most: MOST }));
    assert!(scene.leave(Client(0)).is_empty());
    assert!(scene.claim(Client(99), 1).is_ok());
    let refused = (0..1000).find_map(|number| {
        let client = Client(1000 + number);
        let refused = scene.0.claim(client, of_role(&format!("role {number}"), 1)).err();
        scene.0.leave(client);
        refused
    });
    assert_eq!(refused, Some(ClaimRefused::TooManyRoles { most: 256 }));
}

#[test]
fn a_further_claim_is_checked() {
    let mut scene = Scene::new();
    scene.claim(A, 5).unwrap();
    scene.claim(B, 4).unwrap();
    let claim = |scene: &mut Scene, claim| scene.0.claim(B, claim).map(short);
    let other_device = Claim { device_id: 4, ..of_role("", 6) };
    assert_eq!(claim(&mut scene, other_device), Err(ClaimRefused::OtherDevice { asked: 4, own: DEVICE }));
    let other_role = Err(ClaimRefused::OtherRole { asked: "other".into(), own: String::new() });
    assert_eq!(claim(&mut scene, of_role("other", 6)), other_role);
    assert_eq!(claim(&mut scene, of_role("", 5)), Err(ClaimRefused::ElectionIdInUse { asked: 5 }));
    // Its own id is not "used by another controller".
    assert_eq!(claim(&mut scene, of_role("", 4)), Ok(vec![(B, Some(5), Standing::Backup)]));
}

#[test]
fn the_highest_election_id_is_primary_and_all_are_told() {
    let mut scene = Scene::new();
    assert_eq!(scene.claim(A, 5), Ok(vec![(A, Some(5), Standing::Primary)]));
    assert_eq!(scene.claim(B, 4), Ok(vec![(B, Some(5), Standing::Backup)]), "only the backup itself is told");
    let told = vec![(A, Some(7), Standing::Backup), (B, Some(7), Standing::Backup), (C, Some(7), Standing::Primary)];
    assert_eq!(scene.claim(C, 7), Ok(told), "the new primary is told last");
    // A primary that says so again stays primary, and all are told.
    assert_eq!(scene.claim(C, 7).unwrap().len(), 3);
    assert!(scene.0.is_primary(C));
}

#[test]
fn election_ids_have_128_bits() {
    let mut scene = Scene::new();
    scene.claim(A, u128::from(u64::MAX)).unwrap();
    assert_eq!(scene.claim(B, 1u128 << 64).unwrap().last(), Some(&(B, Some(1 << 64), Standing::Primary)));
    assert_eq!(scene.claim(A, u128::MAX).unwrap().last(), Some(&(A, Some(u128::MAX), Standing::Primary)));
}

#[test]
fn a_controller_without_election_id_is_a_backup() {
    let mut scene = Scene::new();
    assert_eq!(scene.claim(A, None), Ok(vec![(A, None, Standing::NoPrimary)]), "there has been no primary");
    assert_eq!(scene.claim(B, None), Ok(vec![(B, None, Standing::NoPrimary)]), "no id is not a duplicate of no id");
    assert_eq!(scene.write(None), Err(WriteRefused::NoPrimary));
    // An id of 0 is an id (section 16.2.1).
    let told = vec![(A, Some(0), Standing::Backup), (B, Some(0), Standing::Backup), (C, Some(0), Standing::Primary)];
    assert_eq!(scene.claim(C, 0), Ok(told));
    assert_eq!(scene.write(None), Err(WriteRefused::NotPrimary { asked: None, primary: 0 }));
    assert_eq!(scene.whole_write(0), Ok(()));
}

#[test]
fn without_its_primary_a_role_waits_for_an_id_that_is_as_high() {
    let mut scene = Scene::new();
    scene.claim(A, 5).unwrap();
    scene.claim(B, 4).unwrap();
    assert!(scene.leave(C).is_empty(), "a stream that has claimed nothing");
    assert_eq!(scene.leave(A), vec![(B, Some(5), Standing::NoPrimary)]);
    assert_eq!(scene.write(5), Err(WriteRefused::NoPrimary));
    assert_eq!(scene.write(4), Err(WriteRefused::NoPrimary), "a backup does not move up by itself");
    assert_eq!(scene.claim(B, 4), Ok(vec![(B, Some(5), Standing::NoPrimary)]), "the highest id is remembered");
    assert_eq!(scene.claim(B, 5).unwrap(), vec![(B, Some(5), Standing::Primary)]);
    assert_eq!(scene.claim(A, 3).unwrap(), vec![(A, Some(5), Standing::Backup)]);
    assert!(scene.leave(A).is_empty(), "nobody hears of a backup that goes");
}

#[test]
fn a_primary_can_step_down() {
    let mut scene = Scene::new();
    scene.claim(A, 5).unwrap();
    scene.claim(B, 4).unwrap();
    let told = vec![(A, Some(5), Standing::NoPrimary), (B, Some(5), Standing::NoPrimary)];
    assert_eq!(scene.claim(A, 1), Ok(told.clone()));
    assert_eq!(scene.write(5), Err(WriteRefused::NoPrimary));
    assert_eq!(scene.claim(A, 5).unwrap().last(), Some(&(A, Some(5), Standing::Primary)), "and up again");
    assert_eq!(scene.claim(A, None), Ok(told), "also by giving up its id");
}

#[test]
fn writes_are_for_the_primary_alone() {
    let mut scene = Scene::new();
    assert_eq!(scene.0.begin_write(9, "", None), Err(WriteRefused::UnknownDevice { asked: 9, own: DEVICE }));
    let unknown = WriteRefused::UnknownRole { asked: "other".into() };
    assert_eq!(scene.0.begin_write(DEVICE, "other", Some(1)), Err(unknown));
    assert_eq!(scene.write(1), Err(WriteRefused::NoPrimary));
    scene.claim(A, 5).unwrap();
    scene.claim(B, 4).unwrap();
    assert_eq!(scene.write(4), Err(WriteRefused::NotPrimary { asked: Some(4), primary: 5 }));
    assert_eq!(scene.whole_write(5), Ok(()));
    scene.0.declare("other");
    assert_eq!(scene.0.begin_write(DEVICE, "other", Some(5)), Err(WriteRefused::NoPrimary), "roles are apart");
}

#[test]
fn a_new_primary_waits_for_the_writes_of_the_one_before() {
    let mut scene = Scene::new();
    scene.claim(A, 5).unwrap();
    scene.claim(B, 4).unwrap();
    scene.write(5).unwrap();
    scene.write(5).unwrap();
    let others = vec![(A, Some(6), Standing::Backup), (B, Some(6), Standing::Backup)];
    assert_eq!(scene.claim(C, 6), Ok(others), "the others are told at once");
    assert_eq!(scene.write(5), Err(WriteRefused::NotPrimary { asked: Some(5), primary: 6 }));
    assert_eq!(scene.write(6), Err(WriteRefused::NotYet));
    assert!(scene.0.end_write("").is_empty(), "one write is still being carried out");
    assert_eq!(short(scene.0.end_write("")), vec![(C, Some(6), Standing::Primary)]);
    assert_eq!(scene.whole_write(6), Ok(()));
}

#[test]
fn a_new_primary_that_leaves_before_its_turn_is_told_nothing() {
    let mut scene = Scene::new();
    scene.claim(A, 5).unwrap();
    scene.write(5).unwrap();
    scene.claim(B, 6).unwrap();
    assert_eq!(scene.leave(B), vec![(A, Some(6), Standing::NoPrimary)]);
    assert!(scene.0.end_write("").is_empty());
    // The write of a primary that has left still counts.
    scene.claim(A, 6).unwrap();
    scene.write(6).unwrap();
    scene.leave(A);
    assert_eq!(scene.claim(C, 7), Ok(vec![]));
    assert_eq!(short(scene.0.end_write("")), vec![(C, Some(7), Standing::Primary)]);
}

#[test]
fn the_configuration_of_a_role_is_that_of_its_last_primary() {
    let mut scene = Scene::new();
    let with = |config, election| Claim { config: Some(config), ..of_role("r", Some(election)) };
    let configs =
        |told: Vec<Notification<&'static str>>| -> Vec<_> { told.into_iter().map(|told| told.config).collect() };
    assert_eq!(configs(scene.0.claim(A, with("first", 5)).unwrap()), [Some("first")]);
    assert_eq!(configs(scene.0.claim(B, with("backup", 4)).unwrap()), [Some("first")]);
    assert_eq!(configs(scene.0.claim(A, with("second", 5)).unwrap()), [Some("second"), Some("second")]);
    assert_eq!(configs(scene.0.leave(A)), [Some("second")]);
    assert_eq!(configs(scene.0.claim(B, of_role("r", 6)).unwrap()), [None], "no configuration is one, too");
    assert_eq!(scene.0.primaries().map(|(role, client, _)| (role, client)).collect::<Vec<_>>(), [("r", B)]);
}
