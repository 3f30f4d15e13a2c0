//! What later crates compile from a model once, and then share.
//!
//! The collision mesh of a model is large, never changes, and is wanted by a method and by the
//! check for intersections, which know nothing of each other. `bodies` cannot name its type; it
//! keeps it by type.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type, made when it is first asked for.
///
/// A copy of a model begins without any: the copy may be changed before it is used.
#[derive(Default)]
pub struct Derived {
    values: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl Derived {
    /// The value of a type; `make` is called when there is none yet.
    pub fn get_or_make<T: Any + Send + Sync, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        // Made without the lock, which other threads of the pool may wait for: the first one in
        // stays.
        let made = Arc::new(make()?);
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = values.iter().find_map(|value| value.clone().downcast().ok()) {
            return Ok(found);
        }
        values.push(made.clone());
        Ok(made)
    }

    fn find<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.iter().find_map(|value| value.clone().downcast().ok())
    }
}

impl Clone for Derived {
    fn clone(&self) -> Self {
        Derived::default()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        write!(f, "Derived({} values)", values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Derived;
    use std::sync::Arc;

    #[test]
    fn a_value_is_made_once_per_type_and_copies_begin_without() {
        let derived = Derived::default();
        let first = derived.get_or_make(|| Ok::<u32, ()>(3)).expect("made");
        let again = derived.get_or_make(|| Err::<u32, &str>("made twice")).expect("kept");
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(derived.get_or_make(|| Ok::<u64, ()>(5)).as_deref(), Ok(&5));
        assert_eq!(derived.get_or_make(|| Err::<u8, &str>("wrong")), Err("wrong"));
        assert_eq!(derived.clone().get_or_make(|| Ok::<u32, ()>(7)).as_deref(), Ok(&7));
    }
}
