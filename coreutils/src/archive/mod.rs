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
    &base::Base32,
    &base::Base64,
    &checksum::MD5,
    &checksum::SHA1,
    &checksum::SHA224,
    &checksum::SHA256,
    &checksum::SHA384,
    &checksum::SHA512,
    &cksum::Cksum,
    &cksum::Sum,
    &gzip::GunzipProgram,
    &gzip::GzipProgram,
    &tar::Tar,
    &gzip::Zcat,
    &zgrep::Zegrep,
    &zgrep::Zfgrep,
    &zgrep::Zgrep,
];
