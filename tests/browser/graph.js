// What users do with the page of a file: zoom, search, invert, walk by keys, copy.
'use strict';

const {assert, test, fileOf, boxes, state, box, placeOf, click, hover, shown} = require('./harness.js');
const {pageOf, fileData} = require('./pages.js');

const dd = {process: 'dd', pid: 185};
const app = {process: 'app', pid: 77, thread: 'app-worker', tid: 78, cpu: 1};
const kworker = {process: 'kworker/0:1', pid: 17, tid: 17, cpu: 0};
const main = {name: 'main', module: 'dd', file: '/src/dd.c', line: 42};
const vfsRead = {name: 'vfs_read', module: '[kernel]', kind: 'kernel'};
const helper = {name: 'helper', module: 'app', kind: 'inlined'};
// 100 samples.
const rows = [
  [dd, [main, 'read', vfsRead], 40],
  [dd, [main, 'write'], 20],
  [dd, [main], 5],
  [app, [main, helper, 'read'], 25],
  [kworker, [{name: 'kloop', kind: 'kernel'}], 10],
];
const byProcess = {
  'dd (185);main;read;vfs_read': 40,
  'dd (185);main;write': 20,
  'dd (185);main': 5,
  'app (77);main;helper;read': 25,
  'kworker/0:1 (17);kloop': 10,
};

