//! Programs that pack files: tar, gzip, gunzip, zcat.

pub(crate) mod deflate;
mod gzip;
mod tar;

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[&gzip::GunzipProgram, &gzip::GzipProgram, &tar::Tar, &gzip::Zcat];
