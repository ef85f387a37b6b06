//! Digests: messages to the control plane, one kind for each type that is sent.

use ir::{Digest, DigestId, Effect, SharedStatement, Statement};

use crate::lower::Lowering;
use crate::lower::arguments::{Arguments, wire_scalars};
use crate::lower::names::written_name;
use crate::types::Type;

impl<'a> Lowering<'a> {
    /// `digest(receiver, data)`. Who receives it is the control plane's affair.
    pub(super) fn digest_call(&mut self, arguments: &Arguments<'a>) {
        let [_, data] = self.argument_values(arguments, [0, 1]);
        let Some(&of) = arguments.types.first() else { return };
        let digest = self.digest_of(of);
        let mut scalars = Vec::new();
        wire_scalars(&data, &mut scalars);
        let fields = self.program.digests[digest.index()].fields.clone();
        let values = scalars.into_iter().zip(fields).map(|((value, _), (_, ty))| self.cast(value, ty)).collect();
        self.emit(Statement::Shared(SharedStatement::Effect(Effect::Digest { digest, values })));
    }

    fn digest_of(&mut self, of: Type) -> DigestId {
        if let Some(&known) = self.switch.digests.get(&of) {
            return known;
        }
        let (name, annotations) = match self.checked.types.named(of).map(|(definition, ..)| definition) {
            Some(definition) => {
                let own = self.checked.types.definitions.get(definition).name.to_string();
                let annotations = self.declarations.get(&definition).map_or(&[][..], |own| &own.annotations);
                let name = written_name(annotations).map(|name| name.trim_start_matches('.').to_owned());
                (name.unwrap_or(own), annotations)
            }
            None => (format!("digest_{}", self.program.digests.len()), &[][..]),
        };
        let shape = self.default_value(of);
        let mut scalars = Vec::new();
        wire_scalars(&shape, &mut scalars);
        let types: Vec<ir::Type> = scalars.iter().map(|(value, _)| self.program.type_of(value)).collect();
        let data_type = self.data_type(of);
        let names = data_type.leaves().into_iter().map(|leaf| leaf.path);
        let fields = names.zip(types).collect();
        self.program.digests.push(Digest { name: name.clone(), fields });
        let identity = self.identity(&name, annotations);
        self.switch.info.digests.push(control::Digest { identity, data_type });
        let digest = DigestId::from(self.program.digests.len() - 1);
        self.switch.digests.insert(of, digest);
        digest
    }
}
