// Focus, hide, collapse and processes by name: in the picture, the table of functions, links, saved files, comparisons
// and live pages.
'use strict';

const fs = require('node:fs');
const {pathToFileURL} = require('node:url');
const {assert, test, fileOf, boxes, state, box, placeOf, shown} = require('./harness.js');
const {LiveServer} = require('./live_server.js');
const {pageOf, fileData} = require('./pages.js');

const one = {process: 'cc1plus', pid: 185};
const two = {process: 'cc1plus', pid: 186};
const make = {process: 'make', pid: 77};
const malloc = {name: 'malloc', module: 'libc.so.6'};
const inner = {name: '_int_malloc', module: 'libc.so.6'};
const vfs = {name: 'vfs_read', module: '[kernel]', kind: 'kernel'};
const hostile = '<img src=x onerror=alert(1)>(*';
// 100 samples.
const rows = [
  [one, ['main', 'fib', 'fib', 'fib', malloc, inner], 10],
  [two, ['main', 'fib', 'leaf'], 20],
  [two, ['main', 'std::map', hostile, vfs], 30],
  [make, ['a', 'b', 'a', 'b', 'a'], 40],
];

async function open(page, data = fileData(rows), hash = '') {
  await page.goto(fileOf(pageOf(data)) + hash);
}
async function set(page, what, words) {
  if (!await page.isVisible('#edits')) await page.click('#edit');
  await page.fill(`#edit-${what}`, words);
  await page.press(`#edit-${what}`, 'Enter');
}
// The stacks without their processes.
async function stacks(page) {
  const pressed = await page.getAttribute('#processes', 'aria-pressed');
  if (pressed === 'true') await page.click('#processes');
  return shown(page);
}
const subtitle = async (page) => {
  await state(page);
  return page.textContent('#subtitle');
};

test('a focus leaves the stacks with a function that matches, and its share is told', async (page) => {
  await open(page);
  await set(page, 'focus', '^fib$');
  assert.equal((await state(page)).total, 30);
  assert.deepEqual(await stacks(page), {'main;fib;fib;fib;malloc;_int_malloc': 10, 'main;fib;leaf': 20});
  assert.match(await subtitle(page), /^30 samples · 30\.0 % of all in focus$/);
  await page.click('#edit-clear');
  assert.equal((await state(page)).total, 100);
  assert.match(await subtitle(page), /^100 samples$/);
});

test('hidden frames are in no stack, and what is under them moves together', async (page) => {
  await open(page);
  await set(page, 'hide', '^(main|fib|b|std::.*)$');
  assert.deepEqual(await stacks(page), {
    'malloc;_int_malloc': 10, leaf: 20, [`${hostile};vfs_read`]: 30, 'a;a;a': 40,
  });
  await set(page, 'hide', '.');
  assert.equal((await state(page)).total, 100);
  assert.equal((await boxes(page)).length, 1);
});

test('recursion, a file and a regular expression are collapsed, each for itself and together', async (page) => {
  await open(page);
  await set(page, 'collapse', 'recursion');
  assert.deepEqual(await stacks(page), {
    'main;fib;malloc;_int_malloc': 10, 'main;fib;leaf': 20, [`main;std::map;${hostile};vfs_read`]: 30, a: 40,
  });
  await set(page, 'collapse', 'lib:libc*; lib:kernel');
  assert.deepEqual(await stacks(page), {
    'main;fib;fib;fib;[libc.so.6]': 10, 'main;fib;leaf': 20, [`main;std::map;${hostile};[kernel]`]: 30, 'a;b;a;b;a': 40,
  });
  assert.match((await box(page, '[libc.so.6]')).stack.join(';'), /^main;fib;fib;fib;/);
  await set(page, 'collapse', '^(main|fib)$; recursion; lib:libc.so.6');
  assert.deepEqual(await stacks(page), {
    'main;[libc.so.6]': 10, 'main;leaf': 20, [`main;std::map;${hostile};vfs_read`]: 30, a: 40,
  });
});

