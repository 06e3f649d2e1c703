#!/bin/bash
# Made code that is entered by a jump, with a return address that nothing before it tells to be one. HotSpot's
# interpreter does that, and its stacks are whole; where the code is none that a runtime is known to return to, the stack
# says that it was guessed.
source "$(dirname "$0")/sampling.bash"

for kind in pointer words forgets unusual; do
  burn jumps "$kind" 600
  at_exit "rm -f /tmp/perf-$started.map"
  wait_until test -s "/tmp/perf-$started.map"
  wait_until is_at_work "$started"
  sample_enough 100 -F 999 -U -p "$started" 0.5
  expect_share ';main;run_made;made_caller;made_loop ' 98 100
  if [[ $kind == unusual ]]; then
    expect_err 'begun with a guessed frame pointer'
  else
    expect_no_err 'guessed'
  fi
  kill "$started"
done

# The same of a real one, where there is one: from the thread's beginning to the method that is interpreted.
if command -v javac >/dev/null && command -v jcmd >/dev/null; then
  cat >"$tmp/Sums.java" <<'END'
public class Sums {
  static long sum(int n) { long s = 0; for (int i = 0; i < n; i++) s += (s ^ i) * 31; return s; }
  static long deep(int depth, int n) { return depth == 0 ? sum(n) : deep(depth - 1, n); }
  public static void main(String[] a) { long s = 0; while (s != 1) s += deep(10, 1000); }
}
END
  (cd "$tmp" && javac Sums.java) || fail "javac"
  for mode in -Xint -XX:-Inline; do
    start java -XX:+PreserveFramePointer "$mode" -cp "$tmp" Sums
    java=$started
    at_exit "rm -f /tmp/perf-$java.map"
    wait_until jcmd "$java" Compiler.perfmap
    sample_enough 300 -F 999 -U -p "$java" 2
    grep ';JavaCalls::' "$tmp/out" >"$tmp/java.folded"
    expect_share '(clone3|__clone);.*;JavaCalls::call_helper' 95 100 "$tmp/java.folded"
    expect_absent '\[incomplete: guessed\]' "$tmp/java.folded"
    kill "$java"
  done
fi
