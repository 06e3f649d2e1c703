#!/bin/bash
# Runs under the systemd of a guest: installs the package with the lines of the manual, and checks the agent as its
# administrator and as its machine see it. /out/checks gets a line for each check.
export PATH=/work/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive
exec </dev/null >/work/output 2>&1
mkdir -p /out /work/server
cd /work || exit 1
unit=profile-agent.service
conf=/etc/profile-agent.conf
spool=/var/lib/profile-agent
secret=agent:open-sesame
# An emulated CPU takes so long for an interrupt that the kernel would lower its highest sampling frequency.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# --- What is checked -------------------------------------------------------------------------------------------------
note() { printf '%4.0f s %s\n' "$(cut -d ' ' -f 1 /proc/uptime)" "$*" >/dev/console; }
wrong() {
  note "WRONG: $*"
  printf 'WRONG: %s\n' "$*" >>/out/checks
}
right() {
  note "$*"
  printf 'ok: %s\n' "$*" >>/out/checks
}
# holds WHAT COMMAND...
holds() {
  local what=$1
  shift
  if "$@" >/work/said 2>&1; then right "$what"; else wrong "$what: $* says: $(tail -n 3 /work/said)"; fi
}
# soon WHAT COMMAND... : within three minutes.
soon() {
  local what=$1 began=$SECONDS
  shift
  until "$@" >/work/said 2>&1; do
    if ((SECONDS - began > 180)); then
      wrong "$what: not within three minutes: $* says: $(tail -n 3 /work/said)"
      return
    fi
    sleep 0.5
  done
  right "$what (after $((SECONDS - began)) s)"
}
equal() { [[ $1 == "$2" ]] || { echo "'$1', not '$2'"; return 1; }; }
within() { (($1 >= $2 && $1 <= $3)) || { echo "$1 is not between $2 and $3"; return 1; }; }
# is_not COMMAND...
is_not() { ! "$@"; }

of_unit() { systemctl show --value -p "$1" "$unit"; }
is_of_unit() { equal "$(of_unit "$1")" "$2"; }
is_active() { equal "$(systemctl is-active "$unit")" active; }
of_cgroup() { cat "/sys/fs/cgroup$(of_unit ControlGroup)/$1"; }
told() { journalctl -q -o cat -u "$unit" | grep -cE -- "$1"; }
is_told() { (($(told "$1") >= $2)); }
ask() { python3 -c 'import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1]).read())' "http://127.0.0.1:9090$1"; }
metric() { ask /metrics | sed -n "s/^$1 //p"; }
has_metric() { (($(metric "$1") > $2)); }