async function open(page, data = fileData(rows)) {
  await page.goto(fileOf(pageOf(data)));
}
const press = (page, ...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

test('the stacks of a file stand on their processes, and add up', async (page) => {
  await open(page);
  assert.deepEqual(await shown(page), byProcess);
  const {total, boxes: count} = await state(page);
  assert.equal(total, 100);
  assert.equal(count, 12);
  const root = await box(page, 'all');
  assert.equal(root.width, (await page.locator('#graph').boundingBox()).width);
  assert.equal((await box(page, 'kloop')).width, root.width / 10);
});

test('siblings stand in the order of their names', async (page) => {
  await open(page);
  const level = (await boxes(page)).filter((one) => one.depth === 1).sort((a, b) => a.x - b.x);
  assert.deepEqual(level.map((one) => one.name), ['app (77)', 'dd (185)', 'kworker/0:1 (17)']);
});

test('without the processes equal stacks are one', async (page) => {
  await open(page);
  await page.click('#processes');
  assert.deepEqual(await shown(page), {
    'main;read;vfs_read': 40, 'main;write': 20, main: 5, 'main;helper;read': 25, kloop: 10,
  });
  await page.click('#processes');
  assert.deepEqual(await shown(page), byProcess);
});

test('inverted, the stacks are merged from their leaves', async (page) => {
  await open(page);
  await press(page, 'p', 'i');
  assert.deepEqual(await shown(page), {
    'vfs_read;read;main': 40, 'write;main': 20, main: 5, 'read;helper;main': 25, kloop: 10,
  });
  const leaves = (await boxes(page)).filter((one) => one.depth === 1);
  assert.equal(leaves.reduce((sum, one) => sum + one.total, 0), 100);
  await press(page, 'p');
  assert.deepEqual(await shown(page), {
    'dd (185);vfs_read;read;main': 40, 'dd (185);write;main': 20, 'dd (185);main': 5,
    'app (77);read;helper;main': 25, 'kworker/0:1 (17);kloop': 10,
  });
});

test('flame has the root at the bottom, icicle at the top', async (page) => {
  await open(page);
  assert.ok((await box(page, 'write')).y < (await box(page, 'all')).y);
  await page.click('#icicle');
  assert.equal((await box(page, 'all')).y, 0);
  assert.ok((await box(page, 'write')).y > 0);
  await press(page, 'f');
  assert.ok((await box(page, 'write')).y < (await box(page, 'all')).y);
});

test('a click zooms, and a click on what is below goes back', async (page) => {
  await open(page);
  await click(page, 'read', (stack) => stack[0] === 'dd (185)');
  const {width} = await box(page, 'all');
  assert.equal((await box(page, 'read')).width, width);
  assert.equal((await box(page, 'vfs_read')).width, width);
  assert.deepEqual((await boxes(page)).map((one) => one.name), ['all', 'dd (185)', 'main', 'read', 'vfs_read']);
  await click(page, 'dd (185)');
  assert.equal((await state(page)).focus, 'dd (185)');
  assert.equal((await box(page, 'read')).width, width * 40 / 65);
  await press(page, 'Escape');
  assert.equal((await state(page)).focus, 'read');
  await press(page, 'Home');
  assert.equal((await state(page)).focus, 'all');
  assert.deepEqual(await shown(page), byProcess);
});

test('a zoom stays where it is in a window of another size', async (page) => {
  await open(page);
  await click(page, 'app (77)');
  await page.setViewportSize({width: 700, height: 500});
  await page.waitForFunction(() => document.querySelector('#graph').clientWidth < 720);
  const focus = await box(page, 'app (77)');
  assert.equal(focus.width, (await page.locator('#graph').boundingBox()).width);
});

test('a search highlights what matches and tells its share, each stack once', async (page) => {
  await open(page);
  await press(page, '/');
  await page.keyboard.type('READ');
  // read and vfs_read on one stack count once: 40, not 80.
  assert.equal((await state(page)).matchedShare, 0.65);
  assert.equal(await page.textContent('#matched'), '65.0 %');
  const matched = (await boxes(page)).filter((one) => one.matched);
  assert.deepEqual(matched.map((one) => one.name).sort(), ['read', 'read', 'vfs_read']);
  const colours = new Set(matched.map((one) => one.colour));
  assert.equal(colours.size, 1);
  assert.ok((await boxes(page)).every((one) => one.matched === colours.has(one.colour)));
  await press(page, 'Escape');
  assert.equal((await state(page)).matchedShare, null);
  assert.ok((await boxes(page)).every((one) => !colours.has(one.colour)));
});

test('a search knows regular expressions, process names while they are shown, and what is no expression', async (page) => {
  await open(page);
  const share = async (words) => {
    await page.fill('#search', words);
    return (await state(page)).matchedShare;
  };
  assert.equal(await share('/^(read|kloop)$/'), 0.75);
  assert.equal(await share('/READ/'), 0);
  assert.equal(await share('/READ/i'), 0.65);
  assert.equal(await share('(77)'), 0.25);
  assert.equal(await share('nowhere'), 0);
  assert.equal(await share('/(/'), null);
  assert.equal(await page.getAttribute('#search', 'aria-invalid'), 'true');
  await page.waitForFunction(() => document.querySelector('#matched').textContent === 'no regular expression');
  assert.equal(await share('/dd/'), 0.65);
  assert.equal(await page.getAttribute('#search', 'aria-invalid'), null);
  await page.click('#processes');
  assert.equal((await state(page)).matchedShare, 0);
});

test('what is searched for is the same share however the stacks are drawn', async (page) => {
  await open(page);
  await page.fill('#search', 'main');
  await page.locator('#graph').focus();
  for (const key of ['i', 'p', 'f', 'i']) {
    await press(page, key);
    assert.equal((await state(page)).matchedShare, 0.9);
  }
});

test('keys and buttons go from match to match, the widest first', async (page) => {
  await open(page);
  await page.fill('#search', 'read');
  const places = [];
  for (const key of ['Enter', 'Enter', 'Enter', 'Enter', 'Shift+Enter']) {
    await press(page, key);
    const {selected} = await state(page);
    places.push(`${selected} ${/\d+ samples/.exec(await page.textContent('#status'))[0]}`);
  }
  assert.deepEqual(places, ['read 40 samples', 'vfs_read 40 samples', 'read 25 samples', 'read 40 samples', 'read 25 samples']);
  await page.locator('#graph').focus();
  await press(page, 'N');
  assert.equal((await state(page)).selected, 'vfs_read');
  await page.click('#next');
  assert.equal((await state(page)).selected, 'read');
  await press(page, 'Escape');
  await page.fill('#search', 'nowhere');
  await page.click('#previous');
  assert.equal(await page.textContent('#notice'), 'Nothing is found here.');
});

test('the heaviest comes first where that is asked for, whichever way the stacks are merged', async (page) => {
  await open(page);
  await page.click('#heaviest');
  const names = async (depth) => {
    const level = (await boxes(page)).filter((one) => one.depth === depth);
    return level.sort((a, b) => a.x - b.x).map((one) => `${one.name} ${one.total}`);
  };
  assert.deepEqual(await names(1), ['dd (185) 65', 'app (77) 25', 'kworker/0:1 (17) 10']);
  assert.deepEqual(await names(3), ['read 40', 'write 20', 'helper 25']);
  assert.deepEqual(await shown(page), byProcess);
  await press(page, 'p', 'i');
  assert.deepEqual(await names(1), ['vfs_read 40', 'read 25', 'write 20', 'kloop 10', 'main 5']);
  await press(page, 'o');
  assert.deepEqual(await names(1), ['kloop 10', 'main 5', 'read 25', 'vfs_read 40', 'write 20']);
});

test('threads are a level as processes are, above them or alone', async (page) => {
  const two = {...dd, thread: '<b>two', tid: 186};
  await open(page, fileData([...rows, [two, [main, 'read'], 10]]));
  await press(page, 'h');
  assert.deepEqual(await shown(page), {
    'dd (185);dd;main;read;vfs_read': 40, 'dd (185);dd;main;write': 20, 'dd (185);dd;main': 5,
    'dd (185);<b>two (186);main;read': 10, 'app (77);app-worker (78);main;helper;read': 25,
    'kworker/0:1 (17);kworker/0:1 (17);kloop': 10,
  });
  await page.fill('#search', 'two');
  assert.equal((await state(page)).matchedShare, 10 / 110);
  await page.click('#processes');
  assert.equal((await shown(page))['<b>two (186);main;read'], 10);
  await page.click('#threads');
  assert.deepEqual((await shown(page))['main;read'], 10);
});

test('over a box stand its count, its shares, its module and its line', async (page) => {
  await open(page);
  await click(page, 'dd (185)');
  await hover(page, 'main');
  await page.waitForSelector('#tip:not([hidden])');
  const tip = await page.innerText('#tip');
  assert.match(tip, /^main\n/);
  assert.match(tip, /65 samples · 65\.0 % of all · 100\.0 % of dd \(185\)/);
  assert.match(tip, /5 samples in itself/);
  assert.match(tip, /dd, \/src\/dd\.c:42, user/);
  await hover(page, 'read');
  assert.match(await page.innerText('#tip'), /40 samples · 40\.0 % of all · 61\.5 % of dd \(185\)/);
  await page.mouse.move(2, 2);
  await page.waitForSelector('#tip', {state: 'hidden'});
});

test('keys walk among the boxes, zoom and go back, and the status says where one is', async (page) => {
  await open(page);
  await press(page, 'ArrowUp');
  assert.equal((await state(page)).selected, 'all');
  await press(page, 'ArrowUp', 'ArrowUp', 'ArrowUp');
  assert.equal((await state(page)).selected, 'read');
  await press(page, 'ArrowRight');
  assert.equal((await state(page)).selected, 'write');
  await press(page, 'ArrowLeft', 'ArrowLeft');
  assert.equal((await state(page)).selected, 'helper');
  assert.match(await page.textContent('#status'), /^helper · 25 samples · 25\.0 % of all · app, inlined$/);
  assert.equal(await page.getAttribute('#status', 'aria-live'), 'polite');
  await press(page, 'ArrowDown', 'Enter');
  assert.equal((await state(page)).focus, 'main');
  assert.match(await page.textContent('#status'), /main · 25 samples/);
  await press(page, 'Escape');
  assert.equal((await state(page)).focus, 'all');
});

test('the keys are told behind a question mark', async (page) => {
  await open(page);
  await press(page, '?');
  assert.match(await page.innerText('#help'), /f\s+flame or icicle/);
  await press(page, 'Escape');
  await page.waitForSelector('#help', {state: 'hidden'});
  await page.click('#help-button');
  await page.waitForSelector('#help[open]');
  await page.click('#help-close');
  await page.waitForSelector('#help', {state: 'hidden'});
});

test('a stack is copied as a folded line, by key and by the menu of a box', async (page) => {
  await open(page);
  await hover(page, 'vfs_read');
  await press(page, 'c');
  await page.waitForFunction(() => document.querySelector('#notice').textContent.includes('clipboard'));
  assert.equal(await clipboard(page), 'dd;main;read;vfs_read 40');
  const {x, y} = await placeOf(page, await box(page, 'helper'));
  await page.mouse.click(x, y, {button: 'right'});
  await page.click('#menu [data-does=copy]');
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('app'));
  assert.equal(await clipboard(page), 'app;main;helper 25');
  await page.mouse.click(x, y, {button: 'right'});
  await page.click('#menu [data-does=search]');
  assert.equal((await state(page)).matchedShare, 0.25);
  // The menu searches for the whole name, so "read" does not match vfs_read.
  await page.fill('#search', '');
  const leaf = await placeOf(page, await box(page, 'vfs_read'));
  await page.mouse.click(leaf.x, leaf.y, {button: 'right'});
  await page.click('#menu [data-does=search]');
  assert.equal(await page.inputValue('#search'), '"vfs_read"');
  assert.equal((await state(page)).matchedShare, 0.4);
  const read = await placeOf(page, await box(page, 'read', (stack) => stack.includes('dd (185)')));
  await page.mouse.click(read.x, read.y, {button: 'right'});
  await page.click('#menu [data-does=search]');
  assert.deepEqual([...new Set((await boxes(page)).filter((one) => one.matched).map((one) => one.name))], ['read']);
  await page.fill('#search', '');
  await page.locator('#graph').focus();
  // When inverted, the copied line still begins with the root.
  await press(page, 'i', 'p');
  await hover(page, 'read', (stack) => stack[0] === 'vfs_read');
  await press(page, 'c');
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('read'));
  assert.equal(await clipboard(page), 'read;vfs_read 40');
});

