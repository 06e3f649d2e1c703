// The strip of time of a recording's page: what ran when, parts of the run in the graph, and two parts compared.
'use strict';

const {assert, test, fileOf, state, timings, shown} = require('./harness.js');
const {timedPageOf} = require('./pages.js');

const steady = {process: 'steady', pid: 10, tid: 10, cpu: 0};
const burst = {process: 'burst', pid: 20, tid: 21, thread: 'worker', cpu: 1};
const hostileName = '<img src=x onerror=alert(1)></script>';
const hostile = {process: hostileName, pid: 30, tid: 30, thread: '"><script>alert(1)</script>', cpu: 0};
const seconds = 20;

// 100 samples a second of a steady program, 50 of one that runs in one second of four, and one sample of another.
function rows() {
  const samples = [];
  for (let ms = 0; ms < seconds * 1000; ms += 10) {
    samples.push([ms, steady, ['main', ms % 1000 < 500 ? 'read' : 'write'], 1]);
    const isBurst = Math.floor(ms / 1000) % 4 === 2;
    if (isBurst && ms % 20 === 0) samples.push([ms, burst, ['main', 'compress'], 1]);
    if (ms === 7000) samples.push([ms, hostile, ['main', hostileName], 1]);
  }
  return samples;
}
const openPage = async (page, html, hash = '') => {
  await page.goto(fileOf(html) + hash);
  await page.waitForFunction(() => window.profilePage !== undefined && window.profilePage.strip() !== null);
};
const open = (page, hash) => openPage(page, timedPageOf(rows(), {to: seconds * 1000}), hash);
const strip = (page) => page.evaluate(() => window.profilePage.strip());
const link = (page) => page.evaluate(() => location.hash);

// The x of a time in the window.
async function xOf(page, second) {
  const {gutter, plotWidth, from, to} = await strip(page);
  const canvas = await page.locator('#strip').boundingBox();
  return {x: canvas.x + gutter + ((second - from) / (to - from)) * plotWidth, y: canvas.y + 60};
}
async function drag(page, from, to) {
  const begin = await xOf(page, from);
  const end = await xOf(page, to);
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await page.mouse.move((begin.x + end.x) / 2, begin.y);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
}
async function partOf(page, which = 0) {
  return (await strip(page)).parts[which].split('-').map(Number);
}
// What the samples of a part add up to.
const truth = (from, to, owner) => rows().filter(([ms, who]) => ms >= from * 1000 && ms < to * 1000 && (!owner || who === owner)).length;
const near = (is, wanted, most, what) => assert.ok(Math.abs(is - wanted) <= most, `${what}: ${is}, not ${wanted}`);

test('the lanes show when each process ran', async (page) => {
  await open(page);
  const {lanes} = await strip(page);
  assert.deepEqual(lanes.map(({name}) => name), ['all', 'steady (10)', 'burst (20)', `${hostileName} (30)`]);
  assert.deepEqual(lanes[2].seconds, Array.from({length: seconds}, (_, i) => (i % 4 === 2 ? 50 : 0)));
  await page.selectOption('#lanes', 'threads');
  assert.deepEqual((await strip(page)).lanes.map(({name}) => name), [
    'all', 'steady (10) · steady', 'worker (21) · burst', `"><script>alert(1)</script> (30) · ${hostileName}`,
  ]);
  assert.equal(await link(page), '#lanes=threads');
});

test('the graph, the functions and the totals follow the chosen part', async (page) => {
  await open(page);
  await drag(page, 2, 3);
  const [from, to] = await partOf(page);
  near(from, 2, 0.02, 'the beginning');
  near(to, 3, 0.02, 'the end');
  assert.equal((await state(page)).total, truth(from, to));
  await page.fill('#time-from', '2');
  await page.fill('#time-to', '3');
  await page.keyboard.press('Enter');
  assert.deepEqual(await shown(page), {'burst (20);main;compress': 50, 'steady (10);main;read': 50, 'steady (10);main;write': 50});
  assert.match(await page.innerText('#subtitle'), /^150 samples · 2 s to 3 s$/);
  assert.equal(await page.innerText('#time-status'), '2 s to 3 s');
  await page.keyboard.press('l');
  await page.waitForSelector('#functions-rows tr.row');
  const functions = await page.$$eval('#functions-rows tr.row', (all) => all.map((row) => row.innerText.replace(/\s+/g, ' ')));
  assert.equal(functions.length, 4);
  assert.ok(functions.some((row) => row.includes('compress') && row.includes('50')), functions.join(' | '));
  // Escape on the strip takes the part back.
  await page.focus('#strip');
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).total, rows().length);
});

