//! The sandbox: the fleet as files. One mount of each kind, a command for one record, and a source that is down.

use crate::data::{self, Vehicle};
use sandshell::prelude::*;
use std::{collections::HashMap, sync::Arc, time::Duration};

/// How long the telemetry store takes to answer, as a network would.
const LATENCY: Duration = Duration::from_millis(5);
const ABOUT_VEHICLES: &str = "\
One .json per vehicle, named by its registration, with the service history.
index.csv has a row per vehicle: take it for questions over the whole fleet.
";

/// The vehicles of a company.
pub struct Fleet {
    vehicles: Arc<Vec<Vehicle>>,
    by_registration: Arc<HashMap<String, usize>>,
}

impl Fleet {
    /// With its generated data.
    pub fn new() -> Fleet {
        let vehicles = data::fleet();
        let names = vehicles.iter().enumerate().map(|(i, v)| (v.registration.clone(), i));
        Fleet { by_registration: Arc::new(names.collect()), vehicles: Arc::new(vehicles) }
    }

    /// An index over all, and one file per vehicle whose text is made when it is read.
    fn vehicles(&self) -> Mount {
        let vehicles = self.vehicles.clone();
        Mount::live("/vehicles", "one .json per vehicle with its service history; index.csv", move |_scope| {
            let vehicles = vehicles.clone();
            async move {
                let mut index =
                    String::from("registration,make,model,fuel,year,depot,odometer_km,status,service_eur\n");
                index.extend(vehicles.iter().map(Vehicle::row));
                let mut files = vec![File::text("README.md", ABOUT_VEHICLES), File::text("index.csv", index)];
                files.extend((0..vehicles.len()).map(|i| {
                    let vehicles = vehicles.clone();
                    File::lazy(format!("{}.json", vehicles[i].registration), move || {
                        let text = format!("{:#}\n", vehicles[i].record());
                        async move { Ok(text) }
                    })
                }));
                Ok(files)
            }
        })
    }

    fn depots(&self) -> Mount {
        Mount::cached(
            "/depots",
            "depots.csv: places and manager of each depot",
            Duration::from_secs(3600),
            async |_| Ok(vec![File::text("depots.csv", data::depots_csv())]),
        )
    }

    /// 30 000 files that nobody lists at once.
    fn telemetry(&self) -> Mount {
        let (lister, reader, searcher) =
            (self.telemetry_store(), self.telemetry_store(), self.telemetry_store());
        let source = LazySource::new(
            move |_scope, directory| lister.clone().list(directory),
            move |_scope, path| reader.clone().read(path),
        )
        .search(move |_scope, directory, literal| searcher.clone().search(directory, literal));
        Mount::lazy("/telemetry", "<registration>/2026-06-<day>.jsonl: a line every five minutes", source)
    }

    fn telemetry_store(&self) -> Telemetry {
        Telemetry { vehicles: self.vehicles.clone(), by_registration: self.by_registration.clone() }
    }
}

impl Sandbox for Fleet {
    fn description(&self) -> &str {
        "Every vehicle of the company's fleet: master data, service history, depots and telemetry, as files."
    }

    fn function_name(&self) -> &str {
        "fleet"
    }

    fn mounts(&self) -> Vec<Mount> {
        vec![
            self.vehicles(),
            self.depots(),
            self.telemetry(),
            Mount::live("/recalls", "open recalls of the manufacturers", async |_scope| {
                Err("the recall service answers 503 Service Unavailable".into())
            }),
            Mount::scratch("/work", "your own files"),
        ]
    }

    fn commands(&self) -> Vec<Command> {
        let (vehicles, names) = (self.vehicles.clone(), self.by_registration.clone());
        vec![Command::new(
            "vehicle",
            "vehicle <registration>: the full record of one vehicle as JSON, history included. Use it instead of \
             /vehicles when you know the registration.",
            move |call: Call| {
                let (vehicles, names) = (vehicles.clone(), names.clone());
                async move {
                    let [registration] = call.args() else {
                        return call.fail("usage: vehicle <registration>");
                    };
                    match names.get(registration) {
                        Some(&i) => Ok(Reply::text(format!("{:#}\n", vehicles[i].record()))),
                        None => call.fail(format!("no vehicle has the registration {registration}")),
                    }
                }
            },
        )]
    }

    fn limits(&self) -> Limits {
        Limits { wall_clock: Duration::from_secs(5), output_bytes: 4 << 10, ..Limits::default() }
    }
}

/// Stands for a telemetry store behind a network.
#[derive(Clone)]
struct Telemetry {
    vehicles: Arc<Vec<Vehicle>>,
    by_registration: Arc<HashMap<String, usize>>,
}

impl Telemetry {
    async fn list(self, directory: String) -> sandshell::Result<Directory> {
        tokio::time::sleep(LATENCY).await;
        if directory.is_empty() {
            return Ok(self.vehicles.iter().map(|v| Entry::directory(&v.registration)).collect());
        }
        self.vehicle(&directory)?;
        Ok((1..=data::DAYS).map(|day| Entry::file(format!("2026-06-{day:02}.jsonl"))).collect())
    }

    async fn read(self, path: String) -> sandshell::Result<String> {
        tokio::time::sleep(LATENCY).await;
        let (registration, file) = path.split_once('/').ok_or_else(missing)?;
        let day = file.strip_prefix("2026-06-").and_then(|d| d.strip_suffix(".jsonl")).ok_or_else(missing)?;
        let day = day.parse().ok().filter(|d| (1..=data::DAYS).contains(d)).ok_or_else(missing)?;
        Ok(self.vehicle(registration)?.telemetry(day))
    }

    /// The store has an index of fault codes: `grep -r P0420` then reads a few files and not 30 000.
    async fn search(self, directory: String, literal: Bytes) -> sandshell::Result<Vec<String>> {
        tokio::time::sleep(LATENCY).await;
        let code = data::FAULTS.iter().find(|code| literal.windows(code.len()).any(|w| w == code.as_bytes()));
        let mut paths = Vec::new();
        for v in
            self.vehicles.iter().filter(|v| directory.is_empty() || directory.starts_with(&v.registration))
        {
            for day in 1..=data::DAYS {
                if code.is_none_or(|code| v.fault(day) == Some(code)) {
                    paths.push(format!("{}/2026-06-{day:02}.jsonl", v.registration));
                }
            }
        }
        Ok(paths)
    }

    fn vehicle(&self, registration: &str) -> sandshell::Result<&Vehicle> {
        let &i = self.by_registration.get(registration).ok_or_else(missing)?;
        Ok(&self.vehicles[i])
    }
}

fn missing() -> std::io::Error {
    std::io::ErrorKind::NotFound.into()
}
