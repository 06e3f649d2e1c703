// The script inside a picture: svg.js SVG COMPARISON EMPTY.
'use strict';

const {pathToFileURL} = require('node:url');
const {assert, test} = require('./harness.js');

const [file, comparison, empty] = process.argv.slice(2).map((path) => pathToFileURL(path).href);

// The visible boxes by name: {x, width, fill, label}.
const seen = (page) => page.evaluate(() => {
  const shown = {};
  for (const rect of document.querySelectorAll('rect[data-total]')) {
    const group = rect.parentNode;
    if (group.style.display === 'none') continue;
    const text = group.querySelector('text');
    const name = group.querySelector('title').textContent.split('\n', 1)[0];
    shown[name] = {
      x: Number(rect.getAttribute('x')), width: Number(rect.getAttribute('width')), fill: rect.getAttribute('fill'),
      label: text === null || text.style.display === 'none' ? '' : text.textContent,
    };
  }
  return shown;
});
const words = (page) => page.evaluate(() => [...document.querySelectorAll('svg > text')].map((one) => one.textContent));
const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1.5, `${what}: ${a}, not ${b}`);
test('the picture has the width of the window, and follows it', async (page) => {
  await page.goto(file);
  near((await seen(page)).all.width, 1260, 'all');
  await page.setViewportSize({width: 800, height: 600});
  await page.waitForFunction(() => document.querySelector('rect[data-total]').getAttribute('width') < 800);
  near((await seen(page)).all.width, 780, 'all');
});

test('a click zooms, what stands below stays, Escape goes back', async (page) => {
  await page.goto(file);
  const before = await seen(page);
  near(before.work.width, 1260 * 60 / 200, 'work');
  await page.evaluate(() => {
    const titles = [...document.querySelectorAll('title')];
    titles.find((one) => one.textContent.startsWith('main\n')).parentNode.dispatchEvent(new MouseEvent('click'));
  });
  const zoomed = await seen(page);
  near(zoomed.main.width, 1260, 'main');
  near(zoomed.all.width, 1260, 'all');
  near(zoomed.work.width, 1260 * 60 / 100, 'work');
  assert.equal(zoomed.leaf, undefined);
  assert.ok((await words(page)).includes('Reset zoom (Esc)'));
  await page.keyboard.press('Escape');
  assert.deepEqual(await seen(page), before);
});

test('"/" searches by words and by an expression, and says the share', async (page) => {
  await page.goto(file);
  const before = await seen(page);
  await page.keyboard.press('/');
  await page.keyboard.type('REC');
  await page.keyboard.press('Enter');
  // Recursion counts once.
  assert.ok((await words(page)).includes('Search: REC  15.0 %'), JSON.stringify(await words(page)));
  const found = await seen(page);
  assert.notEqual(found.rec.fill, before.rec.fill);
  assert.equal(found.work.fill, before.work.fill);
  await page.keyboard.press('Escape');
  assert.deepEqual(await seen(page), before);
  await page.keyboard.press('/');
  await page.keyboard.type('/^(work|leaf)$');
  assert.ok((await words(page)).some((one) => one.endsWith('  55.0 %')), JSON.stringify(await words(page)));
  await page.keyboard.type('(');
  assert.ok((await words(page)).some((one) => one.endsWith('  0.0 %')), JSON.stringify(await words(page)));
  await page.keyboard.press('Backspace');
  assert.ok((await words(page)).some((one) => one.endsWith('  55.0 %')));
});

test('names stay text', async (page) => {
  await page.goto(file);
  const names = Object.keys(await seen(page));
  assert.ok(names.includes("</text><script>alert('1')</script>"), JSON.stringify(names));
  assert.ok(names.includes("]]></script><script>alert('2')</script>"), JSON.stringify(names));
  assert.equal(await page.evaluate(() => document.querySelectorAll('script, img').length), 1);
});

test('a comparison and a picture of nothing are shown', async (page) => {
  await page.goto(comparison);
  near((await seen(page)).all.width, 1260, 'all');
  await page.goto(empty);
  assert.deepEqual(await seen(page), {});
});
