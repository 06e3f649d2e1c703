// The live page with a server that sends known events.
'use strict';

const fs = require('node:fs');
const {assert, test, state, box, boxes, shown, click, hover} = require('./harness.js');
const {LiveServer} = require('./live_server.js');
const {run} = require('./pages.js');

const dd = {process: 'dd', pid: 185, tid: 185, cpu: 0};
const app = {process: 'app', pid: 77, thread: 'worker', tid: 78, cpu: 1};
const reading = [dd, ['main', 'read'], 30];
const working = [app, ['main', 'work'], 10];

// A case with its own server and the open page.
function liveTest(name, act, options = {}) {
  const allowed = (url) => /^http:\/\/127\.0\.0\.1:\d+\/(events|recording\?seconds=\d+)$/.test(url);
  test(name, async (page, context) => {
    const server = await new LiveServer().listen();
    try {
      return await act(page, server, context);
    } finally {
      server.close();
    }
  }, {...options, allowed});
}
async function open(page, server) {
  await page.goto(server.url);
  await page.waitForSelector('#connection[data-state=live]');
}
const until = (page, total) => page.waitForFunction((sum) => window.profilePage.state().total === sum, total);
const choose = (page, words) => page.selectOption('#window', {label: words});

liveTest('what arrives is drawn as it comes, new functions and processes too', async (page, server) => {
  await open(page, server);
  assert.equal((await state(page)).total, 0);
  server.tick([reading]);
  await until(page, 30);
  assert.deepEqual(await shown(page), {'dd (185);main;read': 30});
  server.tick([reading, working, [app, ['main', 'rest'], 1]]);
  await until(page, 71);
  assert.deepEqual(await shown(page), {'dd (185);main;read': 60, 'app (77);main;work': 10, 'app (77);main;rest': 1});
  assert.match(await page.textContent('#counters'), /^101 samples · 3 lost$/);
});

liveTest('the last seconds are shown, or all since the start', async (page, server) => {
  for (let i = 0; i < 4; ++i) server.tick([reading]);
  server.tick([working], 20);
  for (let i = 0; i < 7; ++i) server.tick([working]);
  await open(page, server);
  // Of the last ten seconds, 8 ticks of 10 samples are shown.
  await until(page, 80);
  await choose(page, 'last 5 s');
  await until(page, 50);
  await choose(page, 'last 30 s');
  await until(page, 80 + 3 * 30);
  await choose(page, 'since the start');
  await until(page, 80 + 4 * 30);
  assert.deepEqual(await shown(page), {'dd (185);main;read': 120, 'app (77);main;work': 80});
  server.tick([working]);
  await until(page, 90 + 4 * 30);
});

liveTest('a recording of the time that is shown is saved, where there is one', async (page, server) => {
  server.tick([reading]);
  await open(page, server);
  await page.click('#save');
  assert.equal(await page.isVisible('#save-recording'), false);
  server.recording = '/recording';
  await open(page, server);
  for (const [words, seconds] of [['last 30 s', 30], ['since the start', 3600]]) {
    await choose(page, words);
    await page.click('#save');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-recording')]);
    assert.equal(download.suggestedFilename(), 'profile.db');
    assert.equal(fs.readFileSync(await download.path(), 'utf8'), `/recording?seconds=${seconds}`);
  }
});

liveTest('whatever the clock of the browser says, the last seconds are those of the ticks', async (page, server) => {
  await page.addInitScript(() => {
    let now = 4e12;
    Date.now = () => (now -= 3_600_000);
  });
  await open(page, server);
  for (let i = 0; i < 20; ++i) server.tick([working]);
  await until(page, 100);
  await choose(page, 'last 5 s');
  await until(page, 50);
  server.drop();
  await page.waitForSelector('#connection[data-state=lost]');
  server.accept();
  await page.waitForSelector('#connection[data-state=live]');
  server.tick([reading]);
  await until(page, 70);
}, {console: /ERR_|Failed to load|EventSource/});

liveTest('what is older than the longest window is not kept', async (page, server) => {
  await open(page, server);
  for (let i = 0; i < 400; ++i) server.tick([working]);
  await choose(page, 'since the start');
  await until(page, 4000);
  assert.equal((await state(page)).ticks, 300);
  await choose(page, 'last 5 min');
  await until(page, 3000);
});

liveTest('a pause stops following, and going on shows what came meanwhile', async (page, server) => {
  await open(page, server);
  server.tick([reading]);
  await until(page, 30);
  await page.click('#pause');
  assert.equal(await page.textContent('#pause'), 'Go on');
  server.tick([working]);
  await page.waitForFunction(() => document.querySelector('#counters').textContent.startsWith('70 samples'));
  assert.deepEqual(await shown(page), {'dd (185);main;read': 30});
  await choose(page, 'since the start');
  assert.equal((await state(page)).total, 30);
  await page.locator('#graph').focus();
  await page.keyboard.press('Space');
  await until(page, 40);
});

