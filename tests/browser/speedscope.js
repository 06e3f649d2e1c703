// speedscope's own importer reads our file: speedscope.js FILE FUNCTION LANE. Its page is opened from disk, as its own
// program does, and shows the lane of that name and the function in its table.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const {assert, test} = require('./harness.js');

const [file, wanted, lane] = process.argv.slice(2);
const release = path.join(process.env.NODE_PATH, 'speedscope', 'dist', 'release');

const script = path.join(process.env.TMPDIR, 'opened.js');
const bytes = fs.readFileSync(file).toString('base64');
fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ${JSON.stringify(bytes)})`);

test(`speedscope reads ${path.basename(file)}`, async (page) => {
  await page.goto(`${pathToFileURL(path.join(release, 'index.html')).href}#localProfilePath=${script}&view=sandwich`);
  await page.waitForFunction(() => document.title.endsWith(' - speedscope'), null, {timeout: 60000});
  assert.ok((await page.title()).includes(lane), `the title is ${await page.title()}`);
  await page.waitForFunction((name) => document.body.innerText.includes(name), wanted, {timeout: 60000});
  return await page.title();
}, {console: /GPU stall/, allowed: (url) => url.startsWith('file:') || url.startsWith('data:') || url.startsWith('blob:')});
