# shellcheck shell=bash
# Starts ClickHouse servers, and asks them what --store has written.
source "$(dirname "${BASH_SOURCE[0]}")/sampling.bash"
need_command clickhouse-server curl python3
unset http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY PROFILE_PUSH_AUTH

# free_ports N : prints as many ports that nobody listens to.
free_ports() {
  python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for each in sockets:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in sockets))' "$1"
}

# make_server NAME HTTP_PORT TCP_PORT [SHARD_TCP_PORT...] : the configuration of a server below $tmp/NAME. The ports of
# the shards make a cluster with the name `shards`. The user `agent` has the password "secret".
make_server() {
  local home=$tmp/$1 shards='' port
  for port in "${@:4}"; do
    shards+="<shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard>"
  done
  mkdir -p "$home"
  cat >"$home/config.xml" <<CONFIG
<yandex>
  <logger><level>warning</level><log>$home/log</log><errorlog>$home/errors</errorlog></logger>
  <http_port>$2</http_port><tcp_port>$3</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>$home/data/</path><tmp_path>$home/tmp/</tmp_path><users_config>users.xml</users_config>
  <mark_cache_size>67108864</mark_cache_size><default_profile>default</default_profile><default_database>default</default_database>
  <remote_servers><shards>$shards</shards></remote_servers>
</yandex>
CONFIG
  cat >"$home/users.xml" <<'USERS'
<yandex>
  <profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <agent><password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></agent>
  </users>
</yandex>
USERS
}

# start_server NAME : starts the server, or starts it again, and waits until it answers. Sets $server to its pid.
start_server() {
  local port
  port=$(sed -n 's|.*<http_port>\([0-9]*\)<.*|\1|p' "$tmp/$1/config.xml")
  start clickhouse-server --config-file="$tmp/$1/config.xml"
  # shellcheck disable=SC2034
  server=$started
  wait_until answers "$port"
}
answers() { curl -sf "http://127.0.0.1:$1/ping" >/dev/null; }

# ask PORT SQL : prints what the server answers about the database `profiles`.
ask() {
  curl -s -S --fail-with-body "http://127.0.0.1:$1/?database=profiles" --data-binary "$2" || fail "the server does not answer: $2" >&2
}
# serve_store : starts a server with the tables, and sets $port, $url, and $as_pattern, an extended regular expression.
# shellcheck disable=SC2034
serve_store() {
  local ports
  read -r -a ports < <(free_ports 2)
  port=${ports[0]}
  make_server store "${ports[@]}"
  start_server store
  curl -s "http://127.0.0.1:$port/" --data-binary 'CREATE DATABASE profiles'
  url=clickhouse+http://127.0.0.1:$port/profiles
  as_pattern=${url/+/\\+}
  profile store init "$url"
  expect_status 0
  expect_err ": the tables are made$"
}
# expect_stored SAMPLES [PORT] : the store has so many samples, and the stacks and frames of all of them.
expect_stored() {
  expect_equal "$(ask "${2:-$port}" 'SELECT sum(samples) FROM samples')" "$1" "samples in the store"
  expect_equal "$(ask "${2:-$port}" 'SELECT count() FROM samples WHERE (service, stack) NOT IN (SELECT service, stack FROM stacks)')" 0 "rows without a stack"
  expect_equal "$(ask "${2:-$port}" 'SELECT count() FROM (SELECT service, arrayJoin(frames) AS frame FROM stacks) WHERE (service, frame) NOT IN (SELECT service, frame FROM frames)')" \
    0 "frames of stacks that are not there"
}
