// The picture of the strip of time: lanes of processes or threads as bars, spans one by one, or a heat map, and the
// marks of the chosen parts.

const axisHeight = 17;
const laneHeight = 18;
const mostLanes = 100;     // the others share a lane
const mostSpans = 20_000;  // so many are drawn one by one
const heatRowMs = 20;
const heatRows = 1000 / heatRowMs;
const laneKinds = ['processes', 'threads', 'heat'];

// The longest step of the form 1, 2 or 5 times a power of ten, of which at least `count` are in `length`.
function roundStep(length, count) {
  const least = 10 ** Math.floor(Math.log10(length / count));
  return [5, 2, 1].map((factor) => factor * least).find((step) => length / step >= count) || least;
}

class StripPicture {
  // `data` is that of the page, `given` the source that shows all of it.
  constructor(view, {times: told, run}, given) {
    Object.assign(this, {view, run, given});
    this.ticksPerSecond = 1e6 / told.tick_us;
    // Values that are times are the lengths of spans, whose ends are the times of the samples, but for sums.
    this.valuesPerTick = told.are_sums ? undefined : {microseconds: 1, nanoseconds: 1000}[given.unit];
    this.all = {from: told.from, to: told.to};
    this.seen = this.all;       // the part that the strip shows
    this.parts = [null, null];  // the chosen part, and the one that is compared with it
    this.chosen = 0;            // which of them the mouse, the keys and the fields change
    this.kind = laneKinds[0];
    this.times = null;          // until they are read
    this.lanes = [];            // names
    this.laneOf = new Int32Array(0);  // by pair; `none`: not shown
    this.lanesOf = '';          // the choices that the lanes are made for
    this.drawnFor = '';
    this.drawMs = 0;
    this.spansAt = null;        // the spans that are drawn one by one
    this.barTicks = 0;          // how long each value of a sum is, where that is known
    this.heat = null;
    this.scroll = 0;
    this.canvas = element('strip');
    this.marks = element('strip-marks');
    this.paint = this.canvas.getContext('2d', {alpha: false});
  }

  seconds(tick) {
    return Number((tick / this.ticksPerSecond).toFixed(6));
  }

  // --- Where things are ---

  get gutter() {
    return this.kind === 'heat' ? 0 : Math.round(Math.min(170, this.width * 0.3));
  }
  get plotWidth() {
    return Math.max(1, this.width - this.gutter);
  }
  // In the heat map a column is a second. All columns begin with a second.
  get heatSeconds() {
    const {from, to} = this.seen;
    const first = Math.floor(from / this.ticksPerSecond);
    return {first, count: Math.max(1, Math.ceil(to / this.ticksPerSecond) - first)};
  }
  tickAt(x, y) {
    const share = Math.min(1, Math.max(0, (x - this.gutter) / this.plotWidth));
    if (this.kind !== 'heat') return this.seen.from + share * (this.seen.to - this.seen.from);
    const {first, count: columns} = this.heatSeconds;
    const second = first + Math.min(columns - 1, Math.floor(share * columns));
    return (second + this.heatRowAt(y) / heatRows) * this.ticksPerSecond;
  }
  // The row of the heat map; the first is at the bottom.
  heatRowAt(y) {
    const row = Math.floor(((this.height - y) / (this.height - axisHeight)) * heatRows);
    return Math.min(heatRows - 1, Math.max(0, row));
  }
  xOf(tick) {
    const {from, to} = this.seen;
    return this.gutter + ((tick - from) / (to - from)) * this.plotWidth;
  }
  // What one place of the mouse covers, in ticks.
  get grain() {
    return this.kind === 'heat' ? this.ticksPerSecond / heatRows : 0;
  }
  laneAt(y) {
    if (y < axisHeight) return none;
    if (y < axisHeight + laneHeight) return 0;
    const lane = 1 + Math.floor((y + this.scroll - axisHeight - laneHeight) / laneHeight);
    return lane < this.lanes.length ? lane : none;
  }
  topOf(lane) {
    return axisHeight + lane * laneHeight - (lane === 0 ? 0 : this.scroll);
  }

