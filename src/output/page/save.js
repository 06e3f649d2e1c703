// Saves what is shown as a file: this page with only this data, pprof, or folded lines. The page makes the file,
// because only the page knows the window, the frozen state and the filters. It also works after the end of the run.

// Returns the page as the browser received it, without its data, which is `text`, and `samples` of a recording or null.
// It must run before the script changes the document.
function takeOwnPage() {
  const data = element('data');
  const text = data.textContent;
  data.textContent = '';
  const recorded = element('samples');
  const samples = recorded === null ? null : recorded.textContent;
  if (recorded !== null) recorded.remove();
  const html = document.documentElement.outerHTML;
  return {text, samples, html: `<!doctype html>\n${html}\n`};
}

// The text of the page with other data. The saved page may connect to nothing.
function pageWith(html, data) {
  const mark = `id="data">${'</'}script>`;  // in two pieces, because this text is part of the page
  const at = html.indexOf(mark) + 'id="data">'.length;
  const head = html.slice(0, at).replace("connect-src 'self'", "connect-src 'none'");
  return head + JSON.stringify(data).replaceAll('<', '\\u003c') + html.slice(at);
}

// The rows of a table that some pairs need, with new numbers.
class Picked {
  constructor(table, amounts) {
    this.table = table;
    this.strings = new Numbered();
    const {owner, node} = table.pairs;
    // {owner, node, value, before}
    this.pairs = Array.from(pairsWithValue(table, amounts), (pair) => ({
      owner: owner.data[pair], node: node.data[pair],
      value: valueAt(amounts.values, pair), before: valueAt(amounts.before, pair),
    }));
    this.nodes = this.numbered(this.pairs.map((pair) => pair.node), table.nodes.parent);
    this.frames = this.numbered(this.nodes.kept.map((at) => table.nodes.frame.data[at]));
    this.owners = this.numbered(this.pairs.map((pair) => pair.owner));
  }
  // With `parent` the ancestors are kept too. The order of the numbers stays, so a child has a larger number than its
  // parent.
  numbered(used, parent) {
    const ids = new Map([[none, none]]);
    const wanted = new Set();
    for (let id of used) {
      for (; id !== none && !wanted.has(id); id = parent === undefined ? none : parent.data[id]) wanted.add(id);
    }
    const kept = [...wanted].sort((a, b) => a - b);
    kept.forEach((id, i) => ids.set(id, i));
    return {ids, kept};
  }
  string(id) {
    return this.strings.of(this.table.strings[id]);
  }
  columns(columns, kept, texts) {
    return Object.fromEntries(Object.entries(columns).map(([name, {data}]) =>
      [name, kept.map((id) => (texts.includes(name) ? this.string(data[id]) : data[id]))]));
  }
  cells(which) {
    const pairs = this.pairs.filter((pair) => pair[which] !== 0);
    return {
      owner: pairs.map(({owner}) => this.owners.ids.get(owner)),
      node: pairs.map(({node}) => this.nodes.ids.get(node)),
      value: pairs.map((pair) => pair[which]),
    };
  }
  // Returns the rows in the form of the page's data.
  rows() {
    const {table, nodes, frames, owners} = this;
    return {
      frames: this.columns(table.frames, frames.kept, ['name', 'module', 'file']),
      owners: this.columns(table.owners, owners.kept, ['process', 'thread']),
      nodes: {
        parent: nodes.kept.map((id) => nodes.ids.get(table.nodes.parent.data[id])),
        frame: nodes.kept.map((id) => frames.ids.get(table.nodes.frame.data[id])),
      },
      strings: [...this.strings.ids.keys()],
    };
  }
}

// In a comparison each line has the value before and the value now, as difffolded.pl writes them.
function foldedText({table, pairs}, comparing) {
  const clean = (name) => name.replace(/[;\r\n]/g, ':');
  const {frame, parent} = table.nodes;
  const sums = new Map();
  for (const {owner, node, value, before} of pairs) {
    const names = [];
    for (let at = node; at !== none; at = parent.data[at]) {
      names.push(clean(table.strings[table.frames.name.data[frame.data[at]]]));
    }
    names.push(clean(table.processes.itemOf(owner).name));
    const line = names.reverse().join(';');
    const sum = sums.get(line) || {value: 0, before: 0};
    sum.value += value;
    sum.before += before;
    sums.set(line, sum);
  }
  const figures = ({value, before}) => (comparing ? `${before} ${value}` : `${value}`);
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([line, sum]) => `${line} ${figures(sum)}\n`).join('');
}

