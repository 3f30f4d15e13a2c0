//! Checks that options of methods share. Each names the option that cannot be used, and the fix.

/// Every number is finite and above zero.
pub fn all_positive(numbers: &[(&str, f64)]) -> Result<(), String> {
    match numbers.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
        Some((name, value)) => Err(format!("`{name}` is {value}; give a positive number")),
        None => Ok(()),
    }
}

/// Every number is finite and not below zero.
pub fn none_negative(numbers: &[(&str, f64)]) -> Result<(), String> {
    match numbers.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
        Some((name, value)) => Err(format!("`{name}` is {value}; give 0 or a positive number")),
        None => Ok(()),
    }
}

/// Every count is at least one.
pub fn at_least_one(counts: &[(&str, usize)]) -> Result<(), String> {
    match counts.iter().find(|(_, count)| *count == 0) {
        Some((name, _)) => Err(format!("`{name}` is 0; give at least 1")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_at_fault_is_named() {
        assert!(all_positive(&[("a", 1.0), ("b", 0.0)]).is_err_and(|e| e.contains("`b`")));
        assert!(none_negative(&[("a", 0.0), ("b", f64::NAN)]).is_err_and(|e| e.contains("`b`")));
        assert!(at_least_one(&[("a", 1), ("b", 0)]).is_err_and(|e| e.contains("`b`")));
        assert!(all_positive(&[("a", 1e-300)]).is_ok() && none_negative(&[("a", 0.0)]).is_ok());
    }
}
