//! The fleet's data: generated, the same on every run, in place of somebody's database and telemetry store.

use serde_json::{Value, json};
use std::fmt::Write;

/// How many vehicles there are.
pub const VEHICLES: usize = 1000;
/// The days of telemetry: June 2026.
pub const DAYS: u32 = 30;

const MODELS: &[(&str, &str, &str)] = &[
    ("Volkswagen", "ID. Buzz Cargo", "electric"),
    ("Volkswagen", "Crafter", "diesel"),
    ("Mercedes-Benz", "eVito", "electric"),
    ("Mercedes-Benz", "Sprinter", "diesel"),
    ("Ford", "Transit", "diesel"),
    ("Ford", "E-Transit", "electric"),
    ("Renault", "Kangoo", "petrol"),
    ("Toyota", "Proace City", "hybrid"),
    ("Iveco", "Daily", "gas"),
];
/// City, letters of its plates, places in its yard.
pub const DEPOTS: &[(&str, &str, u32)] = &[
    ("Berlin", "B", 260),
    ("Hamburg", "HH", 200),
    ("Munich", "M", 180),
    ("Cologne", "K", 150),
    ("Frankfurt", "F", 140),
    ("Leipzig", "L", 90),
    ("Dresden", "DD", 80),
    ("Kiel", "KI", 60),
];
const WORK: &[(&str, u32, u32)] = &[
    ("inspection", 180, 420),
    ("brakes", 240, 900),
    ("tyres", 320, 760),
    ("oil", 90, 190),
    ("battery", 150, 2400),
    ("body", 300, 3800),
];
/// Fault codes that telemetry reports.
pub const FAULTS: &[&str] = &["P0171", "P0300", "P0420", "P0562", "P0A0F"];

/// One vehicle.
pub struct Vehicle {
    /// Its plate, without blanks: `B-KX412`.
    pub registration: String,
    number: usize,
    make: &'static str,
    model: &'static str,
    fuel: &'static str,
    year: u32,
    depot: &'static str,
    odometer_km: u32,
    status: &'static str,
    services: Vec<Service>,
}

struct Service {
    date: String,
    odometer_km: u32,
    work: &'static str,
    cost_eur: u32,
}

fn rng(a: usize, b: usize) -> fastrand::Rng {
    fastrand::Rng::with_seed((a as u64) << 20 | b as u64)
}

/// The whole fleet, sorted by registration.
pub fn fleet() -> Vec<Vehicle> {
    let mut all: Vec<Vehicle> = (0..VEHICLES).map(vehicle).collect();
    all.sort_by(|a, b| a.registration.cmp(&b.registration));
    all
}

fn vehicle(number: usize) -> Vehicle {
    let mut r = rng(number, 0);
    let (depot, letters, _) = DEPOTS[r.usize(..DEPOTS.len()).min(r.usize(..DEPOTS.len()))];
    let (make, model, fuel) = MODELS[r.usize(..MODELS.len())];
    let year = r.u32(2016..=2025);
    let mut odometer = 0;
    let mut services = Vec::new();
    for y in year..=2026 {
        odometer += r.u32(9_000..32_000);
        let (work, from, to) = WORK[r.usize(..WORK.len())];
        services.push(Service {
            date: format!("{y}-{:02}-{:02}", r.u32(1..=if y == 2026 { 5 } else { 12 }), r.u32(1..=28)),
            odometer_km: odometer,
            work,
            cost_eur: r.u32(from..to),
        });
    }
    let letter = |r: &mut fastrand::Rng| (b'A' + r.u8(..26)) as char;
    Vehicle {
        // The number makes the plate unique.
        registration: format!(
            "{letters}-{}{}{}",
            letter(&mut r),
            letter(&mut r),
            100 + number % 900 + number / 900 * 9000
        ),
        number,
        make,
        model,
        fuel,
        year,
        depot,
        odometer_km: odometer + r.u32(..9_000),
        status: ["active", "active", "active", "active", "workshop", "reserve"][r.usize(..6)],
        services,
    }
}

impl Vehicle {
    /// The record without its history.
    pub fn summary(&self) -> Value {
        json!({
            "registration": self.registration,
            "make": self.make,
            "model": self.model,
            "fuel": self.fuel,
            "year": self.year,
            "depot": self.depot,
            "odometer_km": self.odometer_km,
            "status": self.status,
        })
    }

    /// The record with its service history.
    pub fn record(&self) -> Value {
        let mut record = self.summary();
        record["services"] = self
            .services
            .iter()
            .map(|s| json!({"date": s.date, "odometer_km": s.odometer_km, "work": s.work, "cost_eur": s.cost_eur}))
            .collect();
        record
    }

    /// A row of the index.
    pub fn row(&self) -> String {
        let cost: u32 = self.services.iter().map(|s| s.cost_eur).sum();
        format!(
            "{},{},{},{},{},{},{},{},{cost}\n",
            self.registration,
            self.make,
            self.model,
            self.fuel,
            self.year,
            self.depot,
            self.odometer_km,
            self.status
        )
    }

    /// The fault that was reported on a day, if there was one.
    pub fn fault(&self, day: u32) -> Option<&'static str> {
        let mut r = rng(self.number, day as usize);
        (r.u32(..40) == 0).then(|| FAULTS[r.usize(..FAULTS.len())])
    }

    /// The telemetry of one day: a line every five minutes of a shift.
    pub fn telemetry(&self, day: u32) -> String {
        let mut r = rng(self.number, 1000 + day as usize);
        let fault = self.fault(day).map(|code| (r.u32(20..80), code));
        let mut text = String::new();
        let mut odometer = f64::from(self.odometer_km);
        let mut charge = r.u32(70..=100) as f64;
        for step in 0..96 {
            let minute = 6 * 60 + step * 5;
            let speed = if r.u32(..4) == 0 { 0 } else { r.u32(10..110) };
            odometer += f64::from(speed) / 12.0;
            charge = (charge - f64::from(speed) / 110.0).max(5.0);
            let _ = write!(
                text,
                r#"{{"time":"2026-06-{day:02}T{:02}:{:02}:00Z","speed_kmh":{speed},"odometer_km":{odometer:.1},"level_percent":{charge:.1},"engine_c":{}"#,
                minute / 60,
                minute % 60,
                r.u32(60..104),
            );
            match fault {
                Some((at, code)) if at == step => _ = write!(text, r#","fault":"{code}"}}"#),
                _ => text.push('}'),
            }
            text.push('\n');
        }
        text
    }
}

/// The depots as rows of a CSV file.
pub fn depots_csv() -> String {
    let mut text = String::from("depot,places,manager,phone\n");
    for (i, (city, _, places)) in DEPOTS.iter().enumerate() {
        let manager = ["Ada Krause", "Jonas Weber", "Mia Hoffmann", "Emil Schulz"][i % 4];
        let _ = writeln!(text, "{city},{places},{manager},+49 30 5550{i:02}");
    }
    text
}
