//! The functions of the C library's mathematics.

/// A function of one number.
pub fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "round" => f64::round,
        "trunc" => f64::trunc,
        "rint" | "nearbyint" => f64::round_ties_even,
        "sqrt" => f64::sqrt,
        "cbrt" => f64::cbrt,
        "fabs" => f64::abs,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "asinh" => libm::asinh,
        "acosh" => libm::acosh,
        "atanh" => libm::atanh,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "exp10" | "pow10" => |x| {
            let whole = 10f64.powf(x);
            if x == x.trunc() && x.abs() < 300.0 { 10f64.powi(x as i32) } else { whole }
        },
        "expm1" => f64::exp_m1,
        "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "log1p" => f64::ln_1p,
        "logb" => |x| match x {
            0.0 => f64::NEG_INFINITY,
            x if x.is_infinite() => f64::INFINITY,
            x if x.is_nan() => x,
            x => f64::from(libm::frexp(x).1 - 1),
        },
        "significand" => |x| match x {
            x if x == 0.0 || !x.is_finite() => x,
            x => libm::frexp(x).0 * 2.0,
        },
        "gamma" | "lgamma" | "lgamma_r" => libm::lgamma,
        "tgamma" => libm::tgamma,
        "erf" => libm::erf,
        "erfc" => libm::erfc,
        "j0" => libm::j0,
        "j1" => libm::j1,
        "y0" => libm::y0,
        "y1" => libm::y1,
        _ => return None,
    })
}

/// A function of two numbers.
pub fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "pow" => f64::powf,
        "atan2" => f64::atan2,
        "fmod" => |a, b| a % b,
        "hypot" => f64::hypot,
        "fmin" => f64::min,
        "fmax" => f64::max,
        "fdim" => libm::fdim,
        "copysign" => f64::copysign,
        "drem" | "remainder" => libm::remainder,
        "nextafter" | "nexttoward" => libm::nextafter,
        "ldexp" | "scalb" | "scalbln" => |x, n| libm::scalbn(x, n.clamp(-5000.0, 5000.0) as i32),
        "jn" => |n, x| libm::jn(n.clamp(-1e6, 1e6) as i32, x),
        "yn" => |n, x| libm::yn(n.clamp(-1e6, 1e6) as i32, x),
        _ => return None,
    })
}

/// Names of the functions of one number.
pub const UNARY: &[&str] = &[
    "floor", "ceil", "round", "trunc", "rint", "nearbyint", "sqrt", "cbrt", "fabs", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2", "exp10", "pow10", "expm1", "log",
    "log2", "log10", "log1p", "logb", "significand", "gamma", "lgamma", "lgamma_r", "tgamma", "erf", "erfc", "j0",
    "j1", "y0", "y1",
];

/// Names of the functions of two numbers.
pub const BINARY: &[&str] = &[
    "pow", "atan2", "fmod", "hypot", "fmin", "fmax", "fdim", "copysign", "drem", "remainder", "nextafter",
    "nexttoward", "ldexp", "scalb", "scalbln", "jn", "yn",
];
