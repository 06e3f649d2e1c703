// The strip of time below the graph of a recording: what ran when, as lanes of processes or threads or as a heat map.
// The graph shows the chosen part of the time, or the difference of two parts.

const axisHeight = 17;
const laneHeight = 18;
const mostLanes = 100;    // the others share a lane
const mostSpans = 20_000;  // so many are drawn one by one
const heatRowMs = 20;
const heatRows = 1000 / heatRowMs;
const laneKinds = ['processes', 'threads', 'heat'];

// The longest step of the form 1, 2 or 5 times a power of ten, of which at least `count` are in `length`.
function roundStep(length, count) {
  const least = 10 ** Math.floor(Math.log10(length / count));
  return [5, 2, 1].map((factor) => factor * least).find((step) => length / step >= count) || least;
}

class TimeStrip {
  // `data` is that of the page, `given` the source that shows all of it.
  constructor(view, {times: told, run}, given, say) {
    Object.assign(this, {view, run, given, say});
    this.ticksPerSecond = 1e6 / told.tick_us;
    // Values that are times are the lengths of spans, whose ends are the times of the samples.
    this.valuesPerTick = {microseconds: 1, nanoseconds: 1000}[given.unit];
    this.all = {from: told.from, to: told.to};
    this.seen = this.all;     // the part that the strip shows
    this.parts = [null, null];  // the chosen part, and the one it is compared with
    this.chosen = 0;          // which of them the mouse, the keys and the fields change
    this.kind = laneKinds[0];
    this.times = null;        // until they are read
    this.drawnFor = '';
    this.drawMs = 0;
    this.lanes = [];
    this.laneOf = new Int32Array(0);
    this.lanesOf = '';
    this.spansAt = null;  // the spans that are drawn one by one
    this.heat = null;
    this.drag = null;
    this.scroll = 0;
    this.canvas = element('strip');
    this.marks = element('strip-marks');
    this.paint = this.canvas.getContext('2d', {alpha: false});
    this.scroller = element('strip-scroller');
    element('time').hidden = false;
    this.listen();
    view.listeners.push((done) => {
      if (done >= due.paint) this.drawIfChanged();
    });
    this.showTexts();
  }

  // The columns have been read.
  begin(columns) {
    this.times = new Times(columns, this.given.table.pairs);
    this.apply();
    this.drawIfChanged();
  }
  refuse(error) {
    element('time').hidden = true;
    this.say(`The times of the samples cannot be read: ${error.message}.`);
  }

  // --- The chosen parts ---

  seconds(tick) {
    return Number((tick / this.ticksPerSecond).toFixed(6));
  }
  words(part) {
    return part === null ? '' : `${this.seconds(part.from)}-${this.seconds(part.to)}`;
  }
  partOf(words) {
    const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(words);
    if (found === null) return null;
    return this.within(...found.slice(1).map((seconds) => Number(seconds) * this.ticksPerSecond));
  }
  // The part between two times, whatever their order, or null if nothing of the run is in it.
  within(a, b) {
    const from = Math.max(this.all.from, Math.round(Math.min(a, b)));
    const to = Math.min(this.all.to, Math.round(Math.max(a, b)));
    return from < to ? {from, to} : null;
  }
  get part() {
    return this.parts[this.chosen];
  }
  choose(part, which = this.chosen) {
    if (this.words(part) === this.words(this.parts[which])) return;
    this.parts[which] = part;
    this.apply();
  }
  setParts(words) {
    this.parts = words.map((text) => this.partOf(text));
    this.chosen = this.isComparing ? 1 : 0;
    this.apply();
  }
  // Whether the graph compares two parts. The first may be the whole run.
  get isComparing() {
    return this.parts[1] !== null;
  }
  label(part) {
    return part === null ? 'the whole run' : `${this.seconds(part.from)} s to ${this.seconds(part.to)} s`;
  }
  valuesOf(part) {
    return part === null ? this.given.values : this.times.sumOf(part);
  }
  // Shows the chosen parts in the graph.
  apply() {
    this.showTexts();
    this.drawMarks();
    if (this.times === null) return;
    const [first, second] = this.parts;
    if (second !== null) {
      this.view.show({
        ...this.given, values: this.valuesOf(second), before: this.valuesOf(first),
        label: `${this.label(second)} against ${this.label(first)}`, beforeLabel: this.label(first),
      });
    } else {
      this.view.show({...this.given, values: this.valuesOf(first), label: first === null ? '' : this.label(first)});
    }
  }
  // What the page says about the run, for a page of this part alone.
  about(told) {
    const [first, second] = this.parts;
    if (first === null && second === null) return told;
    const run = (part) => ({...told.run, title: `${told.run.title}, ${this.label(part)}`, duration_s: this.lengthOf(part)});
    return second === null ? {run: run(first)} : {run: run(second), before: run(first)};
  }
  lengthOf(part) {
    const {from, to} = part === null ? this.all : part;
    return this.seconds(to - from);
  }
  toggleSecond(is = this.chosen === 0) {
    this.chosen = is ? 1 : 0;
    if (!is) this.parts[1] = null;
    this.apply();
  }
  // Takes back the last choice. Returns false if there is none.
  clear() {
    if (this.chosen === 1 || this.parts[1] !== null) this.toggleSecond(false);
    else if (this.parts[0] !== null) this.choose(null);
    else return false;
    return true;
  }

