//! Steps that land on frames.
//!
//! Frame k falls exactly on k/fps. The time between two frames is cut in equal steps no longer than
//! the scene's step size; a method that takes less than it was offered gets the rest of the frame
//! offered again.

/// Where a run is in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    fps: f64,
    step_size: f64,
}

impl Clock {
    /// A clock for frames per second and a largest step \[s\].
    pub fn new(fps: f64, step_size: f64) -> Clock {
        Clock { fps, step_size }
    }

    /// Time of a frame \[s\].
    pub fn frame_time(&self, frame: u64) -> f64 {
        frame as f64 / self.fps
    }

    /// The step to offer at `time` on the way to `frame`: an equal share of what is left.
    pub fn next_step(&self, time: f64, frame: u64) -> f64 {
        let left = self.frame_time(frame) - time;
        // A share that exceeds the step size by rounding alone is not cut once more.
        let shares = (left / self.step_size * (1.0 - 1e-9)).ceil().max(1.0);
        left / shares
    }

    /// Whether `time` is at `frame` or later, up to rounding.
    pub fn reached(&self, time: f64, frame: u64) -> bool {
        self.frame_time(frame) - time <= self.rounding()
    }

    /// Whether `time` is later than `frame` by more than rounding.
    pub fn is_beyond(&self, time: f64, frame: u64) -> bool {
        time - self.frame_time(frame) > self.rounding()
    }

    /// Times that differ by less are the same \[s\].
    fn rounding(&self) -> f64 {
        1e-9 * self.step_size.min(1.0 / self.fps)
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn steps_divide_the_frame_and_land_on_it() {
        for (fps, step, expected) in
            [(24.0, 1.0 / 96.0, 4), (60.0, 0.01, 2), (24.0, 1.0, 1), (30.0, 0.001, 34)]
        {
            let clock = Clock::new(fps, step);
            let (mut time, mut steps) = (clock.frame_time(7), 0);
            while !clock.reached(time, 8) {
                let h = clock.next_step(time, 8);
                assert!(h <= step.min(1.0 / fps) * (1.0 + 1e-8));
                time += h;
                steps += 1;
            }
            assert_eq!(steps, expected);
            assert!((time - clock.frame_time(8)).abs() < 1e-12);
        }
    }
}
