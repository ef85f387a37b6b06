//! Translation of the IR to machine code: each parser and each function becomes a Cranelift function or is inlined into
//! its callers.
//!
//! All compiled functions take the context and the packet's words and return a [`operand::status`]. They have no
//! further parameters, because parameters of the program are variables, which live in the packet's words. The entries of
//! a program are entered through a chain (`chain`), which also takes the set of the entries to run.

pub(crate) mod chain;
mod checksums;
mod code;
mod expression;
mod fields;
mod flow;
pub(crate) mod narrow;
mod operand;
mod packets;
mod parser;
mod places;
mod shared;
mod shortcuts;
mod statements;
mod tables;
mod wide;

use std::sync::Arc;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, Signature, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};
use ir::{Block, FunctionId, ParserId, Program};

use self::code::{Code, Scope};
pub(crate) use self::operand::status;
use self::shared::Shared;
use crate::Unsupported;
use crate::analysis::{self, Analysis};
use crate::context::offsets;
use crate::helpers::Helper;
use crate::program_data::ProgramData;

/// The result of compiling a program.
pub(crate) struct Generated {
    pub(crate) module: JITModule,
    pub(crate) plan: ProgramData,
    /// The chains, each with the blocks that can be entered through it, in order.
    pub(crate) chains: Vec<(FuncId, Vec<Block>)>,
    /// The number of words of scratch memory that the code needs.
    pub(crate) scratch: u32,
}

/// The method of register allocation, and how much the code is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// All entries in one function where possible, so that nothing is between them; otherwise as [`Effort::Full`].
    Joined,
    /// The backtracking allocator and all optimisations, for the fastest code. The compile time grows with the square
    /// of the longest sequence of blocks in a function.
    Full,
    /// The single-pass allocator without optimisations, whose time grows linearly with the code.
    OnePass,
}

impl Effort {
    /// The maximum number of blocks in a function. Programs written by people stay far below that of [`Effort::Full`]; a
    /// `select` with thousands of cases, or as many states or `if`s, does not.
    fn most_blocks(self) -> usize {
        match self {
            Self::Joined => 2048,
            Self::Full => 4096,
            Self::OnePass => usize::MAX,
        }
    }
}

/// Compiles a program, with less effort if it is too large for more.
pub(crate) fn generate(program: &Arc<Program>) -> Result<Generated, Unsupported> {
    for effort in [Effort::Joined, Effort::Full] {
        if let Some(generated) = generate_with(program, effort)? {
            return Ok(generated);
        }
    }
    Ok(generate_with(program, Effort::OnePass)?.expect("one pass compiles functions of any size"))
}

/// Compiles a program; returns `None` if one of its functions has too many blocks for the effort.
fn generate_with(program: &Arc<Program>, effort: Effort) -> Result<Option<Generated>, Unsupported> {
    let entries = analysis::entries(program);
    let mut shared = declare(program, &entries, effort)?;
    let declared = |id: &Option<FuncId>| *id;
    let parsers = shared.parsers.iter().map(declared).enumerate();
    let parsers = parsers.map(|(number, id)| (id, Body::Block(Block::Parser(ParserId::from(number)))));
    let functions = shared.functions.iter().map(declared).enumerate();
    let functions = functions.map(|(number, id)| (id, Body::Block(Block::Function(FunctionId::from(number)))));
    let bodies = parsers.chain(functions).filter_map(|(id, body)| Some((id?, body)));
    let mut bodies: Vec<(FuncId, Body<'_>)> = bodies.collect();
    let chains = entries.chunks(chain::MOST_ENTRIES).enumerate().map(|(number, entries)| {
        let signature = signature(&shared.module, 3);
        let id = shared.module.declare_function(&format!("chain {number}"), Linkage::Local, &signature);
        id.map(|id| (id, entries.to_vec())).map_err(|error| refused(&error))
    });
    let chains = chains.collect::<Result<Vec<_>, _>>()?;
    bodies.extend(chains.iter().map(|(id, entries)| (*id, Body::Chain(entries))));
    let mut context = shared.module.make_context();
    let mut builder_context = FunctionBuilderContext::new();
    for (id, body) in bodies {
        let signature = signature(&shared.module, body.parameters());
        context.func = Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature);
        write(program, &mut shared, &mut context.func, &mut builder_context, body);
        if context.func.dfg.num_blocks() > effort.most_blocks() {
            return Ok(None);
        }
        shared.module.define_function(id, &mut context).map_err(|error| refused(&error))?;
        shared.module.clear_context(&mut context);
    }
    shared.module.finalize_definitions().map_err(|error| refused(&error))?;
    Ok(Some(Generated { chains, module: shared.module, plan: shared.plan, scratch: shared.scratch }))
}

/// The body of a compiled function.
#[derive(Clone, Copy)]
enum Body<'e> {
    /// A parser or function of the program.
    Block(Block),
    /// Those of these blocks whose bits are set in the third parameter, one after the other.
    Chain(&'e [Block]),
}

impl Body<'_> {
    fn parameters(self) -> usize {
        match self {
            Self::Block(_) => 2,
            Self::Chain(_) => 3,
        }
    }
}