test('inverted, in the table of functions and between callers and callees the edits are the same', async (page) => {
  await open(page);
  await set(page, 'hide', '^fib$');
  await set(page, 'collapse', 'lib:libc.so.6');
  await page.click('#processes');
  await page.keyboard.press('i');
  assert.deepEqual(await shown(page), {
    '[libc.so.6];main': 10, 'leaf;main': 20, [`vfs_read;${hostile};std::map;main`]: 30, 'a;b;a;b;a': 40,
  });
  await page.click('#list');
  await state(page);
  const names = await page.$$eval('#functions-rows .name', (all) => all.map(({textContent}) => textContent));
  assert.deepEqual(names, ['a', 'vfs_read', 'leaf', '[libc.so.6]', 'main', 'b', hostile, 'std::map']);
  await page.click('#functions-rows tr.row:has(.name:text-is("[libc.so.6]"))');
  const callers = (await boxes(page)).filter((each) => each.isCaller).map(({name}) => name);
  assert.deepEqual(callers, ['main']);
  assert.equal(await page.textContent('#sandwich-amount'), '10 samples · 10.0 % of all');
});

test('processes of one name are one on request, and a filter for them knows no number', async (page) => {
  await open(page);
  await page.keyboard.press('m');
  assert.deepEqual((await boxes(page)).filter(({depth}) => depth === 1).map(({name, total}) => `${name} ${total}`),
    ['cc1plus 60', 'make 40']);
  await page.selectOption('#filter-process', {label: 'cc1plus — 60.0 %'});
  assert.equal((await state(page)).total, 60);
  await page.reload();
  assert.equal((await state(page)).total, 60);
  assert.equal(await page.getAttribute('#by-name', 'aria-pressed'), 'true');
  await page.keyboard.press('m');
  assert.equal((await state(page)).total, 100);
  assert.equal((await boxes(page)).filter(({depth}) => depth === 1).length, 3);
});

test('the menu of a box edits by its name and its file, and adds to what is there', async (page) => {
  await open(page);
  const menu = async (name, does, at) => {
    const {x, y} = await placeOf(page, await box(page, name, at));
    await page.mouse.click(x, y, {button: 'right'});
    await page.click(`#menu [data-does=${does}]`);
  };
  await menu(hostile, 'hide');
  await menu('leaf', 'hide');
  assert.equal(await page.inputValue('#edit-hide'), '^<img src=x onerror=alert\\(1\\)>\\(\\*$|^leaf$');
  await menu('malloc', 'collapse');
  await menu('vfs_read', 'collapse');
  assert.equal(await page.inputValue('#edit-collapse'), 'lib:libc.so.6; lib:[kernel]');
  await menu('std::map', 'focus');
  assert.deepEqual(await stacks(page), {'main;std::map;[kernel]': 30});
  await page.click('#edit-clear');
  await page.click('#processes');
  await menu('make (77)', 'hide');
  assert.equal(await page.textContent('#notice'), 'Processes and threads are chosen by the filters above.');
  await menu('leaf', 'collapse');
  assert.equal(await page.textContent('#notice'), 'The file of this function is not known.');
});

test('the fields are used by keys, and what is no expression is told and changes nothing', async (page) => {
  await open(page);
  await page.keyboard.press('e');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'edit-focus');
  await page.keyboard.type('(m');
  await page.keyboard.press('Enter');
  assert.equal(await page.getAttribute('#edit-focus', 'aria-invalid'), 'true');
  assert.equal((await state(page)).total, 100);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'graph');
  await set(page, 'focus', 'leaf');
  assert.equal(await page.getAttribute('#edit-focus', 'aria-invalid'), null);
  assert.equal((await state(page)).total, 20);
  await page.focus('#edit-focus');
  await page.keyboard.type('more');
  await page.keyboard.press('Escape');
  assert.equal(await page.inputValue('#edit-focus'), 'leaf');
  assert.equal((await state(page)).total, 20);
});

test('the edits are in the link, one step back each, and one that is out to break the page does nothing', async (page) => {
  await open(page);
  await set(page, 'hide', '^(main|b)$');
  await set(page, 'collapse', 'recursion; lib:libc.so.6');
  await page.waitForFunction(() => location.hash.includes('collapse='));
  const before = await shown(page);
  const url = page.url();
  await page.goBack();
  assert.equal(await page.inputValue('#edit-collapse'), '');
  assert.equal(await page.inputValue('#edit-hide'), '^(main|b)$');
  await page.goto('about:blank');
  await page.goto(url);
  assert.deepEqual(await shown(page), before);
  assert.equal(await page.isVisible('#edits'), true);
  const image = encodeURIComponent('<img src=x onerror=alert(1)>');
  for (const hash of [`#focus=${image}&hide=${image}&collapse=${image}`, '#hide=(&focus=[&collapse=*', '#collapse=;;lib:;',
    '#collapse=lib:__proto__&by-name=__proto__']) {
    await open(page, fileData(rows), hash);
    await state(page);
    assert.equal(await page.locator('img').count(), 0);
  }
  assert.equal((await state(page)).total, 100);
});

