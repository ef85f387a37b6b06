//! Machine code of the straight-line code of pipelines' stages.

mod emit;
mod machine_code;

use std::sync::Arc;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Function, UserFuncName};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{Linkage, Module};
use machines::stages::{CompiledStages, Operation, StageCode, StageCompiler};

use self::emit::Emitter;
use self::machine_code::StageMachineCode;
use crate::Unsupported;
use crate::generate::{Effort, module, refused};
use crate::helpers::hash_of_words;

/// The compiler of the stages of pipelines. Pipelines that look up tables or compute checksums are not compiled: those take most of
/// the time there, and are the same functions either way.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeStages;

impl StageCompiler for NativeStages {
    fn compile(&self, code: StageCode<'_>) -> Option<Arc<dyn CompiledStages>> {
        let mut instructions = code.stages().flatten();
        if instructions.any(|it| matches!(it.operation, Operation::LookUp | Operation::Checksum)) {
            return None;
        }
        let compiled = generate(code).ok()?;
        Some(Arc::new(compiled))
    }
}

/// The symbol of [`hash_of_words`].
const HASH: &str = "hash_of_words";

/// Compiles each stage that does anything to a function of its own.
fn generate(code: StageCode<'_>) -> Result<StageMachineCode, Unsupported> {
    let mut module = module(Effort::Full, [(HASH, hash_of_words as *const u8)])?;
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(I64); 4];
    signature.returns = vec![AbiParam::new(I64)];
    let hash = module.declare_function(HASH, Linkage::Import, &signature).map_err(|error| refused(&error))?;
    let mut context = module.make_context();
    let mut builder_context = FunctionBuilderContext::new();
    let mut functions = Vec::new();
    for (number, instructions) in code.stages().enumerate() {
        if !instructions.is_empty() {
            let mut signature = module.make_signature();
            signature.params = vec![AbiParam::new(I64); 2];
            let id = module.declare_function(&format!("stage {number}"), Linkage::Local, &signature);
            let id = id.map_err(|error| refused(&error))?;
            context.func = Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature);
            let hash = module.declare_func_in_func(hash, &mut context.func);
            let builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
            Emitter::new(builder, code, hash).stage(instructions)?;
            module.define_function(id, &mut context).map_err(|error| refused(&error))?;
            module.clear_context(&mut context);
            functions.push(id);
        }
    }
    module.finalize_definitions().map_err(|error| refused(&error))?;
    Ok(StageMachineCode::new(module, &functions, code))
}
