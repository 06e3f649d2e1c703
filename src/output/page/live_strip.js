// The strip of time of the live page: it shows the ticks that the page keeps, and moves on with them. A chosen part
// stays where it is, and the graph shows it until it is taken back or is too old to be kept.

class LiveStrip extends TimeStrip {
  constructor(view, live, say) {
    super(view, {times: {tick_us: 1000, from: 0, to: 1, are_sums: true}, run: {}}, {unit: ''}, say);
    this.live = live;
    this.began = 0;  // when the run began, by the clock of the ticks
    element('time').hidden = true;
    element('lanes').querySelector('[value=heat]').remove();  // a tick is a second
    element('time-all').textContent = 'Follow';
    element('time-all').title = 'Show again what comes in (Esc)';
  }

  get isChosen() {
    return this.times !== null && (this.parts[0] !== null || this.parts[1] !== null);
  }
  chosenLabel() {
    const [first, second] = this.parts;
    return second === null ? this.label(first) : `${this.label(second)} against ${this.label(first)}`;
  }
  label(part) {
    return part === null ? 'all that is kept' : super.label(part);
  }
  setKind(kind) {
    super.setKind(kind === 'heat' ? laneKinds[0] : kind);
  }
  forget() {
    this.parts = [null, null];
    this.chosen = 0;
    this.showTexts();
    this.drawMarks();
  }
  apply() {
    this.showTexts();
    this.drawMarks();
    if (this.isChosen) super.apply();
    else if (this.live !== undefined) this.live.show();
  }

  // Takes these ticks, which are drawn with the graph. `before`: what that compares with, as in a source of the view.
  renew({of, ticks}, before) {
    const {run: {began_unix_ms: began, unit, is_state: isState}, table} = of;
    const isShown = !isState && ticks.length > 1;
    if (element('time').hidden === isShown) {
      element('time').hidden = !isShown;
      this.resized();
    }
    if (began !== this.began) this.forget();
    this.began = began;
    if (!isShown) return this.forget();
    const samples = ticks.reduce((sum, {pairs}) => sum + pairs.length, 0);
    const columns = {time: new Float64Array(samples), cell: new Int32Array(samples), value: new Float64Array(samples)};
    let values = new Float64Array(table.pairs.owner.length);
    let at = 0;
    for (const {t, length, pairs, values: amounts} of ticks) {
      columns.time.fill(t - length - began, at, at + pairs.length);
      columns.cell.set(pairs, at);
      columns.value.set(amounts, at);
      at += pairs.length;
      values = addTo(values, pairs, amounts, table.pairs.owner.length);
    }
    const isWhole = this.seen.from === this.all.from && this.seen.to === this.all.to;
    this.times = new Times(columns, table.pairs);
    this.given = {table, values, unit, ...before};
    this.all = {from: ticks[0].t - ticks[0].length - began, to: ticks[ticks.length - 1].t - began};
    this.run = {began_unix_ms: began + this.all.from};
    this.barTicks = of.tickMs;
    this.lanesOf = this.drawnFor = '';
    this.seen = isWhole ? this.all : this.within(this.seen.from, this.seen.to) || this.all;
    this.forgetOldParts();
    this.showTexts();
    this.drawMarks();
  }
  forgetOldParts() {
    const kept = this.parts.map((part) => part && this.within(part.from, part.to));
    const isLost = kept.some((part, which) => part === null && this.parts[which] !== null);
    if (!isLost) {
      this.parts = kept;
      return;
    }
    this.forget();
    this.say('The chosen part of the time is older than what is kept.');
  }
}