# taken [PATTERN] : prints the files of the profiles that the receiver has, of those whose labels match.
taken() { grep -sE -- "${1:-.}" server/accepted | sed 's|^\([^ ]*\).*|/work/server/\1.pb.gz|'; }
is_taken() { (($(taken "$1" | wc -l) >= $2)); }
folded_of() {
  local files
  mapfile -t files < <(taken "$1")
  if ((${#files[@]} != 0)); then profile report -q -f "${files[@]}"; fi
}
weight() { awk '{ sum += $NF } END { print sum + 0 }'; }
waiting() { find "$spool" -name '*.request' | sed -nE 's/.*-([0-9]+)\.request$/\1/p' | weight; }
is_waiting() { (($(waiting) > $1)); }
is_empty() { equal "$(waiting)" 0; }
receive() { systemd-run -q --unit=receiver --collect python3 /work/push_receiver.py /work/server; }

# with_words LINE... : the unit with these lines, from its next start on.
with_words() {
  mkdir -p "/run/systemd/system/$unit.d"
  printf '%s\n' '[Service]' "$@" >"/run/systemd/system/$unit.d/test.conf"
  systemctl daemon-reload
}
# keeps_secret WORD : neither the processes, nor the journal, nor what the manager and the spool show has the word.
keeps_secret() {
  printf '%s\n' "$1" "$(printf %s "agent:$1" | base64)" >words
  if cat /proc/[0-9]*/cmdline 2>/dev/null | grep -aqFf words; then echo "a command line"; return 1; fi
  if journalctl -q | grep -F -f words; then echo "the journal"; return 1; fi
  if systemctl show "$unit" | grep -F -f words; then echo "systemctl show"; return 1; fi
  if grep -rF -f words "$spool"; then echo "the spool"; return 1; fi
}
has_sent() { equal "$(<server/credentials)" "Basic $(printf %s "$1" | base64)"; }

main() {
  local pid lines before recorded readers
  mapfile -t lines <lines
  printf 'APT::Get::Assume-Yes "true";\n' >/etc/apt/apt.conf.d/assume-yes
  # The administrator's changes.
  cat >bin/edit <<'SCRIPT'
#!/bin/sh
sed -i 's,^#push=.*,push=pyroscope+http://127.0.0.1:4040,; s,^#\(spool\|push-auth-file\|label\)=,\1=,
s,^cpu-limit,#&,; $a interval=3' "$1"
SCRIPT
  chmod 755 bin/*
  systemd-run -q --unit=shop /work/frameless plain 1200/8
  cat >spin.py <<'SCRIPT'
import time
def busy_inner():
    for _ in range(20000): pass
def busy_outer():
    busy_inner()
while True:
    busy_outer()
    time.sleep(0.1)
SCRIPT
  systemd-run -q --unit=scripted python3 /work/spin.py
  echo 4040 >server/port
  receive

  # --- Installation ---
  ls -A /etc /var/lib /etc/systemd/system/* >before
  holds "${lines[0]}" bash -ec "${lines[0]}"
  holds "it is not enabled by itself" equal "$(systemctl is-enabled "$unit")" disabled
  holds "a start without a configuration is no error" systemctl start "$unit"
  holds "nothing runs without a configuration" is_of_unit ActiveState inactive
  holds "the manager knows the type" is_of_unit Type notify
  holds "the manager knows the bound of memory" is_of_unit MemoryMax 536870912
  holds "the manager knows the bound of CPU time" is_of_unit CPUQuotaPerSecUSec 250ms
  # A system call that the unit does not permit ends the agent here, so that none is refused unseen. A quarter of an
  # emulated CPU, on a busy machine, is slower than the watchdog expects.
  with_words SystemCallErrorNumber=kill WatchdogSec=180s CPUQuota=
  export EDITOR=true
  for line in "${lines[@]:1}"; do holds "$line" bash -ec "$line"; done
  holds "it samples once it is started" is_active
  holds "it starts with the machine" equal "$(systemctl is-enabled "$unit")" enabled
  holds "systemd-analyze verify" equal "$(systemd-analyze verify --man=no "$unit" 2>&1 | grep profile-agent)" ''
  systemd-analyze security "$unit" >/out/security
  holds "its exposure: $(tail -n 1 /out/security)" systemd-analyze security --threshold=52 "$unit"
  before=$(of_unit WatchdogTimestampMonotonic)
  holds "it has the machine's mounts" equal "$(readlink "/proc/$(of_unit MainPID)/ns/mnt")" "$(readlink /proc/1/ns/mnt)"
  soon "it shows signs of life" eval "within \$(of_unit WatchdogTimestampMonotonic) $((before + 1)) 999999999999"

  # --- Profiles of the other services ---
  printf '%s\n' "$secret" >/etc/profile-agent.auth
  chmod 600 /etc/profile-agent.auth
  edit "$conf"
  pid=$(of_unit MainPID)
  holds "it reads its configuration again" systemctl reload "$unit"
  soon "profiles of services come" is_taken 'service_name=shop' 5
  soon "profiles of scripts come" is_taken 'service_name=scripted' 5
  holds "it is the same process" is_of_unit MainPID "$pid"
  holds "it was not restarted" is_of_unit NRestarts 0
  holds "it is ready again" is_active
  folded_of service_name=shop >/out/shop.folded
  folded_of service_name=scripted >/out/scripted.folded
  folded_of . >/out/all.folded
  # The first samples of a file may come before its table.
  holds "a service has whole stacks with names" within \
    "$(($(grep -E ';main;first;second;third;spin( |;)' /out/shop.folded | weight) * 100 / $(weight </out/shop.folded)))" 75 100
  holds "a service has the functions of its script" grep -E ';busy_outer;busy_inner( |;)' /out/scripted.folded
  holds "functions of the kernel have names" grep -E ';(do_syscall_64|x64_sys_call|__x64_sys_[a-z_]+)(;| )' /out/all.folded
  holds "the label of the configuration" grep -q 'region=eu-1' server/accepted
  holds "the credentials of the file are sent" has_sent "$secret"
  holds "the credentials of the file are shown nowhere" keeps_secret "${secret#*:}"

  # --- Reload ---
  cp "$conf" right
  echo frequenzy=19 >>"$conf"
  holds "a broken configuration is refused" is_not systemctl reload "$unit"
  soon "it has a line" is_told 'no option is called frequenzy' 1
  holds "it has one line" equal "$(told frequenzy)" 1
  holds "the agent goes on" is_active
  # The agent looks again, because the file may have changed in between.
  systemctl kill -s HUP --kill-who=main "$unit"
  soon "the agent refuses it too" is_told 'SIGHUP: the run goes on as it was: .*frequenzy' 1
  before=$(metric 'profile_samples_total{ended="recorded"}')
  soon "the run goes on" has_metric 'profile_samples_total{ended="recorded"}' "$before"
  sed 's/^label=.*/label=region=us-1/' right >"$conf"
  systemctl reload "$unit"
  soon "what it says is done" is_taken region=us-1 1
  holds "it is still the same process" is_of_unit MainPID "$pid"
  soon "it is ready after that" is_active

  holds "it keeps its bound of memory, with a peak of $(($(of_cgroup memory.peak) >> 20)) MB" \
    equal "$(of_cgroup memory.events | grep -E '^(max|oom|oom_kill) ' | tr '\n' ' ')" 'max 0 oom 0 oom_kill 0 '

  # --- Stop, with the server away, and start ---
  systemctl stop receiver
  soon "the spool has what the server does not take" is_waiting 0
  before=$SECONDS
  holds "it stops" systemctl stop "$unit"
  holds "it stops in time" within $((SECONDS - before)) 0 15
  holds "that is no failure" is_of_unit Result success
  holds "nothing of it runs" equal "$(pgrep -c '^profile')" 0
  holds "the spool survives" is_waiting 0
  holds "the spool is root's alone" equal "$(stat -c '%a %U' "$spool")" '700 root'
  receive
  systemctl start "$unit"
  soon "the spool is sent" is_empty
  holds "it stops again" systemctl stop "$unit"
  # The first run had the configuration as it was installed, which pushes nothing.
  recorded=$(journalctl -q -o cat -u "$unit" | sed -nE 's/^[0-9]+ samples in .*[^0-9]([0-9]+) recorded.*/\1/p' | tail -n +2 | weight)
  holds "each sample was sent once, or waits" equal "$(($(folded_of . | weight) + $(waiting)))" "$recorded"
  holds "there were samples" within "$recorded" 50 1000000
  holds "no request was wrong" equal "$(cat server/wrong 2>/dev/null)" ''
  holds "no sample was lost" equal "$(journalctl -q -o cat -u "$unit" | grep -E '^[0-9]+ samples in ' | grep -vc ' 0 lost')" 0

  # --- Killed, and stopped ---
  with_words SystemCallErrorNumber=kill WatchdogSec=30s RestartSec=1s CPUQuota=
  systemctl start "$unit"
  pid=$(of_unit MainPID)
  kill -KILL "$pid"
  soon "it is restarted when it was killed" is_of_unit NRestarts 1
  soon "it is ready when it was killed" is_active
  holds "nothing is left of the one before" is_not pgrep -P 1 '^profile-'
  pid=$(of_unit MainPID)
  kill -STOP "$pid"
  soon "it is restarted when it hangs" is_of_unit NRestarts 2
  soon "the watchdog says so" is_told 'Watchdog timeout' 1
  soon "it is ready when it hung" is_active
  soon "it sends what waited" is_empty

  # --- Credentials from elsewhere ---
  printf 'agent:from-the-manager\n' >/etc/profile-agent.auth
  with_words SystemCallErrorNumber=kill WatchdogSec=180s CPUQuota= LoadCredential=auth:/etc/profile-agent.auth
  sed 's,^push-auth-file=.*,push-auth-file=/run/credentials/profile-agent.service/auth,' right >"$conf"
  holds "it starts with LoadCredential=" systemctl restart "$unit"
  soon "the credentials of LoadCredential= are sent" has_sent agent:from-the-manager
  holds "the credentials of LoadCredential= are shown nowhere" keeps_secret from-the-manager
  printf 'PROFILE_PUSH_AUTH=agent:from-the-environment\n' >/etc/agent.env
  chmod 600 /etc/agent.env
  with_words SystemCallErrorNumber=kill WatchdogSec=180s CPUQuota= EnvironmentFile=/etc/agent.env
  sed '/^push-auth-file=/d' right >"$conf"
  holds "it starts with EnvironmentFile=" systemctl restart "$unit"
  soon "the credentials of EnvironmentFile= are sent" has_sent agent:from-the-environment
  holds "the credentials of EnvironmentFile= are shown nowhere" keeps_secret from-the-environment
  mapfile -t readers < <(pgrep '^profile-(parser|opener)' | sed 's,.*,/proc/&/environ,')
  holds "there are those who read files" within ${#readers[@]} 1 20
  holds "those who read files do not have them" is_not grep -l from-the-environment "${readers[@]}"

  # --- A configuration that cannot work ---
  rm -r "/run/systemd/system/$unit.d"
  systemctl daemon-reload
  echo frequenzy=19 >>"$conf"
  before=$(told frequenzy)
  holds "a start with a broken configuration fails" is_not systemctl restart "$unit"
  sleep 12
  holds "it is not tried again" is_of_unit ActiveState failed
  holds "it has one line for that" equal "$(($(told frequenzy) - before))" 1
  cp right "$conf"
  systemctl reset-failed "$unit"
  holds "the unit as it is works" systemctl start "$unit"
  holds "the manager knows the watchdog" is_of_unit WatchdogUSec 1min
  holds "the kernel knows the bounds" equal "$(of_cgroup memory.max) $(of_cgroup cpu.max) $(of_cgroup pids.max)" \
    "536870912 25000 100000 256"

  # --- The next package, and none ---
  pid=$(of_unit MainPID)
  holds "the package is installed again" dpkg -i profile_*.deb
  soon "the agent runs after that" is_active
  holds "it is the new program" is_not is_of_unit MainPID "$pid"
  holds "apt remove" apt remove profile
  holds "nothing runs" equal "$(pgrep -c '^profile')" 0
  holds "the configuration and the spool stay" test -e "$conf" -a -d "$spool"
  holds "apt purge" apt purge profile
  holds "the configuration and the spool go" test ! -e "$conf" -a ! -e /etc/profile-agent.auth -a ! -e "$spool"
  holds "the manager knows no such unit" is_of_unit LoadState not-found
  rm /etc/agent.env
  holds "nothing is left" equal "$(find / -xdev -name '*profile-agent*' -not -path '/work/*' -not -path '/out/*')" ''
  holds "no process ended by a signal but those that were killed here" \
    equal "$(journalctl -q -o cat | grep -E 'status=31/SYS|type=1326|segfault|Out of memory|oom-kill')" ''
}
main
journalctl -q -o short-monotonic -u "$unit" >/out/journal
journalctl -q -o short-monotonic >/out/journal.all
cp output /out/output
cut -d ' ' -f 1 /proc/uptime >/out/end
sync
tar -cf /dev/vda -C /out .
sync
systemctl poweroff -ff
