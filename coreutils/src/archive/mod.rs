//! Programs that pack and encode: tar, gzip and its kin, hashes, base64.

mod base;
mod checksum;
mod cksum;
pub(crate) mod deflate;
mod gzip;
mod tar;
mod zgrep;

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &gzip::GunzipProgram,
    &gzip::GzipProgram,
    &tar::Tar,
    &gzip::Zcat,
    &zgrep::Zegrep,
    &zgrep::Zfgrep,
    &zgrep::Zgrep,
];
