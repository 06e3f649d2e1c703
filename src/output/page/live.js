// The live page: it receives data by server-sent events and keeps the ticks of the longest window. After a lost
// connection the server sends everything again, so nothing counts twice. After the end of the run the page waits for
// the next profiler at this address.

const windows = [5, 10, 30, 60, 300];
const usualWindow = 10;
const sinceStart = 0;
const retryMs = 3000;

// The data of one version of the server's table. Within a version all indices keep their meaning.
class Followed {
  constructor(hello) {
    this.tableVersion = hello.table_version;
    this.run = hello.run;
    this.account = hello.account;
    this.names = hello.names;
    this.tickMs = (hello.tick_s || 1) * 1000;
    this.keptMs = (hello.window_s || 300) * 1000;
    this.table = new Table();
    this.table.append(hello);
    this.total = vectorOf(this.table, hello.total);
    // {t, length, pairs, values}, the earliest first. `t` is the end of a tick in milliseconds: CLOCK_MONOTONIC of the
    // server plus an offset that is fixed when the run starts. Compare it only with other ticks and the run's begin.
    this.ticks = [];
    for (const tick of hello.ticks) this.keep(tick);
  }
  add(tick) {
    this.table.append(tick);
    this.account = tick.account;
    this.names = tick.names;
    if (this.run.is_state) { // memory in use: the tick takes the place of those before it
      this.ticks = [];
      this.total = new Float64Array(0);
    }
    const {pairs, values} = this.keep(tick);
    this.total = addTo(this.total, pairs, values, this.table.pairs.owner.length);
  }
  keep({t, d, cells}) {
    const tick = {t, length: (d || 1) * 1000, pairs: this.table.pairsOf(cells), values: Float64Array.from(cells.value)};
    this.ticks.push(tick);
    const from = t - this.keptMs;
    let old = 0;
    while (old < this.ticks.length && this.ticks[old].t <= from) ++old;
    if (old !== 0) this.ticks.splice(0, old);
    return tick;
  }
  // A copy of the current state; later ticks do not change it.
  snapshot() {
    return {of: this, ticks: this.ticks.slice(), total: this.total.slice()};
  }
}

// `of`, `ticks` and `total` belong to a snapshot or to the current data. Returns the sums of the last `seconds`.
function sumOf({of, ticks, total}, seconds) {
  if (seconds === sinceStart) return total;
  const pairCount = of.table.pairs.owner.length;
  let sums = new Float64Array(pairCount);
  if (ticks.length === 0) return sums;
  // Half a tick of slack, because ticks are not quite regular.
  const from = ticks[ticks.length - 1].t - seconds * 1000 + of.tickMs / 2;
  for (const {t, pairs, values} of ticks) {
    if (t > from) sums = addTo(sums, pairs, values, pairCount);
  }
  return sums;
}

class Live {
  constructor(view, data, say) {
    Object.assign(this, {view, say});
    this.followed = null;
    this.paused = null;  // a snapshot, or null
    this.base = null;    // {table, values, label} of the frozen state, in the numbers of its own table
    this.baseHere = null;  // {table, vector, lost}: the same in the numbers of the table that is shown
    this.strip = null;  // the LiveStrip
    this.seconds = usualWindow;
    this.isByName = data.run.processes_by_name === true;  // asked for on the command line
    this.ended = false;
    element('live').hidden = false;
    element('pause').addEventListener('click', () => this.togglePause());
    element('freeze').addEventListener('click', () => this.toggleFreeze());
    this.fillWindows(windows);
    element('window').addEventListener('change', (event) => {
      this.seconds = Number(event.target.value);
      this.strip.forget();
      this.show();
      view.change(due.marks);
    });
    const url = new URL(data.live.events, location.href);
    if (url.origin !== location.origin) throw new Error('the events are of another origin');
    this.url = url.href;
    this.connect();
  }

  // The window in links: "30", or nothing for the default.
  windowWords() {
    return this.seconds === usualWindow ? '' : String(this.seconds);
  }
  setWindow(words) {
    const wanted = [...element('window').options].find(({value}) => value === words);
    this.seconds = wanted === undefined ? usualWindow : Number(words);
    element('window').value = String(this.seconds);
    this.show();
  }
  fillWindows(seconds) {
    const words = (s) => (s % 60 === 0 ? `last ${s / 60} min` : `last ${s} s`);
    element('window').replaceChildren(
      ...seconds.map((s) => new Option(words(s), String(s))), new Option('since the start', String(sinceStart)));
    element('window').value = String(this.seconds);
  }

  connect() {
    const source = new EventSource(this.url);
    const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
    on('hello', (hello) => this.begin(hello));
    on('reset', (hello) => this.begin(hello));
    on('tick', (tick) => this.tick(tick));
    const again = () => {
      source.close();
      setTimeout(() => this.connect(), retryMs);
    };
    on('end', () => {
      this.ended = true;
      this.state('ended', 'the run is over');
      again();
    });
    source.addEventListener('error', () => {
      if (!this.ended) this.state('lost', 'connection lost, trying again');
      // If the server answers with something other than events, the browser stops trying. The page tries again.
      if (this.ended || source.readyState === EventSource.CLOSED) again();
    });
  }
  state(name, text) {
    const shown = element('connection');
    shown.dataset.state = name;
    if (shown.textContent !== text) shown.textContent = text;
  }

