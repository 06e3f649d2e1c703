// The page's address describes the view: it can be sent, reloaded, and reached by Back.
'use strict';

const {assert, test, fileOf, boxes, state, click, shown} = require('./harness.js');
const {pageOf, fileData} = require('./pages.js');

const dd = {process: 'dd & co #1', pid: 185, tid: 185, cpu: 0};
const app = {process: '"><script>alert(1)</script>', pid: 77, tid: 78, thread: 'wörker=%26', cpu: 1};
const hostile = '</script><img src=x onerror=alert(1)>#&=%00+;';
const rows = [
  [dd, ['main', 'read', hostile], 40],
  [dd, ['main', 'write'], 20],
  [app, ['main', 'helper', 'read'], 25],
];

const open = (page, hash = '') => page.goto(fileOf(pageOf(fileData(rows))) + hash);
// Returns the address once it contains `part`.
async function link(page, part) {
  await page.waitForFunction((wanted) => location.hash.includes(wanted), part);
  return page.evaluate(() => location.hash);
}
// Everything that the user sees of the choices.
async function seen(page) {
  const pressed = await page.$$eval('[aria-pressed=true]', (all) => all.map(({id}) => id));
  const values = await page.$$eval('input, select', (all) => all.map(({id, value}) => `${id}=${value}`));
  const sort = await page.$$eval('#functions-head [aria-sort]', (all) => all.map((it) => it.getAttribute('aria-sort')));
  const {focus, matchedShare} = await state(page);
  const all = (await boxes(page)).map(({name, x, y, width}) => `${name} ${x} ${y} ${width}`);
  return {pressed, values, sort, focus, matchedShare, all};
}

test('a page that is loaded again, or opened by its link elsewhere, shows the same', async (page, context) => {
  await open(page);
  await page.fill('#search', '/re?a|"/');
  await page.selectOption('#filter-process', {index: 1});
  for (const id of ['threads', 'heaviest', 'icicle', 'list']) await page.click(`#${id}`);
  await page.click('#functions-head button:text("Function")');
  await click(page, hostile);
  const hash = await link(page, 'zoom=');
  await link(page, 'search=');
  const before = await seen(page);
  assert.equal(before.focus, hostile);
  await page.reload();
  await page.waitForFunction(() => window.profilePage.boxes().length > 2);
  assert.deepEqual(await seen(page), before);
  const other = await context.newPage();
  await other.setViewportSize(page.viewportSize());
  await open(other, hash);
  assert.deepEqual(await seen(other), before);
});

test('the back button undoes step by step, and forward does it again', async (page) => {
  await open(page);
  const whole = await shown(page);
  await click(page, 'helper');
  await link(page, 'zoom=');
  await page.keyboard.press('i');
  await link(page, 'invert=on');
  await page.selectOption('#filter-cpu', {index: 2});
  await link(page, 'cpu=');
  await page.keyboard.press('s');
  await page.waitForFunction(() => document.querySelector('#notice').textContent !== '');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#filter-cpu').value === '');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#invert').ariaPressed === 'false');
  assert.equal((await state(page)).focus, 'helper');
  await page.goBack();
  await page.waitForFunction(() => location.hash === '');
  assert.deepEqual(await shown(page), whole);
  await page.goForward();
  await page.waitForFunction(() => window.profilePage.state().focus === 'helper');
});

test('callers and callees are a link, and what is typed is one step', async (page) => {
  await open(page);
  const entries = await page.evaluate(() => history.length);
  await page.locator('#search').pressSequentially('read');
  await link(page, 'search=read');
  assert.equal(await page.evaluate(() => history.length), entries);
  await click(page, hostile);
  await page.keyboard.press('s');
  await click(page, 'read', (stack) => stack.length === 1);
  const hash = await link(page, 'zoom=-.');
  assert.equal(new URLSearchParams(hash.slice(1)).get('function'), hostile);
  const before = await seen(page);
  await page.reload();
  await page.waitForFunction(() => window.profilePage.boxes().length > 2);
  assert.deepEqual(await seen(page), before);
  assert.equal(await page.textContent('#sandwich-name'), hostile);
});

test('a link that is out to break the page, or is of another profile, does nothing', async (page) => {
  const image = encodeURIComponent('<img src=x onerror=alert(1)>');
  for (const hash of [
    `#search=${image}`, '#search=/(/', '#zoom=nowhere.-.-.__proto__', '#zoom=-', '#sort=__proto__&functions=on',
    `#process=${image}&thread=${image}&cpu=${image}`, `#function=${image}&module=${image}`, '#function=__proto__&zoom=-.-',
    '#%E0%A4%A&=&&invert=yes&last=1e99', `#${image}`,
  ]) {
    await open(page, hash);
    await state(page);
    assert.equal(await page.locator('img').count(), 0);
  }
  await page.click('#close-sandwich', {timeout: 1}).catch(() => {});
  await open(page, `#function=${image}`);
  assert.equal(await page.textContent('#sandwich-amount'), 'has not been seen here');
  await page.keyboard.press('Escape');
  assert.deepEqual((await state(page)).total, 85);
});
