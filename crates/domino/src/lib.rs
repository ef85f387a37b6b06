//! domino
