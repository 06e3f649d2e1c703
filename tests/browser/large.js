// A page handles 100,000 distinct stacks. The benchmark runs this file with its own page (PAGE) and reads the times
// (FIGURES); a test does not check times, because it shares the machine.
'use strict';

const fs = require('node:fs');
const {pathToFileURL} = require('node:url');
const {assert, test, fileOf, state, timings} = require('./harness.js');
const {packedPageOf, fileData} = require('./pages.js');

const stackCount = 100_000;

// Gives the same numbers in every run.
function randomNumbers(seed) {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

// Stacks of depth 15 to 60 that share their first frames, from 20 processes and 8,000 functions.
function manyRows() {
  const random = randomNumbers(1);
  const owners = Array.from({length: 20}, (_, i) => ({process: `process-${i}`, pid: 1000 + i}));
  const name = (i) => ({
    name: `namespace_${i % 97}::function_number_${i}(int, char const*)`, module: `lib${i % 40}.so`,
    kind: i % 7 === 0 ? 'kernel' : 'user',
  });
  const frames = Array.from({length: 8000}, (_, i) => name(i));
  const rows = [];
  let stack = [];
  for (let i = 0; i < stackCount; ++i) {
    const shared = Math.max(3, stack.length - 1 - random(12));
    stack = stack.slice(0, shared);
    const depth = Math.max(shared + 1, 15 + random(45));
    while (stack.length < depth - 1) stack.push(frames[stack.length < 6 ? random(6) : random(frames.length)]);
    stack.push({...frames[i % 8000], line: i + 1});  // makes each stack distinct
    rows.push([owners[Math.floor(i / (stackCount / owners.length))], stack, 1 + random(50)]);
  }
  return rows;
}

const rounds = 3;

// The CPU time of the page's thread, in ms.
async function computed(session) {
  const {metrics} = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({name}) => name === 'TaskDuration').value;
}

test('100,000 stacks are painted and zoomed', async (page, context) => {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', {timeDomain: 'threadTicks'});
  const url = process.env.PAGE ? pathToFileURL(process.env.PAGE).href : fileOf(packedPageOf(fileData(manyRows())));
  const first = [];
  const firstComputed = [];
  for (let round = 0; round < rounds; ++round) {
    const before = round === 0 ? 0 : await computed(session);
    await page.goto(url);
    await page.waitForFunction(() => window.profilePage !== undefined && window.profilePage.timings().firstPaint !== 0);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    firstComputed.push((await computed(session)) - before);
    first.push((await timings(page)).firstPaint);
  }
  const {boxes: count, visible} = await state(page);
  assert.ok(visible > 100 && visible < stackCount / 5, `${visible} boxes are painted`);
  assert.ok(count < stackCount, `${count} boxes are made for them`);
  const zooms = [];
  for (let round = 0; round < rounds; ++round) zooms.push(...(await zoomInAndOut(page, session)));
  const inverting = await timed(page, 'i');
  const figures = {
    boxes: count, visible, first_ms: median(first), first_computed_ms: median(firstComputed),
    zoom_ms: median(zooms.map(({clock}) => clock)), zoom_computed_ms: median(zooms.map((one) => one.computed)),
    worst_zoom_ms: Math.max(...zooms.map(({clock}) => clock)), inverting_ms: inverting,
  };
  console.log(`   ${JSON.stringify(figures)}`);
  if (process.env.FIGURES) fs.writeFileSync(process.env.FIGURES, JSON.stringify(figures));
});

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

// The time ends with the callback of the frame after the one that drew the picture, because the picture is complete
// then.
async function zoomInAndOut(page, session) {
  const times = [];
  for (let depth = 1; depth <= 6; ++depth) {
    const widest = await page.evaluate((level) => window.profilePage.boxes().filter((one) => one.depth === level)
      .reduce((a, b) => (b.width > a.width ? b : a)), depth);
    times.push(await measured(session, () => clicked(page, widest)));
  }
  times.push(await measured(session, () => timed(page, 'Home')));
  return times;
}
async function measured(session, act) {
  const before = await computed(session);
  const clock = await act();
  return {clock, computed: (await computed(session)) - before};
}
function clicked(page, {x, y, width, height}) {
  return page.evaluate(async ([left, top]) => {
    const graph = document.querySelector('#graph');
    const canvas = graph.getBoundingClientRect();
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    const began = performance.now();
    graph.dispatchEvent(new MouseEvent('click', {clientX: canvas.x + left, clientY: canvas.y + top, bubbles: true}));
    await frame();
    await frame();
    return performance.now() - began;
  }, [x + width / 2, y + height / 2]);
}
function timed(page, key) {
  return page.evaluate(async (name) => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    const began = performance.now();
    document.querySelector('#graph').dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
    await frame();
    await frame();
    return performance.now() - began;
  }, key);
}