liveTest('a frozen picture is what follows is compared with', async (page, server) => {
  await open(page, server);
  server.tick([reading, [dd, ['main', 'write'], 10]]);
  await until(page, 40);
  await page.click('#freeze');
  assert.deepEqual([(await state(page)).total, (await state(page)).totalBefore], [40, 40]);
  await choose(page, 'last 5 s');
  server.tick([[dd, ['main', 'write'], 20], [dd, ['main', 'fresh'], 20]], 10);
  await until(page, 40);
  await page.waitForFunction(() => window.profilePage.boxes().some((one) => one.name === 'fresh'));
  const write = await box(page, 'write');
  assert.deepEqual([write.total, write.before], [20, 10]);
  assert.equal((await box(page, 'fresh')).before, 0);
  assert.match(write.colour, /^rgb\(2\d\d, /);
  await hover(page, 'write');
  await page.waitForSelector('#tip:not([hidden])');
  assert.match(await page.innerText('#tip'), /25\.0 % before, 50\.0 % now: \+25\.0 points/);
  await page.keyboard.press('b');
  assert.equal((await state(page)).totalBefore, null);
});

const laneOf = (page, name) => page.evaluate((wanted) => {
  const strip = window.profilePage.strip();
  return strip === null ? null : strip.lanes.find((lane) => lane.name === wanted);
}, name);

liveTest('the strip of time moves on, and the graph shows a part of it until that is taken back', async (page, server) => {
  for (let i = 0; i < 20; ++i) server.tick(i === 5 || i === 6 ? [reading, working] : [reading]);
  await open(page, server);
  await until(page, 10 * 30);
  assert.equal(await page.isVisible('#strip'), true);
  const {from, to} = await page.evaluate(() => window.profilePage.strip());
  assert.deepEqual([from, to], [0, 20]);
  assert.deepEqual((await laneOf(page, 'app (77)')).seconds.map((value, second) => (value ? second : 0)).filter(Boolean), [5, 6]);
  // A part: what comes in does not move it.
  await page.fill('#time-from', '5');
  await page.fill('#time-to', '7');
  await page.keyboard.press('Enter');
  await until(page, 2 * (30 + 10));
  assert.match(await page.innerText('#subtitle'), /5 s to 7 s/);
  server.tick([working]);
  await page.waitForFunction(() => window.profilePage.strip().to === 21);
  assert.equal((await state(page)).total, 80);
  // Two parts are compared.
  await page.click('#second');
  await page.fill('#second-from', '10');
  await page.keyboard.press('Enter');
  await page.fill('#second-to', '14');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.profilePage.state().totalBefore === 80 && window.profilePage.state().total === 120);
  // Back to what comes in.
  await page.click('#time-all');
  await until(page, 9 * 30 + 10);
  assert.equal((await state(page)).totalBefore, null);
  // The profiler numbers afresh.
  server.reset([reading]);
  server.tick([working]);
  server.tick([working]);
  await until(page, 20);
  assert.equal((await page.evaluate(() => window.profilePage.strip().to)), 23);
});

liveTest('a part of the time that is not kept any more is taken back, and this is said', async (page, server) => {
  for (let i = 0; i < 20; ++i) server.tick([reading]);
  await open(page, server);
  await page.fill('#time-from', '5');
  await page.fill('#time-to', '7');
  await page.keyboard.press('Enter');
  await until(page, 60);
  server.tick([working], 290);
  await until(page, 10);
  assert.match(await page.textContent('#notice'), /older than what is kept/);
});

liveTest('a process, a thread or a CPU alone is followed on', async (page, server) => {
  await open(page, server);
  server.tick([reading, working]);
  await until(page, 40);
  await page.selectOption('#filter-process', {label: 'app (77) — 25.0 %'});
  assert.deepEqual(await shown(page), {'app (77);main;work': 10});
  server.tick([reading, working]);
  await until(page, 20);
  await page.selectOption('#filter-process', '');
  await page.selectOption('#filter-cpu', '0');
  await until(page, 60);
  await page.selectOption('#filter-cpu', '');
  await page.selectOption('#filter-thread', '78 worker');
  await until(page, 20);
});

liveTest('a zoom stays at its box while the picture changes', async (page, server) => {
  await open(page, server);
  server.tick([reading, working]);
  await until(page, 40);
  await click(page, 'work');
  assert.equal((await state(page)).focus, 'work');
  server.tick([[app, ['main', 'another'], 50], working]);
  await until(page, 100);
  assert.equal((await state(page)).focus, 'work');
  assert.equal((await box(page, 'work')).total, 20);
});