test('a link opens the same part, and a reload keeps it', async (page) => {
  await open(page, '#time=6-8');
  assert.equal((await state(page)).total, truth(6, 8));
  await page.reload();
  await page.waitForFunction(() => window.profilePage.strip() !== null);
  assert.equal((await state(page)).total, truth(6, 8));
  assert.equal(await link(page), '#time=6-8');
  await page.evaluate(() => (location.hash = '#time=100-200'));
  await page.waitForFunction((all) => window.profilePage.state().total === all, rows().length);
  await page.evaluate(() => (location.hash = '#time=3-1-2&against=x&lanes=no'));
  await page.waitForFunction(() => window.profilePage.strip().kind === 'processes');
  assert.equal((await state(page)).total, rows().length);
});

test('a second part is compared with the first', async (page) => {
  await open(page, '#time=0-2');
  await page.keyboard.down('Shift');
  await drag(page, 2, 3);
  await page.keyboard.up('Shift');
  const [from, to] = await partOf(page, 1);
  const {total, totalBefore} = await state(page);
  assert.deepEqual([total, totalBefore], [truth(from, to), 200]);
  await page.waitForFunction(() => location.hash.includes('against='));
  await page.click('#time-all');
  assert.equal((await state(page)).totalBefore, null);
  // The same with the button and the fields.
  await page.fill('#time-to', '2');
  await page.click('#second');
  await page.fill('#second-from', '2');
  await page.keyboard.press('Tab');
  await page.fill('#second-to', '3');
  await page.keyboard.press('Enter');
  const compress = (await page.evaluate(() => window.profilePage.boxes())).find(({name}) => name === 'compress');
  assert.deepEqual([compress.total, compress.before], [50, 0]);
  assert.match(compress.colour, /^rgb\(/);
  assert.match(await page.innerText('#legend'), /a larger share than before/);
  assert.match(await page.innerText('#subtitle'), /^200 samples 0 s to 2 s · 150 samples now/);
  await page.click('#second');
  assert.equal((await state(page)).totalBefore, null);
});

test('the heat map has a column a second and a row each 20 ms', async (page) => {
  await open(page, '#lanes=heat');
  const {heat: {columns, cells}} = await strip(page);
  assert.equal(columns, seconds);
  // Each 20 ms two samples of the steady program, and one of the other in its seconds.
  for (let row = 0; row < 50; ++row) {
    for (let column = 0; column < columns; ++column) {
      const other = column === 7 && row === 0 ? 1 : 0;
      assert.equal(cells[row * columns + column], 2 + (column % 4 === 2 ? 1 : 0) + other, `${column} ${row}`);
    }
  }
  // From the cell in the middle of second 2 to that in the middle of second 3.
  const canvas = await page.locator('#strip').boundingBox();
  const place = (column) => [canvas.x + ((column + 0.5) / columns) * canvas.width, canvas.y + 17 + (canvas.height - 17) * 0.505];
  await page.mouse.move(...place(2));
  await page.mouse.down();
  await page.mouse.move(...place(3));
  await page.mouse.up();
  const [from, to] = await partOf(page);
  near(from, 2.48, 0.021, 'the first cell');
  near(to, 3.5, 0.021, 'the last cell');
  assert.equal((await state(page)).total, truth(from, to));
});

test('spans are lanes of their own when there are few', async (page) => {
  const wait = {process: 'app', pid: 5, tid: 6, thread: 'reader', cpu: 0};
  const samples = [
    [1_500_000, wait, ['main', 'read', '[off-cpu]'], 1_000_000],
    [2_000_010, wait, ['main', 'poll'], 250_000],
  ];
  await openPage(page, timedPageOf(samples, {tickUs: 1, to: 3_000_000, unit: 'microseconds'}), '#lanes=threads');
  const {spans} = await strip(page);
  assert.deepEqual(spans, [
    {lane: 1, name: '[off-cpu]', begin: 0.5, end: 1.5}, {lane: 1, name: 'poll', begin: 1.75001, end: 2.00001},
  ]);
  const {lanes} = await strip(page);
  const {x} = await xOf(page, 1);
  const canvas = await page.locator('#strip').boundingBox();
  await page.mouse.move(x, canvas.y + lanes[1].y);
  assert.match(await page.innerText('#tip'), /\[off-cpu\]: 1\.00 s/);
  await page.fill('#time-from', '1.9');
  await page.keyboard.press('Enter');
  assert.equal((await state(page)).total, 250_000);
});

test('the strip follows the filters, the edits and the search', async (page) => {
  await open(page);
  await page.selectOption('#filter-process', {label: (await page.locator('#filter-process option').allInnerTexts()).find((text) => text.startsWith('burst'))});
  assert.deepEqual((await strip(page)).lanes.map(({name}) => name), ['all', 'burst (20)']);
  await page.selectOption('#filter-process', {index: 0});
  await page.evaluate(() => (location.hash = '#focus=compress&time=2-7'));
  await page.waitForFunction(() => window.profilePage.strip().lanes.length === 2);
  assert.equal((await state(page)).total, 100);
  await page.evaluate(() => (location.hash = '#by-name=on'));
  await page.waitForFunction(() => window.profilePage.strip().lanes[1].name === 'steady');
  await page.fill('#search', 'compress');
  assert.equal((await state(page)).total, rows().length);
});

test('everything can be done with keys', async (page) => {
  await open(page);
  await page.keyboard.press('r');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'strip');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await partOf(page), [0, 2]);
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await partOf(page), [0.4, 2.4]);
  await page.keyboard.press('Shift+ArrowRight');
  assert.deepEqual(await partOf(page), [0.4, 2.8]);
  assert.equal((await state(page)).total, truth(0.4, 2.8));
  await page.keyboard.press('Enter');
  assert.deepEqual([(await strip(page)).from, (await strip(page)).to], [0.4, 2.8]);
  await page.keyboard.press('-');
  assert.deepEqual([(await strip(page)).from, (await strip(page)).to], [0, 4.8]);
  await page.keyboard.press('b');
  await page.keyboard.press('ArrowRight');
  assert.notEqual((await state(page)).totalBefore, null);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).total, rows().length);
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'graph');
});

