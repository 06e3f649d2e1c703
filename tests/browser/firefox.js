// Firefox Profiler's own loader reads our file: firefox.js FILE THREAD FUNCTION [MARKER]. It must list the thread, and
// the function and the marker in it.
'use strict';

const assert = require('node:assert/strict');
const {spawnSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const [file, thread, wanted, marker] = process.argv.slice(2);
const program = path.join(process.env.NODE_PATH, '@firefox-devtools', 'profiler-cli', 'dist', 'profiler-cli.js');
const sessions = fs.mkdtempSync(path.join(process.env.TMPDIR, 'firefox.'));

// Each question has a deadline, because the program asks a server of its own, which may have died.
function ask(...words) {
  const answer = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    timeout: 120000,
    env: {...process.env, PROFILER_CLI_SESSION_DIR: sessions, PROFILER_CLI_NO_SYMBOLICATE: '1'},
  });
  assert.equal(answer.status, 0, `${words.join(' ')}: ${answer.stdout}${answer.stderr}`);
  return answer.stdout;
}

try {
  ask('load', file);
  const list = ask('thread', 'list');
  const line = list.split('\n').find((each) => each.includes(thread));
  assert.ok(line, `no thread ${thread}: ${list}`);
  const handle = line.match(/\bt-\d+\b/)[0];
  const functions = ask('thread', 'functions', '--thread', handle, '--include-idle');
  assert.ok(functions.includes(wanted), `no ${wanted}: ${functions}`);
  if (marker) {
    const markers = ask('thread', 'markers', '--thread', handle);
    assert.ok(markers.includes(marker), `no ${marker}: ${markers}`);
  }
  console.log(`Firefox Profiler reads ${path.basename(file)}: ${line.trim()}`);
} finally {
  spawnSync(process.execPath, [program, 'stop', '--all'], {timeout: 20000, env: {...process.env, PROFILER_CLI_SESSION_DIR: sessions}});
}