test('who is seen can be chosen: process, thread and CPU', async (page) => {
  await open(page);
  const options = await page.locator('#filter-process option').allTextContents();
  assert.deepEqual(options, ['all processes', 'dd (185) — 65.0 %', 'app (77) — 25.0 %', 'kworker/0:1 (17) — 10.0 %']);
  await page.selectOption('#filter-process', {index: 2});
  assert.deepEqual(await shown(page), {'app (77);main;helper;read': 25});
  await page.selectOption('#filter-process', '');
  await page.selectOption('#filter-thread', {label: 'kworker/0:1 (17) — 10.0 %'});
  assert.deepEqual(await shown(page), {'kworker/0:1 (17);kloop': 10});
  await page.selectOption('#filter-thread', '');
  await page.selectOption('#filter-cpu', {label: 'CPU 1 — 25.0 %'});
  assert.equal((await state(page)).total, 25);
});

test('at 1280 pixels the tools and who is shown stand in one row', async (page) => {
  await open(page);
  const middles = await page.locator('header .bar:has(#search) :is(input, button, select):visible').evaluateAll((tools) =>
    tools.map((tool) => { const {y, height} = tool.getBoundingClientRect(); return Math.round(y + height / 2); }));
  assert.ok(middles.length >= 11, String(middles.length));
  assert.equal(new Set(middles).size, 1, JSON.stringify(middles));
});

