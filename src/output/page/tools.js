// The toolbar above the picture, the filters, and the legend below it.

// --- The filters ------------------------------------------------------------------------------------------------------

const everybody = {process: 'all processes', thread: 'all threads', cpu: 'all CPUs'};

class Filters {
  constructor(view) {
    this.view = view;
    this.names = ['process', 'thread', 'cpu'];
    for (const name of this.names) {
      element(`filter-${name}`).addEventListener('change', (event) => view.setFilter(name, event.target.value));
    }
  }
  labelOf(name, owner) {
    const {table} = this.view.source;
    if (name === 'process') return table.processes.itemOf(owner).label;
    return name === 'thread' ? table.threads.itemOf(owner).label : `CPU ${table.owners.cpu.data[owner]}`;
  }

  // Fills the filter lists with the owners that have values, the largest first.
  update() {
    const {values} = this.view.amounts();
    const {table} = this.view.source;
    const byOwner = new Float64Array(table.ownerCount);
    eachPair(table, values, null, (pair, owner) => (byOwner[owner] += values[pair]));
    for (const name of this.names) this.fill(name, byOwner);
  }
  fill(name, byOwner) {
    const select = element(`filter-${name}`);
    if (document.activeElement === select && select.options.length > 1) return;  // the list may be open
    const sums = new Map();
    let total = 0;
    for (let owner = 0; owner < byOwner.length; ++owner) {
      if (byOwner[owner] === 0 || !this.passesOthers(name, owner)) continue;
      const key = this.view.source.table.keyOf(name, owner);
      const sum = sums.get(key) || {value: 0, label: this.labelOf(name, owner)};
      sum.value += byOwner[owner];
      total += byOwner[owner];
      sums.set(key, sum);
    }
    const chosen = this.view.filter[name];
    const rows = [...sums].sort(([, a], [, b]) => b.value - a.value).slice(0, 200);
    // The chosen item stays in the list even while it has no values.
    if (chosen !== '' && !rows.some(([key]) => key === chosen)) {
      rows.push([chosen, sums.get(chosen) || {value: 0, label: this.labelOfChosen(name, chosen)}]);
    }
    const nobody = name === 'cpu' && rows.every(([key]) => key === '-1');
    select.parentElement.hidden = nobody || (rows.length < 2 && chosen === '');
    const options = [new Option(everybody[name], '')];
    for (const [key, {value, label}] of rows) {
      const share = total > 0 ? value / total : 0;
      options.push(new Option(`${shortened(label, 60)} — ${percent(share)}`, key, false, key === chosen));
    }
    select.replaceChildren(...options);
  }
  labelOfChosen(name, key) {
    return name === 'cpu' ? `CPU ${key}` : key.slice(key.indexOf(' ') + 1);
  }
  passesOthers(name, owner) {
    return this.names.every((other) => {
      const wanted = this.view.filter[other];
      return other === name || wanted === '' || this.view.source.table.keyOf(other, owner) === wanted;
    });
  }
}

// --- The tools --------------------------------------------------------------------------------------------------------

