// Runs the cases of one file in headless Chromium. Each case has its own page, and also fails when the page throws,
// prints an error, or requests anything but its own document.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const {chromium} = require('playwright-core');

const cases = [];

// `act(page, context)` is the case; its result is printed after the name.
function test(name, act, options = {}) {
  cases.push({name, act, options});
}

function onPath(program) {
  const found = process.env.PATH.split(path.delimiter).map((folder) => path.join(folder, program)).find(fs.existsSync);
  assert.ok(found, `${program} is not on PATH`);
  return found;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-test.'));

// Writes a file with the page `html` and returns its URL.
function fileOf(html) {
  const file = path.join(fs.mkdtempSync(path.join(folder, 'page.')), 'page.html');
  fs.writeFileSync(file, html);
  return pathToFileURL(file).href;
}

async function runCase(browser, {name, act, options}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 800}, ...options.context});
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const faults = [];
  const allowed = options.allowed || (() => false);
  page.on('pageerror', (error) => faults.push(`page error: ${error.stack}`));
  page.on('console', (message) => {
    const isExpected = options.console && options.console.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isExpected) faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => faults.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    // A worker of the page is a text that the page has made.
    const isOwn = request.isNavigationRequest() || request.url().startsWith('blob:');
    if (!isOwn && !allowed(request.url())) faults.push(`request: ${request.url()}`);
  });
  try {
    const said = await act(page, context);
    assert.deepEqual(faults, []);
    console.log(`ok: ${name}${said === undefined ? '' : `: ${said}`}`);
    return true;
  } catch (error) {
    console.error(`FAILED: ${name}\n${error.stack}\n${faults.join('\n')}`);
    return false;
  } finally {
    await context.close();
  }
}

async function runAll() {
  const browser = await chromium.launch({
    executablePath: onPath('chromium'),
    headless: true,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
  let failed = 0;
  try {
    const wanted = process.env.ONLY || '';
    for (const one of cases) {
      if (one.name.includes(wanted) && !(await runCase(browser, one))) ++failed;
    }
  } finally {
    await browser.close();
    fs.rmSync(folder, {recursive: true, force: true});
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

// Cases are added while the file is read.
setImmediate(() => runAll().catch((error) => {
  console.error(error);
  process.exitCode = 1;
}));

const boxes = (page) => page.evaluate(() => window.profilePage.boxes());
const state = (page) => page.evaluate(() => window.profilePage.state());
const timings = (page) => page.evaluate(() => window.profilePage.timings());

// Returns the only visible box of a name; `at` selects by the box's stack. What a change has moved is at its place in
// the second picture after it.
async function box(page, name, at = () => true) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const found = (await boxes(page)).filter((one) => one.name === name && at(one.stack));
  assert.equal(found.length, 1, `boxes of ${name}: ${found.length}`);
  return found[0];
}
// The middle of a box, in coordinates of the window.
async function placeOf(page, one) {
  const canvas = await page.locator('#graph').boundingBox();
  return {x: canvas.x + one.x + one.width / 2, y: canvas.y + one.y + one.height / 2};
}
async function click(page, name, at) {
  const {x, y} = await placeOf(page, await box(page, name, at));
  await page.mouse.click(x, y);
}
async function hover(page, name, at) {
  const {x, y} = await placeOf(page, await box(page, name, at));
  await page.mouse.move(x, y);
}
// Folded lines of the visible boxes: the self value of each stack, without its children.
async function shown(page) {
  const all = await boxes(page);
  const self = new Map(all.map((one) => [one.stack.join(';'), one.total]));
  for (const {stack, total} of all) {
    const below = stack.slice(0, -1).join(';');
    if (stack.length !== 0) self.set(below, self.get(below) - total);
  }
  return Object.fromEntries([...self].filter(([stack, value]) => stack !== '' && value !== 0).sort());
}

module.exports = {assert, test, fileOf, boxes, state, timings, box, placeOf, click, hover, shown};
