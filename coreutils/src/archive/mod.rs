//! tar, gzip and their kin, hashes, encodings

use sandshell_kernel::Program;

mod base;
mod checksum;

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
];