  // --- What is seen ---

  see(from, to) {
    const {all} = this;
    const shortest = Math.max(1, Math.min(this.ticksPerSecond / 100, all.to - all.from));
    const length = Math.min(all.to - all.from, Math.max(shortest, Math.round(to - from)));
    const begin = Math.min(Math.max(all.from, Math.round(from)), all.to - length);
    this.seen = {from: begin, to: begin + length};
    this.drawIfChanged();
    this.drawMarks();
  }
  zoom(factor, at) {
    const {from, to} = this.seen;
    this.see(at - (at - from) * factor, at + (to - at) * factor);
  }
  setKind(kind) {
    this.kind = laneKinds.includes(kind) ? kind : laneKinds[0];
    element('lanes').value = this.kind;
    this.scroller.scrollTop = 0;
    this.drawIfChanged();
    this.drawMarks();
    this.view.change(due.marks);  // the link has it
  }
  get middle() {
    const {from, to} = this.part || this.seen;
    return (from + to) / 2;
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
    if (this.times === null || !this.width) return;
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
    const {paint, plotWidth, gutter} = this;
    paint.fillStyle = colour;
    for (let x = 0; x < plotWidth; ++x) {
      const value = columns[lane * plotWidth + x];
      if (value === 0) continue;
      const tall = Math.max(1.5, (value / most) * (laneHeight - 3));
      paint.fillRect(gutter + x, y + laneHeight - 1 - tall, 1, tall);
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

  // --- Texts ---

  showTexts() {
    this.parts.forEach((part, which) => {
      const names = which === 0 ? ['time-from', 'time-to'] : ['second-from', 'second-to'];
      const shown = part === null ? this.all : part;
      for (const [name, tick] of [[names[0], shown.from], [names[1], shown.to]]) {
        if (document.activeElement === element(name)) continue;
        element(name).value = part === null && which === 1 ? '' : String(this.seconds(tick));
      }
    });
    element('second-part').hidden = this.chosen === 0 && this.parts[1] === null;
    element('second').setAttribute('aria-pressed', String(this.chosen === 1));
    element('time-all').disabled = this.parts[0] === null && this.parts[1] === null;
    element('time-zoom').disabled = this.part === null && this.seen.from === this.all.from && this.seen.to === this.all.to;
    const [first, second] = this.parts;
    element('time-status').textContent = second !== null
      ? `${this.label(second)} against ${this.label(first)}`
      : this.chosen === 1 ? 'Choose what to compare it with.' : this.label(first);
  }
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

  // For tests and users of the console.
  described() {
    const {all, seen, kind, lanes, gutter, plotWidth, times} = this;
    const count = Math.max(1, Math.ceil((all.to - all.from) / this.ticksPerSecond));
    const {all: values} = times.pieces({from: all.from, to: all.from + count * this.ticksPerSecond}, count, this.laneOf, lanes.length, null);
    return Object.freeze({
      kind, gutter, plotWidth,
      from: this.seconds(seen.from),
      to: this.seconds(seen.to),
      parts: this.parts.map((part) => this.words(part)),
      lanes: lanes.map((name, lane) => ({name, y: this.topOf(lane) + laneHeight / 2, seconds: [...values.subarray(lane * count, (lane + 1) * count)]})),
      spans: this.spansAt === null || kind === 'heat' ? null : this.spansAt.map((i) => {
        const {begin, end} = this.spanOf(i);
        return {lane: this.laneOf[times.cell[i]], name: this.nameOfSpan(i).name, begin: this.seconds(begin), end: this.seconds(end)};
      }),
      heat: kind !== 'heat' ? null : {columns: this.heat.columns, cells: [...this.heat.cells]},
    });
  }

  // --- Mouse, fingers and keys ---

  listen() {
    const {canvas} = this;
    const press = (id, act) => element(id).addEventListener('click', act);
    press('time-all', () => {
      this.parts = [null, null];
      this.chosen = 0;
      this.apply();
    });
    press('second', () => this.toggleSecond());
    press('time-in', () => this.zoom(0.5, this.middle));
    press('time-out', () => this.zoom(2, this.middle));
    press('time-zoom', () => this.zoomToPart());
    element('lanes').addEventListener('change', ({target}) => this.setKind(target.value));
    for (const name of ['time-from', 'time-to', 'second-from', 'second-to']) {
      element(name).addEventListener('change', () => this.takeField(name));
    }
    canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    canvas.addEventListener('pointerup', () => (this.drag = null));
    canvas.addEventListener('pointercancel', () => (this.drag = null));
    canvas.addEventListener('pointerleave', () => (element('tip').hidden = true));
    canvas.addEventListener('dblclick', () => this.zoomToPart());
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    canvas.addEventListener('keydown', (event) => this.key(event));
    this.scroller.addEventListener('scroll', () => {
      this.scroll = this.scroller.scrollTop;
      this.drawIfChanged();
    }, {passive: true});
    new ResizeObserver(() => this.resized()).observe(this.scroller);
    this.resized();
  }
  resized() {
    const {clientWidth, clientHeight} = this.scroller;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.marks]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
      canvas.style.width = `${clientWidth}px`;
      canvas.style.height = `${clientHeight}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.drawIfChanged();
    this.drawMarks();
  }
  pointOf(event) {
    const {left, top} = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }
  pressed(event) {
    if (event.button !== 0 || this.times === null) return;
    this.canvas.setPointerCapture(event.pointerId);
    element('tip').hidden = true;
    const which = event.shiftKey ? 1 : this.chosen;
    this.drag = {which, x: event.clientX, from: this.tickAt(...this.pointOf(event)), isMoved: false};
  }
  moved(event) {
    if (this.times === null) return;
    const point = this.pointOf(event);
    const {drag} = this;
    if (!drag) {
      element('tip').replaceChildren(...this.linesAt(...point).map((line) => made('div', '', shortened(line, 300))));
      placeTip(event.clientX, event.clientY);
      return;
    }
    if (!drag.isMoved && Math.abs(event.clientX - drag.x) < 3 && this.kind !== 'heat') return;
    drag.isMoved = true;
    const to = this.tickAt(...point);
    this.choose(this.within(Math.min(drag.from, to), Math.max(drag.from, to) + this.grain), drag.which);
  }
  wheel(event) {
    if (this.times === null) return;
    // Lanes scroll as any list; the wheel zooms with a key, or where there is nothing to scroll.
    const scrolls = this.scroller.scrollHeight > this.scroller.clientHeight;
    if (scrolls && !event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const by = event.deltaY || event.deltaX;
    this.zoom(by < 0 ? 0.8 : 1.25, this.tickAt(...this.pointOf(event)));
  }
  zoomToPart() {
    const {from, to} = this.part || this.all;
    if (this.seen.from === from && this.seen.to === to) this.see(this.all.from, this.all.to);
    else this.see(from, to);
    this.showTexts();
  }
  takeField(name) {
    const which = name.startsWith('second') ? 1 : 0;
    const [from, to] = which === 0 ? ['time-from', 'time-to'] : ['second-from', 'second-to'];
    const number = (id, usual) => {
      const words = element(id).value.trim();
      const seconds = words === '' ? NaN : Number(words.replace(',', '.'));
      element(id).setAttribute('aria-invalid', String(words !== '' && !Number.isFinite(seconds)));
      return Number.isFinite(seconds) ? seconds * this.ticksPerSecond : usual;
    };
    const part = this.within(number(from, this.all.from), number(to, this.all.to));
    if (part === null) return this.say('Nothing of the run is in that part of the time.');
    const isAll = part.from === this.all.from && part.to === this.all.to;
    this.choose(isAll && which === 0 ? null : part, which);
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.times === null) return;
    const {from, to} = this.part || this.seen;
    const step = Math.max(1, Math.round((this.seen.to - this.seen.from) / 50));
    const length = to - from;
    // Without a part, the first key chooses a tenth of what is seen.
    const start = () => {
      const tenth = Math.max(1, Math.round((this.seen.to - this.seen.from) / 10));
      this.choose(this.within(this.seen.from, this.seen.from + tenth));
    };
    const shift = (by) => {
      const begin = Math.min(Math.max(this.all.from, from + by), this.all.to - length);
      this.choose(this.within(begin, begin + length));
    };
    const grow = (by) => this.choose(this.within(from, Math.max(from + 1, to + by)));
    const move = (by) => (this.part === null ? start() : event.shiftKey ? grow(by) : shift(by));
    const acts = {
      ArrowLeft: () => move(-step),
      ArrowRight: () => move(step),
      ArrowUp: () => (this.scroller.scrollTop -= laneHeight),
      ArrowDown: () => (this.scroller.scrollTop += laneHeight),
      '+': () => this.zoom(0.5, this.middle),
      '=': () => this.zoom(0.5, this.middle),
      '-': () => this.zoom(2, this.middle),
      Enter: () => this.zoomToPart(),
      Home: () => this.see(this.all.from, this.all.to),
      b: () => this.toggleSecond(),
      Escape: () => this.clear() || element('graph').focus(),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
    this.view.change(due.marks);
  }
}
