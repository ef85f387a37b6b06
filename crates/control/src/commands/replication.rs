//! Commands about multicast and mirroring.

use diagnostics::Span;

use super::{Session, Verb};
use crate::{CloneSession, Replica, ReplicationRequest, Request, Word};

impl Session<'_> {
    pub(super) fn multicast_group(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let group = self.group(&words[0])?;
        Some(vec![match verb {
            Verb::GroupCreate => self.nodes.create_group(group),
            _ => self.nodes.destroy_group(group),
        }])
    }

    pub(super) fn multicast_node(&mut self, verb: Verb, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let first = match verb {
            Verb::NodeCreate => self.resolver.narrow_index(&words[0], "replica id", self.info().replication.instance),
            _ => self.number(&words[0], "node"),
        };
        let bar = words.iter().position(|word| word.text == "|").unwrap_or(words.len());
        if words.len() > bar + 1 {
            self.warn(
                words[bar + 1].span,
                "link aggregation groups are not supported; packets are sent to the ports only",
            );
        }
        let ports: Vec<Option<u32>> = words[1..bar.max(1)].iter().map(|word| self.port(word)).collect();
        let ports = ports.into_iter().collect::<Option<Vec<u32>>>()?;
        match verb {
            Verb::NodeCreate => {
                self.nodes.create_node(first?, ports);
                Some(Vec::new())
            }
            Verb::NodeUpdate => {
                let changed = self.nodes.update_node(first?, ports);
                self.said(changed, span)
            }
            _ => {
                let changed = self.nodes.destroy_node(first?);
                self.said(changed, span)
            }
        }
    }

    pub(super) fn multicast_association(&mut self, verb: Verb, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let (group, node) = (self.group(&words[0]), self.number(&words[1], "node"));
        let changed = match verb {
            Verb::NodeAssociate => self.nodes.associate(group?, node?),
            _ => self.nodes.dissociate(group?, node?),
        };
        self.said(changed, span)
    }

    pub(super) fn mirroring(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let session = self.number(&words[0], "mirroring session");
        let request = match verb {
            Verb::MirroringAdd => {
                // BMv2 gives such a copy the replica id 0.
                let port = self.port(&words[1]);
                let maximum_length = self.maximum_length(words.get(2))?;
                let replicas = vec![Replica { port: port?, instance: 0 }];
                ReplicationRequest::Put(CloneSession { replicas, maximum_length, ..CloneSession::default() })
            }
            Verb::MirroringAddGroup => {
                let group = self.group(&words[1]);
                let maximum_length = self.maximum_length(words.get(2))?;
                ReplicationRequest::Put(CloneSession { group: Some(group?), maximum_length, ..CloneSession::default() })
            }
            Verb::MirroringDelete => ReplicationRequest::Delete,
            _ => ReplicationRequest::Read,
        };
        Some(vec![Request::CloneSession(session?, request)])
    }

    /// Reads the length to which a session cuts its copies, which is our addition to BMv2's commands. `None` is an error;
    /// without the word, or with 0, copies stay whole (P4Runtime specification 1.4, section 9.5.2).
    fn maximum_length(&mut self, word: Option<&Word>) -> Option<Option<u32>> {
        let Some(word) = word else { return Some(None) };
        let length = self.number(word, "length in bytes")?;
        Some((length > 0).then_some(length))
    }
}
