#!/bin/bash
# Every event has the functions of scripts: what waits, what makes a system call, what allocates, and in a stream, too.
source "$(dirname "$0")/scripts.bash"

cat >"$tmp/waits.py" <<'END'
import os, time
size = 2000000
def probed():
    os.getppid()
def allocating():
    b'x' * size
def waiting():
    time.sleep(0.002)
    probed()
    allocating()
while True:
    waiting()
END
cat >"$tmp/waits.pl" <<'END'
my $size = 2000000;
sub probed { return getppid(); }
sub allocating { my $text = 'x' x $size; return length $text; }
sub waiting { select(undef, undef, undef, 0.002); probed(); allocating(); return; }
waiting() while 1;
END
cat >"$tmp/waits.rb" <<'END'
def probed = Process.ppid
def allocating = 'x' * 2000000
def waiting
  sleep 0.002
  probed
  allocating
end
waiting while true
END
cat >"$tmp/waits.php" <<'END'
<?php
function probed() { return posix_getppid(); }
function allocating() { return strlen(str_repeat('x', 2000000)); }
function waiting() { usleep(2000); probed(); allocating(); }
while (true) waiting();
END
cat >"$tmp/waits.js" <<'END'
const shared = new Int32Array(new SharedArrayBuffer(4));
function probed() { return process.ppid; }
function allocating() { return Buffer.alloc(2000000, 1); }
function waiting() { Atomics.wait(shared, 0, 0, 2); probed(); allocating(); }
while (true) waiting();
END

# expect_events LANGUAGE COMMAND... : the program runs as it is expected to, whatever is measured.
expect_events() {
  local event caller
  # Large pieces of memory always come from the kernel, so that each has page faults.
  start env MALLOC_MMAP_THRESHOLD_=100000 "${@:2}"
  wait_until has_worked_or_ended "$started" 5
  if has_ended "$started"; then fail "$1 has ended"; fi
  for event in off-cpu wall malloc page-faults uprobe:libc:getppid syscalls:sys_enter_getppid; do
    has_event "$event" || continue
    sample -f -e "$event" -U -a -p "$started" 1
    caller=waiting
    case $event in
      *getppid) caller='waiting_\[s\];[^;]*probed' ;;
      malloc | page-faults) caller='waiting_\[s\];[^;]*allocating' ;;
    esac
    [[ $(folded_total "${caller}_\[s\]") -gt 0 ]] || fail "$1, $event: no $caller; $(outcome)"
  done
  profile --stream=folded -e off-cpu -U -p "$started" 1
  grep -q 'waiting[ ;]' "$tmp/out" || fail "$1: no stream of its functions; $(outcome)"
  kill -KILL "$started"
}

are_all_languages_known || has_layout python "$python" "$scripts/two.py" 60 || skip "this python is not known: $(cat "$tmp/languages")"
expect_events python "$python" "$tmp/waits.py"
are_all_languages_known || exit 0
if command -v perl >/dev/null; then expect_events perl perl "$tmp/waits.pl"; fi
if command -v ruby >/dev/null; then expect_events ruby ruby "$tmp/waits.rb"; fi
if command -v php >/dev/null; then expect_events php env USE_ZEND_ALLOC=0 php "$tmp/waits.php"; fi
# Compiled with those that it calls put into it, a function of Node has no frame of its own.
if command -v node >/dev/null; then expect_events node node --no-opt "$tmp/waits.js"; fi
