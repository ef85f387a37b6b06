#[test]
fn scratch() {
    let text = std::fs::read_to_string(std::env::var("SCRATCH").unwrap()).unwrap();
    let mut program = ir::parse::program("scratch", &text).unwrap();
    for pass in passes::PASSES.into_iter().take(8) {
        passes::apply(pass, &mut program).unwrap();
        println!("=== {pass}\n{program}");
    }
}
