//! The rooms of ARCHITECTURE.md: which crate may depend on which.

use std::{collections::BTreeMap, process::Command};

/// What each crate of ours may depend on (of ours, dev-dependencies left out).
const ALLOWED: &[(&str, &[&str])] = &[
    ("sandshell-api", &[]),
    ("sandshell-text", &[]),
    ("sandshell-kernel", &["sandshell-api", "sandshell-text"]),
    ("sandshell-interpreter", &["sandshell-api", "sandshell-text", "sandshell-kernel"]),
    ("sandshell-coreutils", &["sandshell-api", "sandshell-text", "sandshell-kernel"]),
    ("sandshell-host", &["sandshell-api", "sandshell-text", "sandshell-kernel", "sandshell-interpreter"]),
    (
        "sandshell",
        &[
            "sandshell-api",
            "sandshell-text",
            "sandshell-kernel",
            "sandshell-interpreter",
            "sandshell-coreutils",
            "sandshell-host",
        ],
    ),
    ("sandshell-example-fleet", &["sandshell"]),
];

#[test]
fn no_crate_depends_on_one_that_the_plan_of_the_house_forbids() {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let meta: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON");
    let mut seen = BTreeMap::new();
    for package in meta["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name").to_string();
        let ours: Vec<String> = package["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .filter(|d| d["kind"].is_null())
            .filter_map(|d| d["name"].as_str())
            .filter(|n| n.starts_with("sandshell"))
            .map(String::from)
            .collect();
        seen.insert(name, ours);
    }
    for (name, allowed) in ALLOWED {
        let Some(deps) = seen.get(*name) else { panic!("{name} is missing from the workspace") };
        for d in deps {
            assert!(allowed.contains(&d.as_str()), "{name} must not depend on {d}");
        }
    }
}
