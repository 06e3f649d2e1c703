# shellcheck shell=bash
# Opens the page in a real browser for tests; sourced after lib.sh. It installs the npm packages once per build
# directory, and several tests may do so at the same time.
need_command node npm chromium flock
: "${tmp:?}"

browser_modules=$BUILD_DIR/browser
install_browser_modules() {
  local given=$SOURCE_DIR/tests/browser
  mkdir -p "$browser_modules"
  exec 9>"$browser_modules/lock"
  flock 9
  if ! cmp -s "$given/package-lock.json" "$browser_modules/installed"; then
    cp "$given/package.json" "$given/package-lock.json" "$browser_modules/"
    (cd "$browser_modules" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline) >"$browser_modules/log" 2>&1 ||
      fail "npm ci: $(tail -n 20 "$browser_modules/log")"
    cp "$given/package-lock.json" "$browser_modules/installed"
  fi
  exec 9>&-
}

# browse TEST [ARGUMENTS...] : runs tests/browser/TEST.js, which prints one line per passed case.
browse() {
  local script=$1
  shift
  install_browser_modules
  run env NODE_PATH="$browser_modules/node_modules" BUILD_DIR="$BUILD_DIR" SANITIZED="$SANITIZED" TMPDIR="$tmp" \
    timeout 580 node "$SOURCE_DIR/tests/browser/$script.js" "$@"
  expect_status 0
  cat "$tmp/out"
}
