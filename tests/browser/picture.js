// The page and the picture of one profile show the same graph: picture.js PAGE SVG. Both have their own code, so name,
// level, start, width and colour of each box are compared.
'use strict';

const fs = require('node:fs');
const {pathToFileURL} = require('node:url');
const {assert, test, boxes, state} = require('./harness.js');

const [pageFile, svgFile] = process.argv.slice(2);

const unescaped = (text) => text
  .replace(/&(lt|gt|quot|#39);/g, (_, name) => ({lt: '<', gt: '>', quot: '"', '#39': "'"}[name])).replace(/&amp;/g, '&');

// Start and width are shares of the root box, whose level is 0.
function boxesOfPicture(svg) {
  const pattern = /<g><title>(.*)\n[^]*?<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="[\d.]+" fill="(#\w+)"/g;
  const found = [...svg.matchAll(pattern)].map(([, name, x, y, width, fill]) => ({
    name: unescaped(name), x: Number(x), y: Number(y), width: Number(width),
    colour: [1, 3, 5].map((at) => parseInt(fill.slice(at, at + 2), 16)),
  }));
  const [root] = found;
  assert.equal(root.name, 'all');
  const heights = [...new Set(found.map((one) => one.y))].sort((a, b) => b - a);
  // Boxes have a gap of half a unit.
  return found.map(({name, x, y, width, colour}) => ({
    name, colour, depth: heights.indexOf(y), start: (x - root.x) / (root.width + 0.5), share: (width + 0.5) / (root.width + 0.5),
  }));
}

async function boxesOfPage(page) {
  const shown = await boxes(page);
  const {total} = await state(page);
  const {width} = shown.find((one) => one.name === 'all');
  const colours = await page.evaluate((places) => {
    const canvas = document.querySelector('#graph');
    const scale = canvas.width / canvas.clientWidth;
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return places.map(({x, y}) => {
      const at = (Math.round(y * scale) * canvas.width + Math.round(x * scale)) * 4;
      return [data[at], data[at + 1], data[at + 2]];
    });
  }, shown.map((one) => ({x: one.x + 1.5, y: one.y + 1.5})));  // to the left of the text
  return shown.map((one, i) => ({
    name: one.name, colour: colours[i], depth: one.depth, start: one.x / width, share: one.total / total,
  }));
}

const inOrder = (list) => list.sort((a, b) => a.depth - b.depth || a.start - b.start);

test('the page shows the boxes of the picture', async (page) => {
  await page.emulateMedia({colorScheme: 'light'});
  await page.goto(pathToFileURL(pageFile).href);
  const seen = inOrder(await boxesOfPage(page));
  const drawn = inOrder(boxesOfPicture(fs.readFileSync(svgFile, 'utf8')));
  assert.deepEqual(seen.map((one) => [one.depth, one.name]), drawn.map((one) => [one.depth, one.name]));
  seen.forEach((one, i) => {
    const other = drawn[i];
    const what = JSON.stringify([one, other]);
    assert.ok(Math.abs(one.start - other.start) < 0.002, `begins elsewhere: ${what}`);
    assert.ok(Math.abs(one.share - other.share) < 0.002, `is not as wide: ${what}`);
    one.colour.forEach((value, channel) => {
      assert.ok(Math.abs(value - other.colour[channel]) <= 2, `has another colour: ${what}`);
    });
  });
  return `${seen.length} boxes`;
});
