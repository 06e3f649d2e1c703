// The source and the code of a function: opened by mouse and by keys, with texts that try to break a page.
'use strict';

const fs = require('node:fs');
const {pathToFileURL} = require('node:url');
const {assert, test, fileOf, click} = require('./harness.js');
const {pageOf, fileData} = require('./pages.js');

const app = {process: 'app', pid: 77};
const hot = {name: 'hot(int)', module: 'app'};
const hostile = {name: '<img src=x onerror=alert(1)>', module: '"</td><script>alert(2)</script>'};
const rows = [
  [app, ['main', hot], 60],
  [app, ['main', hostile], 30],
  [app, ['main', 'plain'], 10],
];
const markup = '</script><script>alert(3)</script><img src=x onerror=alert(4)>';
const sources = {
  total: 100,
  notes: [`two functions ${markup}`],
  functions: [
    {
      name: hot.name, module: hot.module, total: 60, self: 50,
      files: [{
        path: '/src/hot.c', newer: true,
        lines: [[7, 0, 0, 'int a;'], [8, 45, 40, '  a += b;'], [20, 15, 10, '  return a;']],
      }],
      codes: [
        {binary: '/bin/app', holder: 'main', instructions: [['1130', 8, 45, 40, 'addl %eax, %ebx', 0], ['1180', 0, 0, 0, 'retq', 1]]},
        {binary: '/bin/gone', why: 'it is another build than the one that ran', instructions: []},
      ],
    },
    {
      name: hostile.name, module: hostile.module, total: 30, self: 30,
      files: [{path: markup, why: markup, lines: [[1, 30, 30, markup]]}],
      codes: [{binary: markup, holder: markup, instructions: [['10', 1, 30, 30, markup, 0]]}],
    },
  ],
};

const open = (page, more = {sources}) => page.goto(fileOf(pageOf({...fileData(rows), ...more})));
const isOpen = (page) => page.$eval('#source', (dialog) => dialog.open);
const cells = (page) => page.$$eval('#source-text tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

test('a box opens the source of its function, each line with its share, and its code below', async (page) => {
  await open(page);
  await click(page, hot.name);
  await page.keyboard.press('a');
  assert.equal(await isOpen(page), true);
  assert.equal(await page.textContent('#source-title'), hot.name);
  assert.equal(await page.textContent('#source-figures'), '60 samples (60.0 %) of the whole recording, 50 samples (50.0 %) in itself');
  assert.deepEqual(await cells(page), [
    ['', '', '7', 'int a;'],
    ['45 75.0 %', '40', '8', '  a += b;'],
    ['…'],
    ['15 25.0 %', '10', '20', '  return a;'],
    ['45 75.0 %', '40', '8', '1130', 'addl %eax, %ebx'],
    ['…'],
    ['', '', '', '1180', 'retq'],
  ]);
  assert.deepEqual(await page.$$eval('#source-text h3', (all) => all.map((one) => one.textContent)),
    ['/src/hot.c', '/bin/app: inlined in main', '/bin/gone']);
  assert.match(await page.textContent('#source-text'), /changed after the program was built.*not shown: it is another build/);
  assert.match(await page.textContent('#about-text'), /Sources.*two functions/);
});

test('keys alone open it from the table of functions, scroll it and leave it', async (page) => {
  await open(page);
  await page.keyboard.press('l');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('a');
  assert.equal(await isOpen(page), true);
  assert.equal(await page.textContent('#source-title'), hot.name);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'source-text');
  // Keys of the page do nothing behind it.
  await page.keyboard.press('i');
  assert.equal(await page.getAttribute('#invert', 'aria-pressed'), 'false');
  await page.keyboard.press('Escape');
  assert.equal(await isOpen(page), false);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'functions-scroller');
});

test('callers and callees have a button for it, if the page holds the source', async (page) => {
  await open(page);
  await click(page, hot.name);
  await page.keyboard.press('s');
  await page.click('#open-source');
  assert.equal(await page.textContent('#source-title'), hot.name);
  await page.click('#source-close');
  await page.click('#close-sandwich');
  await page.keyboard.press('Home');
  await click(page, 'plain');
  await page.keyboard.press('s');
  await page.evaluate(() => void window.profilePage.state());
  assert.equal(await page.isVisible('#open-source'), false);
  await page.keyboard.press('a');
  assert.match(await page.textContent('#notice'), /holds no source of this function/);
  await open(page, {});
  await click(page, hot.name);
  await page.keyboard.press('a');
  assert.match(await page.textContent('#notice'), /--sources puts it in/);
});

test('names and sources that hold markup are text', async (page) => {
  await open(page);
  await click(page, hostile.name);
  await page.keyboard.press('a');
  assert.equal(await page.textContent('#source-title'), hostile.name);
  assert.equal((await cells(page))[0][3], markup);
  assert.equal((await cells(page))[1][4], markup);
  assert.equal(await page.locator('#source img, #source script, #about-text img').count(), 0);
});

test('a saved page keeps them', async (page) => {
  await open(page);
  await page.click('#save');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-menu [data-as=html]')]);
  const path = await download.path();
  fs.renameSync(path, `${path}.html`);
  await page.goto(pathToFileURL(`${path}.html`).href);
  await click(page, hostile.name);
  await page.keyboard.press('a');
  assert.equal((await cells(page))[0][3], markup);
});
