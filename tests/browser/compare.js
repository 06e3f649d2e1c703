// Two profiles in one page: shares are compared, not values.
'use strict';

const {assert, test, fileOf, boxes, state, box, hover, shown} = require('./harness.js');
const {pageOf, fileData} = require('./pages.js');

// The two runs have different processes.
const earlier = {process: 'app', pid: 123};
const app = {process: 'app', pid: 4567};
const before = [[earlier, ['main', 'slow'], 60], [earlier, ['main', 'same'], 30], [earlier, ['main', 'gone'], 10]];
// The second run is twice as long: the share of slow is half of what it was, and fresh is new.
const now = [[app, ['main', 'slow'], 60], [app, ['main', 'same'], 60], [app, ['main', 'fresh'], 80]];

const hueOf = ({colour}) => {
  const [, red, green, blue] = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour).map(Number);
  if (red === 255 && green === 255 && blue === 255) return 'white';
  return red > blue ? 'red' : 'blue';
};

async function open(page) {
  await page.goto(fileOf(pageOf(fileData(now, before))));
}

test('boxes are as wide as now, red for a larger share and blue for a smaller one', async (page) => {
  await open(page);
  assert.deepEqual(await shown(page), {'app;main;fresh': 80, 'app;main;same': 60, 'app;main;slow': 60});
  const {total, totalBefore} = await state(page);
  assert.deepEqual([total, totalBefore], [200, 100]);
  assert.equal(hueOf(await box(page, 'slow')), 'blue');
  assert.equal(hueOf(await box(page, 'same')), 'white');
  assert.equal(hueOf(await box(page, 'fresh')), 'red');
  assert.equal(hueOf(await box(page, 'main')), 'white');
});

test('over a box stand both shares', async (page) => {
  await open(page);
  await hover(page, 'slow');
  await page.waitForSelector('#tip:not([hidden])');
  assert.match(await page.innerText('#tip'), /60\.0 % before, 30\.0 % now: −30\.0 points/);
});

test('drawn as wide as before, what is gone can be seen', async (page) => {
  await open(page);
  await page.keyboard.press('w');
  assert.deepEqual(await shown(page), {'app;main;gone': 10, 'app;main;same': 30, 'app;main;slow': 60});
  await hover(page, 'gone');
  await page.waitForSelector('#tip:not([hidden])');
  assert.match(await page.innerText('#tip'), /10\.0 % before, 0\.0 % now: −10\.0 points/);
  assert.equal(hueOf(await box(page, 'gone')), 'blue');
  assert.equal(hueOf(await box(page, 'slow')), 'blue');
  await page.click('#swap');
  assert.equal((await boxes(page)).some((one) => one.name === 'gone'), false);
});

test('both runs are told of', async (page) => {
  await open(page);
  await page.click('#about summary');
  const about = await page.innerText('#about-text');
  assert.match(about, /Before[^]*130 taken[^]*Now[^]*230 taken/);
});
