// True of it: every user stack has rust_leaves::yard::Stack::pile and, at 2:1, one of the leaves
// rust_leaves::yard::heavy and rust_leaves::yard::light. Argument: seconds.
use std::time::{Duration, Instant};

mod yard {
    #[inline(never)]
    pub fn heavy() {
        for turn in 0..20_000u64 {
            std::hint::black_box(turn);
        }
    }
    #[inline(never)]
    pub fn light() {
        for turn in 0..10_000u64 {
            std::hint::black_box(turn);
        }
    }
    pub struct Stack;
    impl Stack {
        #[inline(never)]
        pub fn pile(&self) {
            heavy();
            light();
            std::hint::black_box(());
        }
    }
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end {
        std::hint::black_box(yard::Stack).pile();
    }
}
