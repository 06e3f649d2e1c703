// The table of functions, and the callers and callees of one function, with names that try to break a page.
'use strict';

const {assert, test, fileOf, boxes, state, box, click, hover} = require('./harness.js');
const {pageOf, fileData} = require('./pages.js');

const dd = {process: 'dd', pid: 185};
const app = {process: 'app', pid: 77};
const main = {name: 'main', module: 'app'};
const fib = {name: 'fib', module: 'app'};
const hostile = {name: '<img src=x onerror=alert(1)>', module: '"</td><script>alert(2)</script>'};
const proto = {name: '__proto__', module: 'constructor'};
// 100 samples; fib calls itself, and each stack counts once.
const rows = [
  [app, [main, fib, fib, fib, 'leaf'], 20],
  [app, [main, fib], 10],
  [app, ['other', fib, hostile], 30],
  [dd, [main, hostile, proto], 25],
  [dd, [main, {...fib, line: 7}, 'leaf'], 15],
];

async function open(page, data = fileData(rows)) {
  await page.goto(fileOf(pageOf(data)));
}
// The page does its work before the next picture, and a fast test reads sooner.
const settle = (page) => page.evaluate(() => void window.profilePage.state());
const texts = async (page) => {
  await settle(page);
  return page.$$eval('#functions-rows tr.row', (all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, ' ').trim())));
};
const countText = async (page) => {
  await settle(page);
  return page.textContent('#functions-count');
};
const names = async (page) => (await texts(page)).map((cells) => cells[cells.length - 1]);
const rowOf = (page, name) => page.locator('#functions-rows tr.row', {has: page.locator('.name', {hasText: name})});
// The stacks of one half of a sandwich, from the function on, with their totals.
async function half(page, callers) {
  const all = (await boxes(page)).filter((one) => one.depth > 0 && one.isCaller === callers);
  return Object.fromEntries(all.map(({stack, total}) => [stack.join(';'), total]).sort());
}

test('each function has what it has in itself and in all, each stack counted once', async (page) => {
  await open(page);
  await page.keyboard.press('l');
  const all = (await texts(page)).map(([self, total, name]) => [name, self, total]);
  assert.deepEqual(all, [
    ['leaf', '35 35.0 %', '35 35.0 %'],
    [`${hostile.name} ${hostile.module}`, '30 30.0 %', '55 55.0 %'],
    ['__proto__ constructor', '25 25.0 %', '25 25.0 %'],
    ['fib app', '10 10.0 %', '75 75.0 %'],
    ['main app', '0 0.0 %', '70 70.0 %'],
    ['other', '0 0.0 %', '30 30.0 %'],
  ]);
  assert.equal(await countText(page), '6 functions');
  assert.equal(await page.locator('#functions img, #functions script').count(), 0);
});

test('the table is sorted by each column, both ways, and a search leaves what it finds', async (page) => {
  await open(page);
  await page.click('#list');
  await page.click('#functions-head button:text("Total")');
  assert.deepEqual((await names(page)).slice(0, 3), ['fib app', 'main app', `${hostile.name} ${hostile.module}`]);
  assert.equal(await page.getAttribute('#functions-head [data-key=total]', 'aria-sort'), 'descending');
  await page.click('#functions-head button:text("Total")');
  assert.equal((await names(page))[0], '__proto__ constructor');
  await page.click('#functions-head button:text("Function")');
  assert.deepEqual((await names(page)).slice(-3), ['leaf', 'main app', 'other']);
  await page.fill('#search', '/^(fib|__proto__)$/');
  await page.waitForFunction(() => document.querySelector('#functions-count').textContent === '2 of 6 functions');
  assert.deepEqual(await names(page), ['__proto__ constructor', 'fib app']);
});

test('a row shows who calls a function and what it calls', async (page) => {
  await open(page);
  await page.click('#list');
  await rowOf(page, 'fib').click();
  assert.deepEqual(await half(page, true), {main: 45, other: 30});
  assert.deepEqual(await half(page, false), {
    fib: 20, 'fib;fib': 20, 'fib;fib;leaf': 20, leaf: 15, [hostile.name]: 30,
  });
  assert.equal(await page.textContent('#sandwich-name'), 'fib');
  assert.equal(await page.textContent('#sandwich-amount'), '75 samples · 75.0 % of all');
  const root = await box(page, 'fib', (stack) => stack.length === 0);
  assert.ok((await box(page, 'main')).y < root.y && (await box(page, 'leaf', (stack) => stack.length === 1)).y > root.y);
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).focus, 'all');
  assert.equal(await page.isVisible('#sandwich'), false);
});