  begin(hello) {
    const before = this.followed;
    this.followed = new Followed(hello);
    this.ended = false;
    nameTags(hello.run);
    showTitle(hello.run);
    showAbout([{run: hello.run, account: hello.account, names: hello.names, heading: ''}]);
    if (before !== null && before.run.unit !== hello.run.unit && this.base !== null) {
      this.base = null;
      this.say('The comparison has ended: what follows is measured in another unit.');
      this.showFreeze();
    }
    if (this.base !== null) this.carryBase();
    if (before === null && this.followed.keptMs < 300_000) {
      this.fillWindows(windows.filter((s) => s * 1000 <= this.followed.keptMs));
    }
    this.follow();
  }
  // Keeps the frozen state after a lost connection, and after the server has made its table smaller.
  carryBase() {
    const {vector, lost} = this.baseIn(this.followed.table);
    const kept = vector.reduce((sum, value) => sum + value, 0);
    if (kept === 0) {
      this.base = null;
      this.say('The comparison has ended: nothing that was frozen is known to the profiler any more.');
    } else if (lost > 0) {
      this.say(`${percent(lost / (lost + kept))} of what was frozen is of processes that are not known any more.`);
    }
    this.showFreeze();
  }
  baseIn(table) {
    const {base} = this;
    if (base.table === table) return {table, vector: base.values, lost: 0};
    if (this.baseHere === null || this.baseHere.table !== table) {
      this.baseHere = {table, ...carried(base.values, base.table, table)};
    }
    return this.baseHere;
  }
  tick(tick) {
    // The tables of a tick of another version, or before the first hello, are not here.
    if (this.followed === null || tick.table_version !== this.followed.tableVersion) return;
    this.followed.add(tick);
    this.follow();
  }
  follow() {
    this.state('live', 'live');
    this.showCounters();
    if (this.paused === null) this.renew();
  }
  // Shows what is there now, also in the strip of time.
  renew() {
    this.strip.renew(this.shown, this.comparison());
    this.show();
  }
  // What the graph compares with, as in a source of the view.
  comparison() {
    const {shown, base} = this;
    return base === null ? {before: null, beforeLabel: ''} : {before: this.baseIn(shown.of.table).vector, beforeLabel: base.label};
  }
  showCounters() {
    const {taken, lost} = this.followed.account;
    const lostText = made('span', lost > 0 ? 'lost' : '', `${count(lost)} lost`);
    element('counters').replaceChildren(`${count(taken)} samples · `, lostText);
    this.view.whyNothing = this.followed.account.nothing || '';
    showAccount(this.followed.account, this.followed.names);
  }

  get shown() {
    return this.paused || {of: this.followed, ticks: this.followed.ticks, total: this.followed.total};
  }
  show() {
    if (this.followed === null) return;
    if (this.strip.isChosen) return this.strip.apply();
    const {table, run} = this.shown.of;
    this.view.show({table, values: this.valuesShown(), unit: run.unit, label: this.label(), ...this.comparison()});
  }
  valuesShown() {
    return this.strip.isChosen ? this.strip.valuesOf(this.strip.part) : sumOf(this.shown, this.seconds);
  }
  // Data about the state that is shown. The account counts from the start, so it is left out for a window or a pause.
  about() {
    const {run, account, names} = this.shown.of;
    const told = (label) => ({...run, title: `${run.title}, ${label}`, began_unix_ms: 0, duration_s: 0});
    const isAll = this.seconds === sinceStart && this.paused === null && !this.strip.isChosen;
    const now = isAll ? {run, account, names} : {run: told(this.label())};
    return this.base === null ? now : {...now, before: told(this.base.label)};
  }
  label() {
    if (this.strip.isChosen) return this.strip.chosenLabel();
    const words = element('window').selectedOptions[0].textContent;
    return this.paused === null ? words : `${words}, paused`;
  }

  togglePause() {
    if (this.followed === null) return;
    this.paused = this.paused === null ? this.followed.snapshot() : null;
    const is = this.paused !== null;
    element('pause').setAttribute('aria-pressed', String(is));
    element('pause').textContent = is ? 'Go on' : 'Pause';
    this.renew();
  }
  toggleFreeze() {
    if (this.followed === null) return;
    if (this.base !== null) {
      this.base = null;
    } else {
      const label = `at ${new Date().toLocaleTimeString()} (${this.label()})`;
      this.base = {table: this.shown.of.table, values: this.valuesShown().slice(), label};
      this.baseHere = null;
    }
    this.showFreeze();
    this.renew();
  }
  showFreeze() {
    const is = this.base !== null;
    element('freeze').setAttribute('aria-pressed', String(is));
    element('freeze').textContent = is ? 'Stop comparing' : 'Freeze and compare';
  }
}
