// Saving the view as a file: from a live page (frozen, filtered, compared), and from a page that was already a file.
'use strict';

const fs = require('node:fs');
const zlib = require('node:zlib');
const {pathToFileURL} = require('node:url');
const {assert, test, fileOf, state, shown, click} = require('./harness.js');
const {LiveServer} = require('./live_server.js');
const {pageOf, fileData} = require('./pages.js');

const dd = {process: '</script><b>dd', pid: 185, tid: 185, cpu: 0};
const app = {process: 'app', pid: 77, thread: 'worker', tid: 78, cpu: 1};
const hostile = {name: '</script><script>alert(1)</script>;"', module: '<img src=x>', file: '/src/a.c', line: 7};
const allowed = (url) => /^http:\/\/127\.0\.0\.1:\d+\/events$|^blob:/.test(url);

async function saved(page, as) {
  await page.click('#save');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save-menu [data-as=${as}]`)]);
  return {name: download.suggestedFilename(), path: await download.path()};
}
// Opens the saved page from disk.
async function openSaved(page) {
  const {name, path} = await saved(page, 'html');
  assert.match(name, /^profile-cpu-clock-\d{6}\.html$/);
  fs.renameSync(path, `${path}.html`);
  await page.goto(pathToFileURL(`${path}.html`).href);
}
async function openLive(page, ticks) {
  const server = await new LiveServer().listen();
  for (const [rows, seconds] of ticks) server.tick(rows, seconds);
  await page.goto(server.url);
  await page.waitForSelector('#connection[data-state=live]');
  return server;
}
const until = (page, total) => page.waitForFunction((sum) => window.profilePage.state().total === sum, total);

// The fields of a message: [number, value], where a value is a number or bytes.
function fieldsOf(bytes) {
  const fields = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    if (key % 8 === 0) fields.push([key >> 3, varint()]);
    else {
      const length = varint();
      fields.push([key >> 3, bytes.subarray(at, (at += length))]);
    }
  }
  assert.equal(at, bytes.length);
  return fields;
}
const all = (fields, number) => fields.filter(([is]) => is === number).map(([, value]) => value);

test('a live page that is frozen is saved as a page that shows the same, without a network', async (page) => {
  const server = await openLive(page, [[[[dd, ['main', hostile], 30]]], [[[app, ['main', 'work'], 10]]]]);
  try {
    await until(page, 40);
    await page.keyboard.press('i');
    await page.fill('#search', 'work');
    await page.click('#freeze');
    server.tick([[app, ['main', 'fresh'], 20]], 10);
    await until(page, 20);
    const before = {shown: await shown(page), state: await state(page)};
    await openSaved(page);
    assert.deepEqual(await shown(page), before.shown);
    const {total, totalBefore, matchedShare} = await state(page);
    assert.deepEqual({total, totalBefore, matchedShare}, {
      total: before.state.total, totalBefore: before.state.totalBefore, matchedShare: before.state.matchedShare,
    });
    assert.match(await page.getAttribute('meta[http-equiv]', 'content'), /connect-src 'none'/);
    assert.equal(await page.isVisible('#live'), false);
    assert.match(await page.textContent('#title'), /last 10 s$/);
  } finally {
    server.close();
  }
}, {allowed});

test('what a filter leaves is what is saved, from a file too, and the zoom is kept', async (page) => {
  await page.goto(fileOf(pageOf(fileData([[dd, ['main', hostile], 30], [app, ['main', 'work', 'deep'], 10]]))));
  await page.selectOption('#filter-process', {label: 'app (77) — 25.0 %'});
  await click(page, 'work');
  await openSaved(page);
  assert.equal((await state(page)).total, 10);
  assert.equal((await state(page)).focus, 'work');
  assert.equal(await page.locator('script').count(), 2);
  await page.keyboard.press('Home');
  assert.deepEqual(await shown(page), {'app (77);main;work;deep': 10});
}, {allowed});

test('folded lines are those that are shown, of a comparison with both numbers', async (page) => {
  const rows = [[dd, ['main', hostile], 30], [app, ['main', 'work'], 10]];
  await page.goto(fileOf(pageOf(fileData(rows))));
  const one = await saved(page, 'folded');
  assert.match(one.name, /\.folded$/);
  assert.equal(fs.readFileSync(one.path, 'utf8'),
    `</script><b>dd;main;</script><script>alert(1)</script>:" 30\napp;main;work 10\n`);
  await page.goto(fileOf(pageOf(fileData(rows, [[app, ['main', 'work'], 4], [app, ['gone'], 5]]))));
  const two = await saved(page, 'folded');
  assert.equal(fs.readFileSync(two.path, 'utf8'),
    `</script><b>dd;main;</script><script>alert(1)</script>:" 0 30\napp;gone 5 0\napp;main;work 4 10\n`);
}, {allowed});

test('pprof has the stacks, their values and whose they are', async (page) => {
  await page.goto(fileOf(pageOf(fileData([[dd, ['main', hostile], 300], [app, ['main', 'work'], 10]]))));
  const {name, path} = await saved(page, 'pprof');
  assert.match(name, /\.pb\.gz$/);
  const profile = fieldsOf(zlib.gunzipSync(fs.readFileSync(path)));
  const strings = all(profile, 6).map((bytes) => bytes.toString());
  assert.equal(strings[0], '');
  const one = (fields, number) => all(fields, number)[0];
  const names = new Map(all(profile, 5).map(fieldsOf).map((fields) => [one(fields, 1), strings[one(fields, 2)]]));
  const places = new Map(all(profile, 4).map(fieldsOf).map((fields) => {
    const line = fieldsOf(one(fields, 4));
    return [one(fields, 1), `${names.get(one(line, 1))}:${one(line, 2)}`];
  }));
  // Ids below 128 take one byte each.
  const samples = all(profile, 2).map(fieldsOf).map((fields) => ({
    stack: [...one(fields, 1)].map((id) => places.get(id)),
    value: [...one(fields, 2)].reduce((sum, byte, i) => sum + (byte & 127) * 128 ** i, 0),
    labels: all(fields, 3).map(fieldsOf).map((it) => `${strings[one(it, 1)]}=${one(it, 2) ? strings[one(it, 2)] : one(it, 3)}`),
  }));
  assert.deepEqual(samples, [
    {stack: [`${hostile.name}:7`, 'main:0'], value: 300,
      labels: [`process=${dd.process}`, 'pid=185', `thread=${dd.process}`, 'tid=185', 'cpu=0']},
    {stack: ['work:0', 'main:0'], value: 10, labels: ['process=app', 'pid=77', 'thread=worker', 'tid=78', 'cpu=1']},
  ]);
  const [type] = all(profile, 1).map(fieldsOf);
  assert.deepEqual([strings[one(type, 1)], strings[one(type, 2)]], ['samples', 'count']);
}, {allowed});

test('the menu is used by keys, and leaves by Escape', async (page) => {
  await page.goto(fileOf(pageOf(fileData([]))));
  await page.focus('#save');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.as), 'pprof');
  await page.keyboard.press('Escape');
  assert.equal(await page.isVisible('#save-menu'), false);
  await page.click('#save');
  await page.click('#save-menu [data-as=html]');
  assert.equal(await page.textContent('#notice'), 'There is nothing to save.');
}, {allowed});