test('dark and light follow the system and the switch', async (page) => {
  await page.emulateMedia({colorScheme: 'dark'});
  await open(page);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), 'dark');
  const dark = (await box(page, 'write')).colour;
  await page.click('#theme');
  assert.equal(await theme(), 'light');
  assert.notEqual((await box(page, 'write')).colour, dark);
  await press(page, 't');
  assert.equal(await theme(), 'dark');
});

test('the page says what was measured and where every sample went', async (page) => {
  await open(page);
  assert.match(await page.textContent('#title'), /^Sampling at 49 Hertz of all threads/);
  await page.click('#about summary');
  const about = await page.innerText('#about-text');
  assert.match(about, /profile -o 'a file\.html' 5/);
  assert.match(about, /130 taken = 100 recorded \+ 20 on idle CPUs \+ 7 of others \+ 3 lost/);
  assert.match(about, /96\.8 % of 1000 frames have a function name; 32 no symbol in their file/);
  assert.equal(await page.isVisible('#tables'), false);
});

test('what was measured besides stands beside the picture, and a tag is called by its word', async (page) => {
  const data = fileData([[dd, ['main', {name: 'read', kind: 'tag'}], 20]]);
  const tables = ['Top 1 system call by count', 'CALLS  SYSCALL', '   20  read', ''];
  await open(page, {...data, run: {...data.run, tag: 'system call'}, tables});
  assert.equal(await page.innerText('#tables-text'), 'Top 1 system call by count\nCALLS  SYSCALL\n   20  read');
  const graph = await page.locator('#scroller').boundingBox();
  const beside = await page.locator('#tables').boundingBox();
  assert.ok(beside.x >= graph.x + graph.width - 1 && graph.width > 600, JSON.stringify([graph, beside]));
  assert.deepEqual(await page.locator('#legend li').allTextContents(), ['user', 'system call', 'process']);
  assert.equal((await box(page, 'read')).kind, 'system call');
});

