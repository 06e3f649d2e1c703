// True of it: every user stack has rust_leaves::yard::Stack::pile and, at 2:1, one of the leaves
// rust_leaves::yard::heavy and rust_leaves::yard::light. Argument: seconds.
use std::time::{Duration, Instant};

mod yard {
    #[inline(never)]
    pub fn heavy(unit: u64) {
        for turn in 0..2 * unit {
            std::hint::black_box(turn);
        }
    }
    #[inline(never)]
    pub fn light(unit: u64) {
        for turn in 0..unit {
            std::hint::black_box(turn);
        }
    }
    pub struct Stack;
    impl Stack {
        #[inline(never)]
        pub fn pile(&self, unit: u64) {
            heavy(unit);
            light(unit);
            std::hint::black_box(());
        }
    }
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    // Another one each time, as next_unit() in workload.h has it, so that it does not stay in step with the samples.
    let mut state = 1u64;
    while Instant::now() < end {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::hint::black_box(yard::Stack).pile(5_000 + (state >> 33) % 10_000);
    }
}
