// A page of a real recording: recording.js PAGE TOTAL [FROM-TO=TOTAL...]. Each part of the time has that total.
'use strict';

const {pathToFileURL} = require('node:url');
const {assert, test, state} = require('./harness.js');

const [file, total, ...parts] = process.argv.slice(2);

test('the parts of a recording have what reports of them have', async (page) => {
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.profilePage !== undefined && window.profilePage.strip() !== null);
  assert.equal((await state(page)).total, Number(total));
  const {lanes} = await page.evaluate(() => window.profilePage.strip());
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  assert.equal(lanes.slice(1).reduce((all, {seconds}) => all + sum(seconds), 0), Number(total));
  for (const [words, wanted] of parts.map((part) => part.split('='))) {
    await page.evaluate((hash) => (location.hash = hash), `#time=${words}`);
    await page.waitForFunction((is) => window.profilePage.strip().parts[0] === is, words.split('-').map(Number).join('-'));
    assert.equal((await state(page)).total, Number(wanted), words);
  }
});