test('in a comparison both sides are edited, and each is a share of its own focus', async (page) => {
  await open(page, fileData(rows, [[one, ['main', 'fib', 'leaf'], 30], [make, ['a'], 10]]));
  await set(page, 'focus', 'fib');
  await set(page, 'hide', 'main');
  const {total, totalBefore} = await state(page);
  assert.deepEqual([total, totalBefore], [30, 30]);
  await page.click('#swap');
  assert.match(await subtitle(page), /75\.0 % of all in focus/);
  assert.deepEqual(await stacks(page), {'fib;leaf': 30});
});

const allowed = (url) => /^http:\/\/127\.0\.0\.1:\d+\/events$|^blob:/.test(url);
async function saved(page, as) {
  await page.click('#save');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#save-menu [data-as=${as}]`)]);
  return download.path();
}

test('saved lines are edited, and a saved page has the edits, which can be undone', async (page) => {
  await open(page);
  await set(page, 'focus', '^fib$');
  await set(page, 'hide', '^fib$');
  await page.keyboard.press('m');
  assert.equal(fs.readFileSync(await saved(page, 'folded'), 'utf8'),
    'cc1plus;main;leaf 20\ncc1plus;main;malloc;_int_malloc 10\n');
  const path = await saved(page, 'html');
  fs.renameSync(path, `${path}.html`);
  await page.goto(pathToFileURL(`${path}.html`).href);
  assert.deepEqual(await shown(page), {'cc1plus;main;leaf': 20, 'cc1plus;main;malloc;_int_malloc': 10});
  await page.click('#edit-clear');
  assert.equal((await state(page)).total, 100);
  assert.equal((await shown(page))['make (77);a;b;a;b;a'], 40);
}, {allowed});

test('a live page goes on with its edits, frozen too, and the widest stand first', async (page) => {
  const server = await new LiveServer().listen();
  const until = (total) => page.waitForFunction((sum) => window.profilePage.state().total === sum, total);
  try {
    await page.goto(server.url);
    await page.waitForSelector('#connection[data-state=live]');
    server.tick(rows);
    await until(100);
    const level = (await boxes(page)).filter(({depth}) => depth === 1).sort((a, b) => a.x - b.x);
    assert.deepEqual(level.map(({name}) => name), ['cc1plus (186)', 'make (77)', 'cc1plus (185)']);
    await set(page, 'hide', '^(main|b)$');
    await set(page, 'collapse', 'recursion');
    await set(page, 'focus', 'fib|^a$|new');
    await page.keyboard.press('m');
    assert.deepEqual(await shown(page), {'cc1plus;fib;malloc;_int_malloc': 10, 'cc1plus;fib;leaf': 20, 'make;a': 40});
    await page.click('#freeze');
    server.tick([[one, ['main', 'new', 'main', 'deep', 'new'], 5], [{process: 'cc1plus', pid: 999}, ['main', 'fib'], 2]]);
    await until(77);
    assert.deepEqual(await shown(page), {
      'cc1plus;fib;malloc;_int_malloc': 10, 'cc1plus;fib;leaf': 20, 'cc1plus;fib': 2, 'cc1plus;new': 5, 'make;a': 40,
    });
    assert.equal((await state(page)).totalBefore, 70);
    server.reset();
    server.tick([[one, ['main', 'new'], 7]]);
    await until(7);
    assert.deepEqual(await shown(page), {'cc1plus;new': 7});
  } finally {
    server.close();
  }
}, {allowed});

test('the edits of 100,000 stacks are made in a moment', async (page) => {
  const many = Array.from({length: 100_000}, (_, i) => [one, ['main', `f${i % 1000}`, `g${i}`, 'leaf'], 1]);
  await open(page, fileData(many));
  const began = Date.now();
  await set(page, 'collapse', 'recursion; ^[fg]1');
  assert.equal((await state(page)).total, 100_000);
  return `${Date.now() - began} ms`;
});