  // --- Lanes ---

  // The number of the lane of each pair, `none` for those that the filters and the edits leave out. Lane 0 is the sum of
  // all and has no pairs of its own.
  findLanes() {
    const {view, given} = this;
    const key = JSON.stringify([this.kind, view.filter, view.edits]);
    if (key === this.lanesOf) return;
    this.lanesOf = key;
    const wanted = view.wantedOwners();
    const edited = view.edited === null ? null : view.edited.pairOf.data;
    const owner = given.table.pairs.owner.data;
    const groups = this.kind === 'threads' ? view.source.table.threads : view.source.table.processes;
    const processes = view.source.table.processes;
    const groupOf = (pair) => groups.of.data[owner[pair]];
    const isShown = (pair) => (wanted === null || wanted[owner[pair]]) && (edited === null || edited[pair] !== none);
    const sums = new Float64Array(groups.items.length);
    const processOf = new Int32Array(groups.items.length);
    for (let pair = 0; pair < given.values.length; ++pair) {
      if (!isShown(pair)) continue;
      sums[groupOf(pair)] += given.values[pair];
      processOf[groupOf(pair)] = processes.of.data[owner[pair]];
    }
    const order = Array.from(sums.keys()).filter((group) => sums[group] !== 0).sort((a, b) => sums[b] - sums[a]);
    const kept = order.length > mostLanes ? order.slice(0, mostLanes - 1) : order;
    const laneOfGroup = new Int32Array(groups.items.length).fill(kept.length + 1);
    kept.forEach((group, i) => (laneOfGroup[group] = i + 1));
    this.lanes = ['all', ...kept.map((group) => {
      const {label} = groups.items[group];
      return this.kind === 'threads' ? `${label} · ${processes.items[processOf[group]].name}` : label;
    })];
    if (order.length > kept.length) this.lanes.push(`${count(order.length - kept.length)} others`);
    this.laneOf = Int32Array.from({length: given.values.length}, (_, pair) => (isShown(pair) ? laneOfGroup[groupOf(pair)] : none));
  }
  // A flag for each pair that the search finds; null without a search.
  findMarked() {
    const {view, given} = this;
    if (view.matches === null) return null;
    const {table} = view.source;
    const isMatched = matchedPairs(table, view.matches);
    const edited = view.edited === null ? null : view.edited.pairOf.data;
    return Uint8Array.from({length: given.values.length}, (_, pair) => {
      const at = edited === null ? pair : edited[pair];
      return at !== none && isMatched(at) ? 1 : 0;
    });
  }

  // --- Drawing ---

