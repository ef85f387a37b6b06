//! Digests: messages to the control plane, with one kind for each type of data.

use ir::{Digest, DigestId, Effect, SharedStatement, Statement};

use crate::ast;
use crate::lower::arguments::{Constructed, wire_scalars};
use crate::lower::names::written_name;
use crate::lower::tree::Value;
use crate::lower::{ExternCall, Objects};
use crate::types::Type;

impl<'a> ExternCall<'_, 'a> {
    /// Writes `digest(receiver, data)`. The receiver is left to the control plane.
    pub(super) fn digest_call(&mut self) {
        let [_, data] = self.argument_values([0, 1]);
        let Some(&of) = self.arguments.types.first() else { return };
        let digest = self.lowering.objects().digest_of(of);
        self.send_digest(digest, &data);
    }

    /// Writes the sending of a digest with the scalars of a value.
    pub(super) fn send_digest(&mut self, digest: DigestId, data: &Value) {
        let mut scalars = Vec::new();
        wire_scalars(data, &mut scalars);
        let fields = self.lowering.output.program.digests[digest.index()].fields.clone();
        let values =
            scalars.into_iter().zip(fields).map(|((value, _), (_, ty))| self.lowering.output.cast(value, ty)).collect();
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Effect(Effect::Digest { digest, values })));
    }
}

impl<'a> Objects<'_, 'a> {
    fn digest_of(&mut self, of: Type) -> DigestId {
        if let Some(&known) = self.switch.digests.get(&of) {
            return known;
        }
        let (name, annotations) = match self.shapes.types.named(of).map(|(definition, ..)| definition) {
            Some(definition) => {
                let own = self.shapes.types.definitions.get(definition).name.to_string();
                let annotations = self.declarations.top.get(&definition).map_or(&[][..], |own| &own.annotations);
                let name = written_name(annotations).map(|name| name.trim_start_matches('.').to_owned());
                (name.unwrap_or(own), annotations)
            }
            None => (format!("digest_{}", self.output.program.digests.len()), &[][..]),
        };
        let digest = self.describe_digest(&name, annotations, of);
        self.switch.digests.insert(of, digest);
        digest
    }

    /// Makes the digest that an object sends, which has the name of the object.
    pub(super) fn make_digest(&mut self, constructed: &Constructed<'_, 'a>) -> Option<DigestId> {
        let &of = constructed.types.first()?;
        Some(self.describe_digest(constructed.name, constructed.annotations, of))
    }

    fn describe_digest(&mut self, name: &str, annotations: &'a [ast::Annotation], of: Type) -> DigestId {
        let shape = self.shapes.default_value(of);
        let mut scalars = Vec::new();
        wire_scalars(&shape, &mut scalars);
        let types: Vec<ir::Type> = scalars.iter().map(|(value, _)| self.output.program.type_of(value)).collect();
        let data_type = self.control_plane().data_type(of);
        let names = data_type.leaves().into_iter().map(|leaf| leaf.path);
        let fields = names.zip(types).collect();
        self.output.program.digests.push(Digest { name: name.to_owned(), fields });
        let identity = self.control_plane().identity(name, annotations);
        self.info.digests.push(control::Digest { identity, data_type });
        DigestId::from(self.output.program.digests.len() - 1)
    }
}
