#!/bin/bash
# The methods of Java stand in the stacks, interpreted, compiled, and put into their callers, without an agent and without a
# flag, and no stack has a wrong one.
source "$(dirname "$0")/scripts.bash"
need_command javac
need_command java
mkdir "$tmp/classes"
cat >"$tmp/Rest.java" <<'JAVA'
public class Rest {
  static void briefly() throws InterruptedException {
    Thread.sleep(2);
  }
  public static void main(String[] arguments) throws InterruptedException {
    for (;;) briefly();
  }
}
JAVA
javac -nowarn -d "$tmp/classes" "$scripts/Mix.java" "$scripts/Churn.java" "$tmp/Rest.java" 2>"$tmp/err" || fail "javac"
java=(java -cp "$tmp/classes")
has_layout java "${java[@]}" -Xint Mix 40 || skip "this Java is not known: $(cat "$tmp/languages")"

begin_script "${java[@]}" -Xint Mix 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 java
((right > 0)) || fail "no stack is whole; $(outcome)"
expect_present ';JavaMain;.*;~StubRoutines \(1\)_\[s\];Mix\.main_\[s\];Mix\.go_\[s\];'
expect_present ';Mix\.byNew_\[s\];Mix\$Made\.<init>_\[s\];Mix\.go_\[s\];'
expect_lines Mix.java 40 java
kill "$started"

begin_script "${java[@]}" Mix 40
sample_enough 60 -F 499 -U -a --max-stack-depth 512 -p "$started" 1
check_mix "$tmp/out" 40 java
((right > 0)) || fail "no stack is whole; $(outcome)"
sample_enough 20 -F 499 -U --modules -p "$started" 0.5
expect_present ';Mix\.main \[Mix.java\];Mix\.go \[Mix.java\];'
# Without it the engine's code has no names.
sample_enough 20 -F 499 -U --languages none -p "$started" 0.5
expect_absent 'Mix\.'
expect_lines Mix.java 40 java
kill "$started"

# What waits is found in the same way.
begin_script "${java[@]}" Rest
sample -f -a -e off-cpu -U -p "$started" 1
expect_present ';Rest\.main_\[s\];Rest\.briefly_\[s\];java\.lang\.Thread\.sleep'
# The stacks of threads that waited before are walked later, without the engine's memory.
expect_absent 'incomplete: guessed'
kill "$started"

# Classes are unloaded, and others get their memory.
begin_script "${java[@]}" Churn 5
sample_enough 40 -F 499 -U -a -p "$started" 2
expect_churn "$tmp/out" 1
