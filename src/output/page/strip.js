// The strip of time below the graph of a recording: it shows what ran when. The graph shows the chosen part of the time,
// or the difference of two parts.

class TimeStrip extends StripPicture {
  constructor(view, data, given, say) {
    super(view, data, given);
    this.say = say;
    this.drag = null;
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
    const shortest = Math.min(Math.max(10, this.ticksPerSecond / 10_000), all.to - all.from);
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