// The server answers for at most an hour.
const longestRecording = 3600;

class Save {
  // `about()` returns {run, account, names, notes, sources, before} of what is shown. `account`, `names` and `notes` are
  // missing if they cover more than that.
  // `recording`: where the server has a recording, or undefined.
  constructor({view, html, about, say, words, recording}) {
    Object.assign(this, {view, html, about, say, words, recording});
    element('save-recording').hidden = recording === undefined;
    this.menu = element('save-menu');
    this.button = element('save');
    this.button.addEventListener('click', () => this.toggle(this.menu.hidden));
    document.addEventListener('mousedown', ({target}) => {
      if (!this.menu.contains(target) && target !== this.button) this.toggle(false);
    });
    this.menu.addEventListener('keydown', (event) => this.key(event));
    for (const button of this.menu.children) {
      button.addEventListener('click', () => {
        this.toggle(false);
        this.button.focus();
        this.save(button.dataset.as);
      });
    }
  }
  toggle(is) {
    this.menu.hidden = !is;
    this.button.setAttribute('aria-expanded', String(is));
    if (!is) return;
    const {right, bottom} = this.button.getBoundingClientRect();
    this.menu.style.left = `${Math.max(4, right - this.menu.offsetWidth)}px`;
    this.menu.style.top = `${bottom + 4}px`;
    this.menu.firstElementChild.focus();
  }
  key(event) {
    event.stopPropagation();
    if (event.key === 'Escape') {
      this.toggle(false);
      this.button.focus();
    }
    stepInMenu(event);
  }

  // The server has each sample with its time, which this page does not have. A pause does not stop it.
  saveRecording() {
    const {live} = this.view;
    const seconds = live.seconds === sinceStart ? longestRecording : live.seconds;
    followLink(`${this.recording}?seconds=${seconds}`, 'profile.db');
    this.say('profile.db: each sample of this time; profile report profile.db shows it.');
  }
  async save(as) {
    if (as === 'recording') return this.saveRecording();
    this.view.update();
    const {source, given} = this.view;
    const {wanted} = this.view.amounts();
    const pickedOf = ({table, values, before}) => new Picked(table, {values, before, wanted});
    const picked = pickedOf(source);
    if (picked.pairs.length === 0) return this.say('There is nothing to save.');
    const stamp = new Date().toTimeString().slice(0, 8).replaceAll(':', '');
    const name = `profile-${(this.about().run.event || 'samples').replace(/[^\w.-]+/g, '_').slice(0, 60)}-${stamp}`;
    const made = {
      html: async () => [`${name}.html`, new Blob([this.page(pickedOf(given), wanted)], {type: 'text/html'})],
      folded: async () => [`${name}.folded`, new Blob([foldedText(picked, source.before !== null)], {type: 'text/plain'})],
      pprof: async () => {
        const {bytes, isZipped} = await zipped(pprofOf(picked, this.about().run, source.before !== null));
        return [`${name}${isZipped ? '.pb.gz' : '.pb'}`, new Blob([bytes], {type: 'application/octet-stream'})];
      },
    };
    const [file, blob] = await made[as]();
    download(file, blob);
    this.say(`${file}: what is shown, ${amount(this.view.tree.whole, source.unit)}.`);
  }
  // The edits are in the words, so that the reader of the page can undo them.
  page(picked, wanted) {
    const {run, account, names, notes, sources, before} = this.about();
    const {given} = this.view;
    const data = {version: knownVersion, run, tables: [], cells: picked.cells('value'), view: this.words()};
    if (wanted === null && account !== undefined) data.account = account;
    if (wanted === null && names !== undefined) data.names = names;
    if (wanted === null && notes !== undefined) data.notes = notes;
    if (sources !== undefined) data.sources = sources;
    if (given.before !== null) {
      data.before = {run: before, cells: picked.cells('before'), same_processes: !given.table.byName};
    }
    return pageWith(this.html, {...data, ...picked.rows()});
  }
}

function followLink(address, name) {
  const link = made('a');
  link.download = name;
  link.href = address;
  link.click();
}
function download(name, blob) {
  const address = URL.createObjectURL(blob);
  followLink(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
