//! Stills without a display: a software renderer for run folders.
