//! Our messages are those that p4lang publishes: every field has the same name, number, type, label and `oneof`, and
//! every enumeration the same values. The published descriptors are those of the wheels that `scripts/setup.sh tests`
//! brings to `target/wheels`; `P4RUNTIME_WHEELS` names another folder.

mod facts;
mod published;
mod source;

#[test]
fn messages_are_as_published() {
    let published = match published::facts() {
        Ok(published) => published,
        Err(missing) => {
            eprintln!("SKIPPED messages_are_as_published: {missing}; our messages were held against nothing");
            return;
        }
    };
    let ours = source::facts();
    let differences = published.differences(&ours);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let beyond: Vec<&String> = ours.messages.keys().filter(|name| !published.messages.contains_key(*name)).collect();
    // The wrapper of the tutorials is published elsewhere.
    assert_eq!(beyond, ["p4.tmp.P4DeviceConfig", "p4.tmp.P4DeviceConfig.Extras"]);
}

#[test]
fn a_wrong_number_name_type_label_or_oneof_is_found() {
    let ours = source::facts();
    assert!(ours.differences(&ours).is_empty());
    let finds = |change: &dyn Fn(&mut facts::Facts), expected: &str| {
        let mut published = ours.clone();
        change(&mut published);
        let differences = published.differences(&ours).join("\n");
        assert!(differences.contains(expected), "{differences}");
    };
    let entry = "p4.v1.TableEntry";
    fn field<'f>(facts: &'f mut facts::Facts, message: &str, number: i32) -> &'f mut facts::Field {
        facts.messages.get_mut(message).unwrap().get_mut(&number).unwrap()
    }
    finds(&|facts| field(facts, entry, 4).name = "rank".to_owned(), "p4.v1.TableEntry: 4");
    finds(&|facts| field(facts, entry, 4).kind = "uint32".to_owned(), "p4.v1.TableEntry: 4");
    finds(&|facts| field(facts, entry, 2).label = facts::Label::Single, "p4.v1.TableEntry: 2");
    finds(&|facts| field(facts, "p4.v1.Replica", 3).oneof = None, "p4.v1.Replica: 3");
    finds(
        &|facts| {
            let fields = facts.messages.get_mut(entry).unwrap();
            let moved = fields.remove(&11).unwrap();
            fields.insert(14, moved);
        },
        "p4.v1.TableEntry: 14",
    );
    finds(&|facts| _ = facts.messages.insert("p4.v1.New".to_owned(), Default::default()), "p4.v1.New is missing");
}
