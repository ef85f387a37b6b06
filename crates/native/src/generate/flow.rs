//! Control flow: loops, calls and jumps.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as CodeBlock, InstBuilder, Value};
use cranelift_module::Module;
use ir::interpret::CALL_DEPTH;
use ir::{Block, Expression, Flow, Statement};

use super::code::{Code, Scope};
use super::operand::status;
use crate::context::offsets;

impl Code<'_> {
    /// Emits a control flow statement. Returns false if control never reaches its end.
    pub(super) fn flow(&mut self, flow: &Flow) -> bool {
        match flow {
            Flow::Loop { condition, body, step } => self.repeat(condition, body, step),
            Flow::Break => self.leave(self.scope.breaks),
            Flow::Continue => self.leave(self.scope.continues),
            Flow::Return => self.leave(Some(self.scope.returns)),
            Flow::Exit => {
                self.stop(status::EXIT);
                false
            }
            Flow::Call { function, after } => self.run(Block::Function(*function), after),
            Flow::Parse { parser, after } => self.run(Block::Parser(*parser), after),
            Flow::Apply { table, hit, action, entry } => self.apply(*table, [*hit, *action, *entry]),
        }
    }

    fn leave(&mut self, to: Option<CodeBlock>) -> bool {
        self.go(to.expect("`verify` demands a loop around it"));
        false
    }

    fn repeat(&mut self, condition: &Expression, body: &[Statement], step: &[Statement]) -> bool {
        let (turn, inner) = (self.builder.create_block(), self.builder.create_block());
        let (after_turn, next) = (self.builder.create_block(), self.builder.create_block());
        self.go(turn);
        self.builder.switch_to_block(turn);
        let condition = self.condition(condition);
        self.branch(condition, inner, next);
        self.builder.switch_to_block(inner);
        self.step(status::UNFINISHED);
        let outer = self.scope;
        self.scope = Scope { breaks: Some(next), continues: Some(after_turn), ..outer };
        if self.statements(body) {
            self.go(after_turn);
        }
        self.scope = outer;
        self.builder.switch_to_block(after_turn);
        if self.statements(step) {
            self.go(turn);
        }
        self.builder.switch_to_block(next);
        true
    }

    /// Calls a function or parser and then executes `after`, however the call ends unless it ends everything.
    pub(super) fn run(&mut self, callee: Block, after: &[Statement]) -> bool {
        let facts = self.shared.analysis.of(callee);
        let depth = self.deeper();
        let is_inlined = self.shared.analysis.is_inlined(callee);
        if !facts.stops || is_inlined && after.is_empty() {
            self.invoke_block(callee, self.scope.stops);
            self.restore(depth);
            return self.statements(after);
        }
        // All endings arrive here, with the status as parameter.
        let (ended, how) = self.block_with_word();
        let ending = self.invoke_block(callee, ended);
        self.go_with(ended, ending);
        self.builder.switch_to_block(ended);
        self.restore(depth);
        if after.is_empty() {
            return self.unless_stopped(how);
        }
        // Copy-out also happens on exit (P4_16, 12.5) and on reject, but not after an ending that stops everything.
        let kind = self.and(how, !1);
        let at_once = self.compare_constant(IntCC::Equal, kind, status::ASSERTION_FAILED);
        let (end, go_on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(end);
        self.branch(at_once, end, go_on);
        self.builder.switch_to_block(end);
        self.go_with(self.scope.stops, how);
        self.builder.switch_to_block(go_on);
        self.statements(after) && self.unless_stopped(how)
    }

    /// Continues if the status `how` is `DONE`, otherwise stops with it.
    fn unless_stopped(&mut self, how: Value) -> bool {
        let next = self.builder.create_block();
        self.builder.ins().brif(how, self.scope.stops, &[how.into()], next, &[]);
        self.builder.switch_to_block(next);
        true
    }

    /// Counts a step and one more level of calls. Returns the previous depth if depth is counted.
    fn deeper(&mut self) -> Option<Value> {
        self.step(status::UNFINISHED);
        if !self.shared.analysis.counts_depth {
            return None;
        }
        let depth = self.load_context(offsets::DEPTH);
        let too_deep = self.compare_constant(IntCC::UnsignedGreaterThanOrEqual, depth, CALL_DEPTH.into());
        self.stop_if(too_deep, status::UNFINISHED);
        let deeper = self.builder.ins().iadd_imm(depth, 1);
        self.store_context(offsets::DEPTH, deeper);
        Some(depth)
    }

    fn restore(&mut self, depth: Option<Value>) {
        if let Some(depth) = depth {
            self.store_context(offsets::DEPTH, depth);
        }
    }

    /// Calls a function or parser, or inlines it with `stops` as the target of its stops. Returns the status.
    pub(super) fn invoke_block(&mut self, callee: Block, stops: CodeBlock) -> Value {
        if self.shared.analysis.is_inlined(callee) {
            let returns = self.builder.create_block();
            let outer = std::mem::replace(&mut self.scope, Scope { breaks: None, continues: None, returns, stops });
            let counts = std::mem::replace(&mut self.counts_steps, self.shared.analysis.of(callee).counts_steps);
            self.body(callee);
            self.scope = outer;
            self.counts_steps = counts;
            self.builder.switch_to_block(returns);
            return self.constant(status::DONE);
        }
        let id = self.shared.function(callee).expect("what is called is compiled");
        let function = self.shared.module.declare_func_in_func(id, self.builder.func);
        let call = self.builder.ins().call(function, &[self.context, self.words]);
        self.load_positions();
        self.builder.inst_results(call)[0]
    }

    /// Emits the body of a function or parser, which jumps to `returns` at its end.
    pub(super) fn body(&mut self, block: Block) {
        match block {
            Block::Function(id) => {
                let program = self.program;
                if self.statements(&program.functions[id.index()].body) {
                    self.go(self.scope.returns);
                }
            }
            Block::Parser(id) => self.parser(id),
        }
    }
}
