//! What the controllers of a role may do: the default role everything, another one what the program and the configuration
//! of the role leave it.

use control::{Annotation, AnnotationValue, Entity, Identity, Info};

use crate::arbitration::DEFAULT_ROLE;
use crate::role_config::P4RoleConfig;
use crate::switch::Access;
use crate::translate::identity_of;

/// The annotation by which a program gives an entity to a role.
const ANNOTATION: &str = "p4runtime_role";

/// The rights of a role that controllers have configured; nothing is configured by default.
#[derive(Clone, Debug, Default)]
pub struct Rights {
    /// The configuration of the role; `None` if its controller has given none.
    pub config: Option<P4RoleConfig>,
    /// The ids of the entities that are exclusive to other roles.
    pub foreign: Vec<u32>,
}

/// The access of one role to the entities of a program.
#[derive(Clone, Debug)]
pub struct RoleAccess<'r> {
    info: &'r Info,
    role: &'r str,
    rights: Rights,
    /// Whether the program gives tables to roles at all.
    is_divided: bool,
}

impl<'r> RoleAccess<'r> {
    /// Returns the access of a role to a program.
    ///
    /// The default role may do everything. If the program has `@p4runtime_role("NAME")` at any table, another role may write
    /// and read the tables that have its name there, and no others; of other entities those that have its name there or
    /// none. Without such an annotation, all roles may do everything. What is configured limits this further.
    pub fn new(info: &'r Info, role: &'r str, rights: Rights) -> Self {
        let is_divided = info.tables.iter().any(|table| role_of(&table.identity).is_some());
        Self { info, role, rights, is_divided }
    }
}

impl Access for RoleAccess<'_> {
    fn permits(&self, entity: Option<Entity>) -> bool {
        if self.role == DEFAULT_ROLE {
            return true;
        }
        let info = self.info;
        if let Some(entity) = entity {
            let id = identity_of(info, entity).id;
            let is_configured = self.rights.config.as_ref().is_none_or(|config| config.has(id));
            if !is_configured || self.rights.foreign.contains(&id) {
                return false;
            }
        }
        if !self.is_divided {
            return true;
        }
        let is_own = |identity: &Identity| role_of(identity).is_none_or(|role| role == self.role);
        match entity {
            Some(Entity::Table(number)) => role_of(&info.table(number).identity) == Some(self.role),
            Some(entity) => is_own(identity_of(info, entity)),
            // Groups and sessions are named by no program.
            None => true,
        }
    }
}

/// Returns all roles that a program names, each once.
pub fn roles_of(info: &Info) -> Vec<&str> {
    let mut roles: Vec<&str> = info.tables.iter().filter_map(|table| role_of(&table.identity)).collect();
    roles.sort_unstable();
    roles.dedup();
    roles
}

fn role_of(identity: &Identity) -> Option<&str> {
    identity.annotations.iter().find_map(|annotation| match annotation {
        Annotation::Text(text) => {
            let rest = text.strip_prefix('@')?.strip_prefix(ANNOTATION)?.trim();
            let argument = rest.strip_prefix('(')?.strip_suffix(')')?.trim();
            argument.strip_prefix('"')?.strip_suffix('"')
        }
        Annotation::Structured { name, values } if name == ANNOTATION => match values.first() {
            Some((_, AnnotationValue::Text(role))) => Some(role),
            _ => None,
        },
        Annotation::Structured { .. } => None,
    })
}
