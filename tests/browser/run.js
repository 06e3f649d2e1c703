// A page of a real run: run.js PAGE TOTAL SHARE. SHARE is the percentage of the function `heavy`.
'use strict';

const {pathToFileURL} = require('node:url');
const {assert, test, state} = require('./harness.js');

const [file, total, share] = process.argv.slice(2);

test('a page of a run shows what its folded lines have', async (page) => {
  await page.goto(pathToFileURL(file).href);
  assert.equal((await state(page)).total, Number(total));
  await page.fill('#search', '/^heavy$/');
  const {matchedShare} = await state(page);
  assert.ok(Number(share) > 10 && Math.abs(matchedShare * 100 - Number(share)) < 0.01, `${matchedShare} and ${share} %`);
  await page.click('#about summary');
  assert.match(await page.innerText('#about-text'), / -p \d+ /);
});
