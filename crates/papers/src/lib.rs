//! What is science of one paper, a folder each: the methods of its experiments, its programs, streams and published numbers.

pub mod mp5;