test('kernel, user, inlined, JIT and unnamed are coloured apart, and the legend tells how', async (page) => {
  const all = ['user', 'kernel', 'inlined', 'jit', 'unnamed'];
  await open(page, fileData(all.map((kind) => [dd, [{name: 'same', module: kind, kind}], 20])));
  const same = (await boxes(page)).filter((one) => one.name === 'same');
  assert.equal(new Set(same.map((one) => one.colour)).size, all.length);
  const legend = await page.locator('#legend li').allTextContents();
  assert.deepEqual(legend, ['user', 'kernel', 'inlined', 'JIT', 'unnamed', 'process']);
});

test('a profile of nothing says so', async (page) => {
  await open(page, fileData([]));
  assert.equal((await state(page)).total, 0);
  assert.equal(await page.isVisible('#empty'), true);
  await press(page, 'ArrowUp', 'Enter', 'i', 'p', 'f', 'c');
  await page.mouse.click(400, 400);
});

test('storage that is refused does not matter', async (page, context) => {
  await context.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {get: () => { throw new DOMException('no', 'SecurityError'); }});
  });
  await open(page);
  await press(page, 't');
  assert.deepEqual(await shown(page), byProcess);
});

test('on a phone the header leaves the room to the picture, and the status is told whole', async (page) => {
  await page.setViewportSize({width: 390, height: 844});
  const name = `operator<<${'x'.repeat(60)}`;
  await open(page, fileData([[app, [name], 20], [dd, [main, 'read'], 5]]));
  const heightOf = async (id) => (await page.locator(id).boundingBox()).height;
  assert.ok(await heightOf('header') <= 0.15 * 844, `${await heightOf('header')}`);
  await press(page, 'ArrowUp', 'ArrowUp', 'ArrowUp');
  await page.waitForFunction(() => document.querySelector('#status').textContent.startsWith('operator'));
  const status = page.locator('#status');
  assert.ok(await status.evaluate((it) => it.scrollHeight <= it.clientHeight && it.scrollWidth <= it.clientWidth));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await press(page, 'Enter');
  // The row scrolls to a button that does not fit.
  await page.locator('#whole').scrollIntoViewIfNeeded();
  await page.click('#whole');
  assert.equal((await state(page)).focus, 'all');
});
