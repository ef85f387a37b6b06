//! Commands about members and groups of action profiles.

use diagnostics::Span;

use super::{Session, Verb};
use crate::{ActionCall, Group, ProfileNumber, ProfileRequest, Request, Word};

impl Session<'_> {
    /// Looks up a profile by its name, or by that of a table that uses it.
    fn profile(&mut self, word: &Word) -> Option<ProfileNumber> {
        let named = self.info().profile_named(&word.text);
        let of_table = || self.info().table(self.info().table_named(&word.text).ok()?).profile;
        match (&named, of_table()) {
            (Err(_), Some(profile)) => Some(profile),
            _ => self.resolver.ok(named, word.span),
        }
    }

    fn profile_call(
        &mut self,
        profile: ProfileNumber,
        action: &Word,
        given: &[Word],
        span: Span,
    ) -> Option<ActionCall> {
        let action = self.resolver.ok(self.info().profile_action_named(profile, &action.text), action.span)?;
        self.resolver.call(action, given, span)
    }

    pub(super) fn create_member(&mut self, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let call = self.profile_call(profile, &words[1], &words[2..], span)?;
        let member = self.numbers.members[profile.index()].add(());
        Some(vec![Request::Profile(profile, ProfileRequest::InsertMember(member, call))])
    }

    pub(super) fn modify_member(&mut self, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let member = self.number(&words[2], "member");
        let skipped = usize::from(words.get(3).is_some_and(|word| word.text == "=>"));
        let call = self.profile_call(profile, &words[1], &words[3 + skipped..], span)?;
        Some(vec![Request::Profile(profile, ProfileRequest::ModifyMember(member?, call))])
    }

    pub(super) fn delete_member(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let member = self.number(&words[1], "member")?;
        self.numbers.members[profile.index()].remove(member);
        Some(vec![Request::Profile(profile, ProfileRequest::DeleteMember(member))])
    }

    pub(super) fn create_group(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let group = self.numbers.groups[profile.index()].add(Vec::new());
        Some(vec![Request::Profile(profile, ProfileRequest::InsertGroup(Group::new::<u32>(group, [])))])
    }

    pub(super) fn delete_group(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let group = self.number(&words[1], "group")?;
        self.numbers.groups[profile.index()].remove(group);
        Some(vec![Request::Profile(profile, ProfileRequest::DeleteGroup(group))])
    }

    pub(super) fn change_group(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let (member, group) = (self.number(&words[1], "member"), self.number(&words[2], "group"));
        let (member, group) = (member?, group?);
        let name = &self.info().profile(profile).identity.name;
        let known = self.numbers.groups[profile.index()].known("group");
        let Some(members) = self.numbers.groups[profile.index()].get_mut(group) else {
            self.resolver.error(words[2].span, format!("action profile `{name}` has no group {group} here; {known}"));
            return None;
        };
        if verb == Verb::AddToGroup {
            members.push(member);
        } else {
            let Some(at) = members.iter().position(|other| *other == member) else {
                self.resolver.error(words[1].span, format!("group {group} has no member {member}"));
                return None;
            };
            members.remove(at);
        }
        let group = Group::new(group, members.iter().copied());
        Some(vec![Request::Profile(profile, ProfileRequest::ModifyGroup(group))])
    }

    pub(super) fn dump_profile(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let profile = self.profile(&words[0])?;
        let requests = match verb {
            Verb::DumpMember => vec![ProfileRequest::ReadMembers(Some(self.number(&words[1], "member")?))],
            Verb::DumpGroup => vec![ProfileRequest::ReadGroups(Some(self.number(&words[1], "group")?))],
            _ => vec![ProfileRequest::ReadMembers(None), ProfileRequest::ReadGroups(None)],
        };
        Some(requests.into_iter().map(|request| Request::Profile(profile, request)).collect())
    }
}