  drawIfChanged() {
    if (!this.width) return;
    if (this.times === null) {  // an opaque canvas is black until something is drawn
      this.paint.fillStyle = this.view.drawing.palette.background;
      this.paint.fillRect(0, 0, this.width, this.height);
      return;
    }
    const {view, seen, kind, width, height, scroll} = this;
    const key = JSON.stringify([
      seen, kind, width, height, scroll, view.filter, view.edits, view.words, view.drawing.palette.dark, view.byProcess,
      view.byThread,
    ]);
    if (key === this.drawnFor) return;
    this.drawnFor = key;
    this.draw();
  }
  draw() {
    const began = performance.now();
    const {paint, width, height, view: {drawing: {palette}}} = this;
    this.findLanes();
    const content = this.kind === 'heat' ? 0 : axisHeight + this.lanes.length * laneHeight;
    element('strip-sheet').style.height = `${content}px`;
    paint.fillStyle = palette.background;
    paint.fillRect(0, 0, width, height);
    paint.font = font;
    paint.textBaseline = 'middle';
    if (this.kind === 'heat') this.drawHeat(palette);
    else this.drawLanes(palette);
    this.drawAxis(palette);
    this.drawMs = performance.now() - began;
  }
  drawLanes(palette) {
    const {paint, lanes, seen, plotWidth, gutter, height} = this;
    const isMarked = this.findMarked();
    const spans = this.valuesPerTick === undefined ? null : this.spansSeen();
    const {all, marked} = this.times.pieces(seen, plotWidth, this.laneOf, lanes.length, isMarked);
    for (const columns of marked === null ? [all] : [all, marked]) {
      for (let i = plotWidth; i < columns.length; ++i) columns[i % plotWidth] += columns[i];
    }
    const largest = (from, to) => all.subarray(from, to).reduce((most, value) => Math.max(most, value), 0);
    const mostOfAll = largest(0, plotWidth);
    const mostOfOthers = largest(plotWidth, all.length);
    this.spansAt = spans;
    for (let lane = lanes.length - 1; lane >= 0; --lane) {
      const y = this.topOf(lane);
      if (y + laneHeight < 0 || y > height) continue;
      paint.fillStyle = palette.background;
      if (lane === 0) paint.fillRect(0, y, this.width, laneHeight);
      const most = lane === 0 ? mostOfAll : mostOfOthers;
      if (lane === 0 || spans === null) {
        this.drawBars(all, lane, y, most, isMarked === null ? palette.laneBar : palette.faded);
        if (marked !== null) this.drawBars(marked, lane, y, most, palette.matched);
      }
      paint.fillStyle = palette.faded;
      paint.fillRect(0, y + laneHeight - 1, this.width, 1);
    }
    if (spans !== null) this.drawSpans(palette, isMarked);
    paint.fillStyle = palette.background;
    paint.fillRect(0, axisHeight, gutter - 2, height);
    paint.fillStyle = palette.text;
    for (let lane = lanes.length - 1; lane >= 0; --lane) {
      const y = this.topOf(lane);
      if (y > height || (lane !== 0 && y < axisHeight + laneHeight / 2)) continue;
      paint.fillText(shortened(lanes[lane], Math.max(1, Math.floor((gutter - 10) / 7))), 4, y + laneHeight / 2, gutter - 8);
    }
  }
  drawBars(columns, lane, y, most, colour) {
    const {paint, plotWidth, gutter, barTicks, seen: {from, to}} = this;
    const wide = Math.max(1, Math.ceil((barTicks / (to - from)) * plotWidth));
    paint.fillStyle = colour;
    for (let x = 0; x < plotWidth; ++x) {
      const value = columns[lane * plotWidth + x];
      if (value === 0) continue;
      const tall = Math.max(1.5, (value / most) * (laneHeight - 3));
      paint.fillRect(gutter + x, y + laneHeight - 1 - tall, Math.min(wide, plotWidth - x), tall);
    }
  }
  // The spans one by one, while they are few enough to be told apart.
  spansSeen() {
    const {times, seen: {from, to}} = this;
    const found = [];
    const end = times.firstAt(to + times.longest / this.valuesPerTick + 1);
    for (let i = times.firstAt(from); i < end; ++i) {
      if (this.laneOf[times.cell[i]] === none || this.spanOf(i).begin >= to) continue;
      if (found.length === mostSpans) return null;
      found.push(i);
    }
    return found;
  }
  spanOf(i) {
    const {time, value} = this.times;
    return {begin: time[i] - value[i] / this.valuesPerTick, end: time[i]};
  }
  nameOfSpan(i) {
    const {table} = this.given;
    const node = table.pairs.node.data[this.times.cell[i]];
    if (node === none) return {name: 'all', kind: kinds.owner};
    const frame = table.nodes.frame.data[node];
    return {name: table.strings[table.frames.name.data[frame]], kind: table.frames.kind.data[frame]};
  }
  drawSpans(palette, isMarked) {
    const {paint, gutter, width, height} = this;
    paint.save();
    paint.beginPath();
    paint.rect(gutter, axisHeight + laneHeight, width - gutter, height);
    paint.clip();
    for (const i of this.spansAt) {
      const y = this.topOf(this.laneOf[this.times.cell[i]]);
      if (y + laneHeight < axisHeight || y > height) continue;
      const {begin, end} = this.spanOf(i);
      const x = Math.max(gutter, this.xOf(begin));
      const wide = Math.max(1, Math.min(width, this.xOf(end)) - x);
      const {name, kind} = this.nameOfSpan(i);
      const isQuiet = isMarked !== null && !isMarked[this.times.cell[i]];
      paint.fillStyle = isQuiet ? palette.faded : isMarked !== null ? palette.matched : palette.shade(kind, name);
      paint.fillRect(x, y + 1, wide > 3 ? wide - 1 : wide, laneHeight - 3);
      if (wide < narrowestText) continue;
      paint.fillStyle = isQuiet ? palette.fadedText : palette.text;
      paint.fillText(shortened(name, Math.max(1, Math.floor((wide - 8) / 7))), x + 3, y + laneHeight / 2, wide - 6);
    }
    paint.restore();
  }
  // Draws a small picture with a pixel for each cell, and enlarges it.
  drawHeat(palette) {
    const {first, count: seconds} = this.heatSeconds;
    const columns = Math.min(seconds, this.plotWidth * 2);
    const cells = new Float64Array(columns * heatRows);
    const {times, ticksPerSecond, laneOf} = this;
    const end = times.firstAt((first + seconds) * ticksPerSecond);
    for (let i = times.firstAt(first * ticksPerSecond); i < end; ++i) {
      if (laneOf[times.cell[i]] === none) continue;
      const second = Math.floor(times.time[i] / ticksPerSecond);
      const row = Math.floor(((times.time[i] % ticksPerSecond) * heatRows) / ticksPerSecond);
      cells[row * columns + Math.floor(((second - first) / seconds) * columns)] += times.value[i];
    }
    const most = cells.reduce((largest, value) => Math.max(largest, value), 0);
    const image = new ImageData(columns, heatRows);
    for (let row = 0; row < heatRows; ++row) {
      for (let column = 0; column < columns; ++column) {
        const value = cells[row * columns + column];
        const at = ((heatRows - 1 - row) * columns + column) * 4;
        image.data.set(palette.heat(value === 0 ? 0 : Math.max(0.1, value / most)), at);
      }
    }
    const small = document.createElement('canvas');
    small.width = columns;
    small.height = heatRows;
    small.getContext('2d').putImageData(image, 0, 0);
    this.paint.imageSmoothingEnabled = false;
    this.paint.drawImage(small, this.gutter, axisHeight, this.plotWidth, this.height - axisHeight);
    this.heat = {columns, cells};
  }
  drawAxis(palette) {
    const {paint, width, gutter, ticksPerSecond} = this;
    paint.fillStyle = palette.background;
    paint.fillRect(0, 0, width, axisHeight);
    const shown = this.kind === 'heat' ? this.heatSeconds : null;
    const from = shown === null ? this.seen.from / ticksPerSecond : shown.first;
    const to = shown === null ? this.seen.to / ticksPerSecond : shown.first + shown.count;
    const step = roundStep(to - from, Math.max(1, Math.min(10, Math.floor(this.plotWidth / 110))));
    for (let number = Math.ceil(from / step); number * step <= to; ++number) {
      const x = gutter + ((number * step - from) / (to - from)) * this.plotWidth;
      paint.fillStyle = palette.fadedText;
      paint.fillRect(x, 0, 1, 5);
      paint.fillText(`${Number((number * step).toFixed(6))} s`, x + 4, axisHeight / 2 + 1);
    }
  }
  // The chosen parts, on a canvas above the strip.
  drawMarks() {
    if (!this.width) return;
    const paint = this.marks.getContext('2d');
    paint.clearRect(0, 0, this.width, this.height);
    const {palette} = this.view.drawing;
    this.parts.forEach((part, which) => {
      if (part === null) return;
      const colour = !this.isComparing ? palette.selection : palette.ofPart(which);
      for (const [x, y, wide, tall] of this.places(part)) {
        paint.globalAlpha = 0.22;
        paint.fillStyle = colour;
        paint.fillRect(x, y, wide, tall);
        paint.globalAlpha = 1;
        paint.strokeStyle = colour;
        paint.lineWidth = which === this.chosen ? 2 : 1;
        paint.strokeRect(x + 0.5, y + 0.5, Math.max(1, wide - 1), tall - 1);
      }
    });
  }
  // The rectangles [x, y, width, height] that a part covers.
  places({from, to}) {
    const {gutter, width, height} = this;
    const tall = height - axisHeight;
    if (this.kind !== 'heat') {
      const x = Math.max(gutter, this.xOf(from));
      const end = Math.min(width, this.xOf(to));
      return end < gutter || x > width ? [] : [[x, axisHeight, Math.max(1, end - x), tall]];
    }
    const {first, count: seconds} = this.heatSeconds;
    const wide = this.plotWidth / seconds;
    const begin = from / this.ticksPerSecond;
    const end = to / this.ticksPerSecond;
    const rect = (column, columns, low, high) =>
      [gutter + (column - first) * wide, height - high * tall, columns * wide, (high - low) * tall];
    const firstWhole = Math.ceil(begin);
    const lastWhole = Math.floor(end);
    if (Math.floor(begin) === lastWhole) return [rect(lastWhole, 1, begin - lastWhole, end - lastWhole)];
    const places = [];
    if (begin < firstWhole) places.push(rect(firstWhole - 1, 1, begin - firstWhole + 1, 1));
    if (lastWhole > firstWhole) places.push(rect(firstWhole, lastWhole - firstWhole, 0, 1));
    if (end > lastWhole) places.push(rect(lastWhole, 1, 0, end - lastWhole));
    return places;
  }