test('each half of callers and callees is zoomed for itself, and one goes back', async (page) => {
  await open(page);
  await click(page, hostile.name, (stack) => stack.includes('other'));
  await page.keyboard.press('s');
  assert.deepEqual(await half(page, true), {fib: 30, 'fib;other': 30, main: 25});
  assert.deepEqual(await half(page, false), {['__proto__']: 25});
  await click(page, 'main');
  const {width} = await box(page, 'main');
  assert.equal(width, (await page.locator('#graph').boundingBox()).width);
  assert.ok((await box(page, '__proto__')).width < width);
  await hover(page, 'main');
  assert.match(await page.innerText('#tip'), /25 samples · 25\.0 % of all · 100\.0 % of main/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).focus, hostile.name);
  await page.keyboard.press('s');
  await page.click('#close-sandwich');
  assert.equal((await state(page)).focus, hostile.name);
});

test('the menu of a box offers its callers, and keys walk up to them and down to what is called', async (page) => {
  await open(page);
  const place = await box(page, 'fib', (stack) => stack.includes('other'));
  const canvas = await page.locator('#graph').boundingBox();
  await page.mouse.click(canvas.x + place.x + 5, canvas.y + place.y + 5, {button: 'right'});
  await page.click('#menu button[data-does=sandwich]');
  await page.keyboard.press('ArrowUp');
  assert.equal((await state(page)).selected, 'fib');
  await page.keyboard.press('ArrowUp');
  assert.equal((await state(page)).selected, 'main');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal((await state(page)).selected, hostile.name);
});

test('over a box stands what its function has in all its places', async (page) => {
  await open(page);
  await hover(page, 'fib', (stack) => stack.includes('other'));
  await page.waitForSelector('#tip:not([hidden])');
  assert.match(await page.innerText('#tip'), /\n75 samples · 75\.0 % of all in all its places/);
  await hover(page, 'other');
  assert.doesNotMatch(await page.innerText('#tip'), /in all its places/);
});

test('the table is used by keys alone', async (page) => {
  await open(page);
  for (const key of ['l', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  assert.equal(await page.textContent('#sandwich-name'), hostile.name);
  assert.equal(await page.getAttribute('#functions-scroller', 'aria-activedescendant'), 'function-1');
  await page.keyboard.press('End');
  assert.equal(await page.getAttribute('#functions-scroller', 'aria-activedescendant'), 'function-5');
  await page.keyboard.press('l');
  assert.equal(await page.isVisible('#functions'), false);
});

test('two runs are compared by function', async (page) => {
  const before = [[app, [main, fib, 'leaf'], 50], [app, [main, 'gone'], 50]];
  await open(page, fileData(rows, before));
  await page.click('#list');
  assert.equal(await page.getAttribute('#functions-head [data-key=change]', 'aria-sort'), 'descending');
  const all = (await texts(page)).map((cells) => [cells[4], cells[3]]);
  assert.deepEqual(all[0], [`${hostile.name} ${hostile.module}`, '+55.0 pts']);
  assert.deepEqual(all[all.length - 1], ['gone', '−50.0 pts']);
  const of = Object.fromEntries((await texts(page)).map((cells) => [cells[4], cells.slice(2, 4)]));
  assert.deepEqual(of.gone, ['50 50.0 %', '−50.0 pts']);
  await rowOf(page, 'fib').click();
  await hover(page, 'main');
  assert.match(await page.innerText('#tip'), /50\.0 % before, 45\.0 % now: −5\.00 points/);
});

test('of 100,000 functions only those that can be seen are rows', async (page) => {
  await open(page, fileData(Array.from({length: 100_000}, (_, i) => [app, [main, `f${i}`], 1])));
  await page.click('#list');
  assert.equal(await countText(page), '100,001 functions');
  assert.ok((await names(page)).length < 100);
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.querySelector('[aria-selected=true] .name').textContent === 'main');
});