pub(crate) fn refused(error: &ModuleError) -> Unsupported {
    Unsupported(format!("the code generator rejects the program: {error}"))
}

pub(crate) fn module(
    effort: Effort,
    symbols: impl IntoIterator<Item = (&'static str, *const u8)>,
) -> Result<JITModule, Unsupported> {
    if !cfg!(all(target_pointer_width = "64", target_endian = "little")) {
        return Err(Unsupported("only 64-bit little-endian processors are supported".to_owned()));
    }
    let mut flags = settings::builder();
    let (optimised, allocator) = match effort {
        Effort::Joined | Effort::Full => ("speed", "backtracking"),
        Effort::OnePass => ("none", "single_pass"),
    };
    let options = [
        ("opt_level", optimised),
        ("regalloc_algorithm", allocator),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        // The verifier detects mistakes of this crate; it runs in tests only.
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ];
    for (name, value) in options {
        flags.set(name, value).map_err(|error| Unsupported(format!("the code generator has no `{name}`: {error}")))?;
    }
    let unsupported = |error: &dyn std::fmt::Display| Unsupported(format!("this processor is not supported: {error}"));
    let host = cranelift_native::builder().map_err(|error| unsupported(&error))?;
    let isa = host.finish(settings::Flags::new(flags)).map_err(|error| unsupported(&error))?;
    let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    builder.symbols(symbols);
    Ok(JITModule::new(builder))
}

/// Returns the signature of compiled functions with a number of parameters.
fn signature(module: &JITModule, parameters: usize) -> Signature {
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(I64); parameters];
    signature.returns = vec![AbiParam::new(I64)];
    signature
}

fn declare(program: &Arc<Program>, entries: &[Block], effort: Effort) -> Result<Shared, Unsupported> {
    let mut module = module(effort, Helper::ALL.iter().map(|helper| (helper.name(), helper.address())))?;
    let analysis = Analysis::new(program, entries, effort == Effort::Joined);
    let helpers = Helper::ALL.iter().map(|helper| {
        let mut signature = module.make_signature();
        signature.params = vec![AbiParam::new(I64); 1 + helper.parameters()];
        signature.returns = vec![AbiParam::new(I64); helper.returns().into()];
        module.declare_function(helper.name(), Linkage::Import, &signature).map_err(|error| refused(&error))
    });
    let helpers = helpers.collect::<Result<_, _>>()?;
    let signature = signature(&module, 2);
    let mut declared = |block: Block| -> Result<Option<FuncId>, Unsupported> {
        if !analysis.is_reached(block) || analysis.is_inlined(block) {
            return Ok(None);
        }
        let name = match block {
            Block::Parser(id) => format!("parser {}", id.0),
            Block::Function(id) => format!("function {}", id.0),
        };
        module.declare_function(&name, Linkage::Local, &signature).map(Some).map_err(|error| refused(&error))
    };
    let parsers = (0..program.parsers.len()).map(|id| declared(Block::Parser(ParserId::from(id))));
    let parsers = parsers.collect::<Result<_, _>>()?;
    let functions = (0..program.functions.len()).map(|id| declared(Block::Function(FunctionId::from(id))));
    let functions = functions.collect::<Result<_, _>>()?;
    Ok(Shared { module, plan: ProgramData::new(program), analysis, helpers, parsers, functions, scratch: 0 })
}

/// Emits the code of a function.
fn write(
    program: &Program,
    shared: &mut Shared,
    function: &mut Function,
    builder_context: &mut FunctionBuilderContext,
    body: Body<'_>,
) {
    let mut builder = FunctionBuilder::new(function, builder_context);
    let start = builder.create_block();
    builder.append_block_params_for_function_params(start);
    builder.switch_to_block(start);
    let (context, words) = (builder.block_params(start)[0], builder.block_params(start)[1]);
    let scratch = builder.ins().load(I64, code::CONTEXT, context, offsets::SCRATCH);
    let (returns, stops) = (builder.create_block(), builder.create_block());
    let how = builder.append_block_param(stops, I64);
    let (position, emitted) = (builder.declare_var(I64), builder.declare_var(I64));
    let counts_steps = match body {
        Body::Block(block) => shared.analysis.of(block).counts_steps,
        // A chain itself takes no steps.
        Body::Chain(_) => false,
    };
    let mut code = Code {
        program,
        shared,
        builder,
        context,
        words,
        scratch,
        position,
        emitted,
        scratch_used: 0,
        scope: Scope { breaks: None, continues: None, returns, stops },
        counts_steps,
        helpers: vec![None; Helper::ALL.len()],
    };
    code.load_positions();
    match body {
        Body::Block(block) => code.body(block),
        Body::Chain(blocks) => {
            let asked = code.builder.block_params(start)[2];
            code.chain(blocks, asked);
        }
    }
    let mut builder = code.builder;
    builder.switch_to_block(returns);
    let done = builder.ins().iconst(I64, status::DONE as i64);
    builder.ins().return_(&[done]);
    builder.switch_to_block(stops);
    builder.ins().return_(&[how]);
    // Blocks of loops and parsers have predecessors that are emitted later, so all blocks are sealed at the end.
    builder.seal_all_blocks();
    builder.finalize();
}
