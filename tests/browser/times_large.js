// A page with the times of a million samples: a part of the run is shown at once. Like large.js, it can open another
// page (PAGE) and write what it measured (FIGURES); it checks no times, because it shares the machine.
'use strict';

const fs = require('node:fs');
const {pathToFileURL} = require('node:url');
const {assert, test, fileOf, state, timings} = require('./harness.js');
const {timedPageOf} = require('./pages.js');

const sampleCount = Number(process.env.SAMPLES || 1_000_000);
const stackCount = 4000;
const megabyte = 1_000_000;

// Gives the same numbers in every run.
function randomNumbers(seed) {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

// Two CPUs at 99 Hz, each with a clock of its own. As in a real load, few stacks have most of the samples.
function manySamples() {
  const random = randomNumbers(1);
  const frames = Array.from({length: 3000}, (_, i) => ({name: `namespace_${i % 97}::function_${i}(int)`, module: `lib${i % 40}.so`}));
  const stacks = Array.from({length: stackCount}, () => {
    const depth = 10 + random(25);
    return Array.from({length: depth}, (_, at) => frames[at < 4 ? at : random(frames.length)]);
  });
  const owners = Array.from({length: 60}, (_, i) => ({process: `process-${i >> 1}`, pid: 1000 + (i >> 1), tid: 1000 + (i >> 1), cpu: i & 1}));
  const samples = [];
  for (let i = 0; samples.length < sampleCount; ++i) {
    for (const cpu of [0, 1]) {
      const ms = Math.round((i * 1000) / 99 + cpu * 3.7 + random(2));
      const stack = Math.floor(stackCount * (random(1e6) / 1e6) ** 3);
      samples.push([ms, owners[((stack % 30) << 1) + cpu], stacks[stack], 1]);
    }
  }
  return samples.sort(([a], [b]) => a - b);
}

// The CPU time of the page's thread, in ms: other programs do not change it.
async function computed(session) {
  const {metrics} = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({name}) => name === 'TaskDuration').value;
}

test('parts of a million samples are shown', async (page, context) => {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', {timeDomain: 'threadTicks'});
  const html = process.env.PAGE ? null : timedPageOf(manySamples());
  const url = process.env.PAGE ? pathToFileURL(process.env.PAGE).href : fileOf(html);
  const megabytes = (html === null ? fs.statSync(process.env.PAGE).size : html.length) / megabyte;
  await page.goto(url);
  await page.waitForFunction(() => window.profilePage !== undefined && window.profilePage.strip() !== null, null, {timeout: 120_000});
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const opened = await computed(session);
  const {firstPaint, samples: read, strip: drawn} = await timings(page);
  const all = (await state(page)).total;
  if (html !== null) assert.equal(all, sampleCount);
  // From the click on a new part to its picture.
  const canvas = await page.locator('#strip').boundingBox();
  const at = (share) => canvas.x + canvas.width * (0.2 + 0.75 * share);
  const changes = [];
  const changesComputed = [];
  await page.mouse.move(at(0), canvas.y + 60);
  await page.mouse.down();
  for (const share of [0.2, 0.5, 0.99, 0.7, 0.95]) {
    const before = await computed(session);
    await page.mouse.move(at(share), canvas.y + 60);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    changesComputed.push((await computed(session)) - before);
    changes.push((await timings(page)).latest);
  }
  await page.mouse.up();
  assert.ok((await state(page)).total < all);
  await page.selectOption('#lanes', 'heat');
  const heat = (await timings(page)).strip;
  const figures = {
    megabytes, firstPaint, read, opened, drawn, change: Math.max(...changes), changeComputed: Math.max(...changesComputed),
    heat,
  };
  if (process.env.FIGURES) fs.writeFileSync(process.env.FIGURES, JSON.stringify(figures));
  return Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`).join(', ');
});