liveTest('a lost connection is told, and nothing is counted twice when it is back', async (page, server) => {
  await open(page, server);
  await choose(page, 'since the start');
  server.tick([reading]);
  await until(page, 30);
  await page.click('#freeze');
  server.tick([working]);
  await until(page, 40);
  server.drop();
  await page.waitForSelector('#connection[data-state=lost]');
  server.accept();
  await page.waitForSelector('#connection[data-state=live]');
  assert.equal(server.connections, 2);
  const {total, totalBefore} = await state(page);
  assert.deepEqual([total, totalBefore], [40, 30]);
  assert.equal((await box(page, 'read')).before, 30);
  server.tick([working]);
  await until(page, 50);
  await page.keyboard.press('b');
  assert.deepEqual(await shown(page), {'dd (185);main;read': 30, 'app (77);main;work': 20});
}, {console: /ERR_|Failed to load|EventSource/});

liveTest('when the profiler begins afresh, so does the page, and an old comparison ends', async (page, server) => {
  await open(page, server);
  await choose(page, 'since the start');
  server.tick([reading]);
  await until(page, 30);
  await page.click('#freeze');
  server.reset();
  server.tick([working]);
  await until(page, 10);
  assert.deepEqual(await shown(page), {'app (77);main;work': 10});
  assert.equal((await state(page)).totalBefore, null);
  assert.match(await page.textContent('#notice'), /comparison has ended/);
  assert.equal(await page.getAttribute('#freeze', 'aria-pressed'), 'false');
});

liveTest('a comparison goes on when the profiler has made its table smaller', async (page, server) => {
  await open(page, server);
  await choose(page, 'since the start');
  server.tick([working, reading, [dd, ['main', 'read', 'deep'], 5], [{process: 'gone', pid: 9}, ['main'], 15]]);
  await until(page, 60);
  await page.click('#freeze');
  // The stack with `deep` is merged into its caller, and a process is gone.
  server.reset([[dd, ['main', 'read'], 50], [app, ['main', 'work'], 50]]);
  await until(page, 100);
  assert.equal((await state(page)).totalBefore, 45);
  assert.deepEqual([(await box(page, 'read')).before, (await box(page, 'work')).before], [35, 10]);
  assert.match(await page.textContent('#notice'), /^25\.0 % of what was frozen/);
});

liveTest('a picture that was paused before the connection was lost can be frozen and compared with', async (page, server) => {
  await open(page, server);
  server.tick([reading]);
  await until(page, 30);
  await page.click('#pause');
  server.drop();
  await page.waitForSelector('#connection[data-state=lost]');
  server.accept();
  await page.waitForSelector('#connection[data-state=live]');
  await page.click('#freeze');
  assert.deepEqual([(await state(page)).total, (await state(page)).totalBefore], [30, 30]);
  server.reset([[dd, ['other'], 1], reading, working]);
  server.tick([working]);
  await page.click('#pause');
  await choose(page, 'since the start');
  await until(page, 51);
  assert.deepEqual([(await box(page, 'read')).before, (await box(page, 'work')).before], [30, 0]);
}, {console: /ERR_|Failed to load|EventSource/});

liveTest('the end of the run is told, the last picture stays, and the next run is followed', async (page, server) => {
  await open(page, server);
  server.tick([reading]);
  await until(page, 30);
  server.end();
  await page.waitForSelector('#connection[data-state=ended]');
  assert.equal(await page.textContent('#connection'), 'the run is over');
  // For a while the address has a server that knows no events.
  server.answers = false;
  await page.waitForResponse((response) => response.url().endsWith('/events') && response.status() === 404);
  assert.equal(await page.textContent('#connection'), 'the run is over');
  assert.equal((await boxes(page)).some((one) => one.name === 'read'), true);
  server.begin({...run, title: 'Tracing system calls', event: 'syscalls', tag: 'system call'});
  await page.waitForSelector('#connection[data-state=live]');
  assert.equal(await page.textContent('#title'), 'Tracing system calls');
  server.tick([working, [dd, [{name: 'read', kind: 'tag'}], 5]]);
  await until(page, 15);
  assert.equal((await box(page, 'read')).kind, 'system call');
}, {console: /ERR_|Failed to load|EventSource/});

liveTest('hostile names that arrive are text', async (page, server) => {
  await open(page, server);
  const name = '</script><img src=x onerror=alert(1)>';
  server.tick([[{process: name, pid: 1, tid: 2, cpu: 3}, [name], 5], reading]);
  await until(page, 35);
  assert.equal((await box(page, name)).total, 5);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img').length), 0);
});