test('what is saved is the chosen part', async (page) => {
  await open(page, '#time=2-3');
  await page.click('#save');
  const download = page.waitForEvent('download');
  await page.click('#save-menu [data-as=html]');
  const path = await (await download).path();
  const html = require('node:fs').readFileSync(path, 'utf8');
  assert.ok(!html.includes('id="samples"'));
  await page.goto(fileOf(html));
  await page.waitForFunction(() => window.profilePage !== undefined);
  assert.equal((await state(page)).total, 150);
  assert.equal(await page.isVisible('#time'), false);
  assert.match(await page.innerText('#title'), /, 2 s to 3 s$/);
});

test('samples that cannot be read leave the graph', async (page) => {
  const html = timedPageOf(rows(), {to: seconds * 1000}).replace(/"samples":(\d+)\}/, (_, many) => `"samples":${Number(many) + 1}}`);
  await page.goto(fileOf(html));
  await page.waitForFunction(() => document.getElementById('time').hidden);
  assert.match(await page.innerText('#notice'), /fewer samples than it says/);
  assert.equal((await state(page)).total, rows().length);
});

test('on a phone a finger chooses a part', async (page, context) => {
  await open(page);
  const session = await context.newCDPSession(page);
  const begin = await xOf(page, 2);
  const end = await xOf(page, 6);
  const touch = (type, points) => session.send('Input.dispatchTouchEvent', {type, touchPoints: points});
  await touch('touchStart', [begin]);
  await touch('touchMove', [{x: (begin.x + end.x) / 2, y: begin.y}]);
  await touch('touchMove', [end]);
  await touch('touchEnd', []);
  const [from, to] = await partOf(page);
  near(from, 2, 0.2, 'the beginning');
  near(to, 6, 0.2, 'the end');
  assert.equal((await state(page)).total, truth(from, to));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, {context: {viewport: {width: 390, height: 780}, hasTouch: true, isMobile: true}});