  // --- What is at a place ---

  // What is at a point of the strip, as lines.
  linesAt(x, y) {
    const tick = this.tickAt(x, y);
    const {began_unix_ms: began} = this.run;
    const clock = began ? ` (${new Date(began + ((tick - this.all.from) / this.ticksPerSecond) * 1000).toLocaleTimeString()})` : '';
    const lines = [`${this.seconds(Math.floor(tick))} s${clock}`];
    if (this.kind === 'heat') return [...lines, amount(this.sumBetween(tick, tick + this.grain, null), this.given.unit)];
    const lane = this.laneAt(y);
    if (lane === none) return lines;
    lines.unshift(this.lanes[lane]);
    if (this.spansAt && lane !== 0) {
      const near = (this.seen.to - this.seen.from) / this.plotWidth;
      const at = this.spansAt.filter((i) => {
        const {begin, end} = this.spanOf(i);
        return this.laneOf[this.times.cell[i]] === lane && begin - near <= tick && tick <= end + near;
      });
      if (at.length > 3) return [...lines, `${at.length} at once`];
      return [...lines, ...at.map((i) => `${this.nameOfSpan(i).name}: ${amount(this.times.value[i], this.given.unit)}`)];
    }
    const piece = (this.seen.to - this.seen.from) / this.plotWidth;
    const begin = this.seen.from + Math.floor((tick - this.seen.from) / piece) * piece;
    return [...lines, amount(this.sumBetween(begin, begin + piece, lane === 0 ? null : lane), this.given.unit)];
  }
  sumBetween(from, to, lane) {
    const {times, laneOf} = this;
    const end = times.firstAt(to);
    let sum = 0;
    for (let i = times.firstAt(from); i < end; ++i) {
      const at = laneOf[times.cell[i]];
      if (at !== none && (lane === null || at === lane)) sum += times.value[i];
    }
    return sum;
  }
}