class Tools {
  constructor(view) {
    this.view = view;
    const press = (id, act) => element(id).addEventListener('click', act);
    press('flame', () => view.setIcicle(false));
    press('icicle', () => view.setIcicle(true));
    press('invert', () => this.toggle('inverted'));
    press('heaviest', () => this.toggle('heaviest'));
    press('processes', () => this.toggle('byProcess'));
    press('threads', () => this.toggle('byThread'));
    press('swap', () => this.swap());
    press('whole', () => view.whole());
    press('theme', () => this.switchTheme());
    element('search').addEventListener('input', () => this.search());
    this.theme = storedTheme() || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({matches}) => {
      if (storedTheme() === null) this.setTheme(matches ? 'dark' : 'light');
    });
    this.setTheme(this.theme);
  }

  toggle(name) {
    this.view.set(name, !this.view[name]);
  }
  swap() {
    if (this.view.source.before !== null) this.view.set('swapped', !this.view.swapped);
  }
  switchTheme() {
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
    storeTheme(this.theme);
  }
  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.view.drawing.palette = new Palette(theme);
    this.showLegend();
    this.view.change(due.paint);
  }

  search() {
    const input = element('search');
    try {
      this.view.search(input.value);
      input.removeAttribute('aria-invalid');
      input.title = '';
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.view.search('');
      input.setAttribute('aria-invalid', 'true');
      input.title = error.message;
    }
  }
  searchFor(name) {
    element('search').value = name;
    this.search();
  }

  update() {
    const {view} = this;
    const {icicle} = view.drawing;
    const pressed = {
      flame: !icicle, icicle, invert: view.inverted, processes: view.byProcess, threads: view.byThread,
      heaviest: view.heaviest, swap: view.swapped,
    };
    for (const [id, is] of Object.entries(pressed)) element(id).setAttribute('aria-pressed', String(is));
    // Sandwiches have only one direction.
    for (const id of ['flame', 'icicle']) element(id).disabled = view.drawing.isSandwich;
    element('threads').hidden = view.source.table.threads.items.every(({name}) => name === '') && !view.byThread;
    this.showSandwich();
    const comparing = view.source.before !== null;
    element('swap').hidden = !comparing;
    element('whole').disabled = view.focus === 0;
    const isInvalid = element('search').hasAttribute('aria-invalid');
    element('matched').textContent = isInvalid
      ? 'no regular expression'
      : view.matcher === null
        ? ''
        : percent(view.matchedShare);
    for (const id of ['next', 'previous']) element(id).disabled = view.matcher === null;
    const isEmpty = view.tree.total[0] === 0;
    element('empty').hidden = !isEmpty;
    element('empty').textContent = view.whyNothing || 'Nothing has been seen here.';
    if (this.legendOf !== this.legendKey()) this.showLegend();
  }

  showSandwich() {
    const {tree, of, source} = this.view;
    element('sandwich').hidden = of === null;
    if (of === null) return;
    const isThere = tree.callers !== none;
    element('sandwich-name').textContent = shortened(of.name, 200);
    element('sandwich-amount').textContent = isThere
      ? `${amount(tree.total[0], source.unit)} · ${percent(tree.shareOf(0))} of all`
      : 'has not been seen here';
  }

  legendKey() {
    return `${this.theme} ${this.view.source.before !== null} ${this.view.knownChanges() !== null} ${this.kindsSeen().join()}`;
  }
  kindsSeen() {
    const {data, length} = this.view.source.table.frames.kind;
    return [...new Set(data.subarray(0, length))].sort();
  }
  showLegend() {
    this.legendOf = this.legendKey();
    const {palette} = this.view.drawing;
    const entry = (colour, text) => {
      const item = made('li');
      const patch = made('i');
      patch.style.background = colour;
      item.append(patch, text);
      return item;
    };
    const comparison = [[0, 1, 'a larger share than before'], [1, 1, 'the same'], [1, 0, 'a smaller share']];
    element('legend').replaceChildren(
      ...(this.view.source.before !== null
        ? [...comparison.map(([before, now, text]) => entry(palette.change(before, now), text)),
          ...(this.view.knownChanges() === null ? [] : [entry(palette.unsure, 'the change may be chance')])]
        : [...this.kindsSeen(), kinds.owner].map((kind) => entry(palette.toneOf(kind), kindWords[kind]))));
  }
}

// Pages from disk have no storage, and users can turn it off.
function storedTheme() {
  try {
    const theme = localStorage.getItem('profile-theme');
    return theme === 'dark' || theme === 'light' ? theme : null;
  } catch {
    return null;
  }
}
function storeTheme(theme) {
  try {
    localStorage.setItem('profile-theme', theme);
  } catch {
    // The theme then holds only for this page.
  }
}
