// Names that try to break a page stay text. With a file as argument, the same holds for a page that the profiler wrote
// from folded lines with these names (--folded prints them).
'use strict';

const fs = require('node:fs');
const {pathToFileURL} = require('node:url');
const {pageOf, fileData} = require('./pages.js');

const template = 'wrap<'.repeat(666) + 'long' + '>'.repeat(666);
const names = [
  '<b>bold</b>', '&amp;&lt;&#60;', '"double" and \'single\'', '</script><script>alert(1)</script>', '</SCRIPT >', '-->',
  '<!--', '<!--<script>', ']]>', '<img src=x onerror=alert(1)>', '${alert(1)}', '\\u003cb>\\', '*/ //', '__proto__',
  'constructor', '[object Object]', 'javascript:alert(1)', '%3Cb%3E', '<style>*{display:none}</style>', 'nul', template,
  'na\u00efve \u2192 \u03bb \u{1f525}', ' spaces  in  it ',
];
// The profiler replaces these characters, so only a page with this test's own data has them.
const raw = ['line\u2028separator\u2029', 'semi;colon', 'control\u0001\u001b[1m', '\u202eturned round', '\ufeff', '\ud800'];

// In a folded line, a semicolon and outer spaces are not part of a name.
const foldable = names.filter((name) => !name.includes(';') && name.trim() === name);

if (process.argv[2] === '--folded') {
  for (const name of foldable) console.log(`${name.slice(0, 100)};main;${name} 10`);
  process.exit(0);
}

const {assert, test, fileOf, boxes, state} = require('./harness.js');

const rowsOf = (some) => some.map((name) => [{process: name, pid: 7, thread: name}, ['main', {name, module: name, file: name, line: 3}], 10]);

// Counts elements that may not be the page's own.
const foreign = (page) => page.evaluate(() => ({
  scripts: document.scripts.length,
  styles: document.querySelectorAll('style').length,
  others: document.querySelectorAll('b, img, script:not(#data) ~ script, iframe, object, a').length,
}));
const clean = {scripts: 2, styles: 1, others: 0};

async function checkShown(page, some) {
  const shown = (await boxes(page)).filter((one) => one.depth === 3).map((one) => one.name);
  assert.deepEqual(shown.sort(), [...some].sort());
  assert.equal((await state(page)).total, 10 * some.length);
  assert.deepEqual(await foreign(page), clean);
}

async function checkWalk(page, some) {
  const canvas = await page.locator('#graph').boundingBox();
  const leaves = (await boxes(page)).filter((one) => one.depth === 3);
  for (const leaf of leaves) {
    await page.mouse.move(canvas.x + leaf.x + leaf.width / 2, canvas.y + leaf.y + leaf.height / 2);
    await page.waitForFunction((name) => document.querySelector('#tip .name').textContent === name, leaf.name);
    await page.fill('#search', leaf.name);
  }
  assert.ok(leaves.length === some.length);
  assert.deepEqual(await foreign(page), clean);
}

const written = process.argv[2];
if (written === undefined) {
  const all = [...names, ...raw];

  test('hostile names are text in boxes, tips, lists and the search', async (page) => {
    const data = fileData(rowsOf(all));
    data.run = {...data.run, title: '<b>title</b>', event: '</title><b>', command_line: '</script><img src=x>'};
    data.notes = ['<img src=x>'];
    await page.goto(fileOf(pageOf(data)));
    // The JSON of the page escapes the lone surrogate, so it comes back unchanged.
    await checkShown(page, all);
    await checkWalk(page, all);
    const options = await page.locator('#filter-process option').evaluateAll((list) => list.map((one) => one.value));
    assert.deepEqual(options.slice(1).sort(), all.map((name) => `7 ${name}`).sort());
    assert.equal(await page.textContent('#title'), '<b>title</b>');
    await page.click('#about summary');
    assert.equal(await page.textContent('#about-text .name'), '</script><img src=x>');
    assert.match(await page.textContent('#about-text'), /Note<img src=x>/);
  });

  test('a script that came into the page does not run, nor is anything fetched', async (page) => {
    const injected = '<script>window.broken = 1</script><img src="http://127.0.0.1:9/x.png" onerror="window.broken = 2">';
    const html = pageOf(fileData(rowsOf(names))).replace('<noscript>', `${injected}<noscript>`);
    await page.goto(fileOf(html));
    assert.equal(await page.evaluate(() => window.broken), undefined);
    const refused = await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => false, () => true));
    assert.equal(refused, true);
  }, {console: /Content Security Policy|ERR_BLOCKED_BY_CSP/, allowed: (url) => url.startsWith('http://127.0.0.1:9/')});
} else {
  test('hostile names in a page of the profiler are text', async (page) => {
    assert.ok(fs.existsSync(written));
    await page.goto(pathToFileURL(written).href);
    await checkShown(page, foldable);
    await checkWalk(page, foldable);
  });
}
