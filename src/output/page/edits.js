// What is shown of the stacks: only those with certain functions, without certain frames, with runs of frames as one,
// and with processes of one name as one. The rules are those of `profile report`. An edited table is made beside the
// given one and follows it, so every view works on it and nothing is lost.

const editNames = ['focus', 'hide', 'collapse'];
const noEdits = {focus: '', hide: '', collapse: '', byName: false};

// The rules of the words. Throws SyntaxError for an invalid regular expression.
class Rules {
  constructor({focus, hide, collapse, byName}) {
    this.isFocused = focus !== '';
    this.byName = byName;
    const matcher = (words) => {
      const pattern = words === '' ? null : new RegExp(words);
      return remembered((name) => pattern !== null && pattern.test(name));
    };
    this.hasFocus = matcher(focus);
    this.hides = matcher(hide);
    const runs = collapse.split(';').map((words) => words.trim()).filter((words) => words !== '');
    this.isWithoutRecursion = runs.includes('recursion');
    // {file}, or {matches}
    this.runs = runs.filter((words) => words !== 'recursion')
      .map((words) => (words.startsWith('lib:') ? {file: words.slice(4)} : {matches: matcher(words)}));
    this.areNone = focus === '' && hide === '' && runs.length === 0 && !byName;
  }
  // The number of the first rule that makes one frame of the function and its neighbours, or `none`.
  runOf(name, module) {
    return this.runs.findIndex(({file, matches}) => (file === undefined ? matches(name) : isFile(module, file)));
  }
}

// "libc.so.6" is in "libc.so.6" and in "libc*"; "[kernel]" is also "kernel".
function isFile(module, wanted) {
  if (module === '') return false;
  const file = module.startsWith('[') && !wanted.startsWith('[') ? module.slice(1, -1) : module;
  return wanted.endsWith('*') ? file.startsWith(wanted.slice(0, -1)) : file === wanted;
}

// The regular expression for this name alone. Of a long name its beginning is enough.
function expressionOf(name) {
  const most = 300;
  const quoted = name.slice(0, most).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return name.length > most ? `^${quoted}` : `^${quoted}$`;
}

class EditedTable {
  constructor(from, rules) {
    Object.assign(this, {from, rules});
    this.table = new Table(from.byName);
    this.texts = new Numbered();
    this.children = new Map();  // by parent and frame
    this.files = new Map();     // the frames of files, by module
    this.runs = new Column(Int32Array);     // by frame: the number of its rule
    this.parts = new Column(Uint8Array);    // by frame: user, kernel or tag; a run ends with its part of the stack
    this.frameOf = new Column(Int32Array);  // by given frame; `none`: hidden
    this.nodeOf = new Column(Int32Array);   // by given node; `none`: nothing is left of the stack
    this.focused = new Uint8Array(0);       // by given node
    this.pairOf = new Column(Int32Array);   // by given pair; `none`: not in focus
  }

  // The source with this table. It follows what was added to the given table.
  sourceOf(given) {
    this.follow();
    const {values, before} = given;
    return {...given, table: this.table, values: this.moved(values), before: before === null ? null : this.moved(before)};
  }
  moved(values) {
    const {pairOf, table} = this;
    const sums = new Float64Array(table.pairs.owner.length);
    const end = Math.min(values.length, pairOf.length);
    for (let pair = 0; pair < end; ++pair) {
      if (pairOf.data[pair] !== none) sums[pairOf.data[pair]] += values[pair];
    }
    return sums;
  }

  follow() {
    const rows = {
      strings: [],
      frames: {name: [], module: [], file: [], line: [], kind: []},
      owners: {process: [], pid: [], thread: [], tid: [], cpu: []},
      nodes: {parent: [], frame: []},
    };
    const text = (words) => {
      const id = this.texts.of(words);
      if (id === this.table.strings.length + rows.strings.length) rows.strings.push(words);
      return id;
    };
    this.followFrames(rows.frames, text);
    this.followOwners(rows.owners, text);
    this.table.append(rows);
    this.followNodes();
    this.followPairs();
  }

  followFrames(rows, text) {
    const {from, rules, frameOf, runs, parts, files} = this;
    const add = ({name, module, file, line, kind}, run) => {
      rows.name.push(text(name));
      rows.module.push(text(module));
      rows.file.push(text(file));
      rows.line.push(line);
      rows.kind.push(kind);
      parts.push(kind === kinds.tag ? 2 : kind === kinds.kernel || module.startsWith('[') ? 1 : 0);
      runs.push(run);
      return runs.length - 1;
    };
    for (let id = frameOf.length; id < from.frames.name.length; ++id) {
      const frame = from.frame(id);
      const {name, module, kind} = frame;
      const run = rules.runOf(name, module);
      if (rules.hides(name)) {
        frameOf.push(none);
      } else if (run === none || rules.runs[run].file === undefined) {
        frameOf.push(add(frame, run));
      } else {
        const isKernel = kind === kinds.kernel || module.startsWith('[');
        const whole = {
          name: module.startsWith('[') ? module : `[${module}]`, module, file: '', line: 0,
          kind: isKernel ? kinds.kernel : kinds.user,
        };
        if (!files.has(module)) files.set(module, add(whole, run));
        frameOf.push(files.get(module));
      }
    }
  }

  // The owners keep their numbers.
  followOwners(rows, text) {
    const {from, table, rules} = this;
    const {process, pid, thread, tid, cpu} = from.owners;
    for (let owner = table.ownerCount; owner < from.ownerCount; ++owner) {
      rows.process.push(text(from.strings[process.data[owner]]));
      rows.thread.push(text(from.strings[thread.data[owner]]));
      rows.pid.push(rules.byName ? 0 : pid.data[owner]);
      rows.tid.push(rules.byName ? 0 : tid.data[owner]);
      rows.cpu.push(cpu.data[owner]);
    }
  }

  followNodes() {
    const {from, rules, nodeOf} = this;
    const {parent, frame} = from.nodes;
    const {name} = from.frames;
    const functionOf = this.table.functions.update().of.data;
    if (this.focused.length < parent.length) {
      const focused = new Uint8Array(Math.max(parent.length, this.focused.length * 2));
      focused.set(this.focused);
      this.focused = focused;
    }
    for (let node = nodeOf.length; node < parent.length; ++node) {
      const below = parent.data[node];
      const isIn = rules.hasFocus(from.strings[name.data[frame.data[node]]]);
      this.focused[node] = isIn || (below !== none && this.focused[below] === 1) ? 1 : 0;
      const bottom = below === none ? none : nodeOf.data[below];
      const id = this.frameOf.data[frame.data[node]];
      nodeOf.push(id === none ? bottom : this.nodeOn(bottom, id, functionOf));
    }
  }
  // The node of a frame on the node `bottom`: that one itself, or one below it, if the frame is collapsed.
  nodeOn(bottom, id, functionOf) {
    const {table, rules, runs, parts, children} = this;
    const {parent, frame} = table.nodes;
    if (bottom !== none) {
      const last = frame.data[bottom];
      const isOfRun = runs.data[id] !== none && runs.data[id] === runs.data[last] && parts.data[id] === parts.data[last];
      if (isOfRun && (rules.runs[runs.data[id]].file === undefined || id === last)) return bottom;
    }
    if (rules.isWithoutRecursion && !table.functions.nameOf(functionOf[id]).startsWith(unknownName)) {
      for (let at = bottom; at !== none; at = parent.data[at]) {
        if (functionOf[frame.data[at]] === functionOf[id]) return at;
      }
    }
    const key = pairKey(bottom + 1, id);
    let node = children.get(key);
    if (node === undefined) {
      node = parent.length;
      parent.push(bottom);
      frame.push(id);
      children.set(key, node);
      table.walked = null;
    }
    return node;
  }

  followPairs() {
    const {from, table, rules, pairOf, nodeOf, focused} = this;
    const {owner, node} = from.pairs;
    const cells = {owner: [], node: [], value: []};
    const first = pairOf.length;
    for (let pair = first; pair < owner.length; ++pair) {
      const at = node.data[pair];
      const isIn = !rules.isFocused || (at !== none && focused[at] === 1);
      pairOf.push(isIn ? cells.owner.length : none);
      if (!isIn) continue;
      cells.owner.push(owner.data[pair]);
      cells.node.push(at === none ? none : nodeOf.data[at]);
      cells.value.push(0);
    }
    const ids = table.pairsOf(cells, true);
    for (let pair = first; pair < pairOf.length; ++pair) {
      if (pairOf.data[pair] !== none) pairOf.data[pair] = ids[pairOf.data[pair]];
    }
  }
}

// --- The bar with the rules --------------------------------------------------------------------------------------------

class EditBar {
  constructor(view) {
    this.view = view;
    this.isOpen = false;
    element('edit').addEventListener('click', () => this.toggle());
    element('by-name').addEventListener('click', () => this.toggleNames());
    element('edit-clear').addEventListener('click', () => {
      this.set(noEdits);
      element('graph').focus();
    });
    for (const name of editNames) {
      element(`edit-${name}`).addEventListener('change', ({target}) => this.set({[name]: target.value}));
    }
    this.show();
  }

  // Changes some of the words. Those that are no regular expression stay in their field and change nothing.
  set(words) {
    const valid = {...words};
    for (const name of editNames.filter((is) => words[is] !== undefined)) {
      const field = element(`edit-${name}`);
      field.value = words[name];
      field.removeAttribute('aria-invalid');
      field.title = field.dataset.title;
      try {
        new Rules({...noEdits, [name]: words[name]});
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        valid[name] = '';
        field.setAttribute('aria-invalid', 'true');
        field.title = error.message;
      }
    }
    this.view.edit(valid);
    this.show();
  }
  // Adds a rule to those that are there; a focus takes the place of the one before.
  add(name, rule) {
    const before = this.view.edits[name];
    const joint = {hide: '|', collapse: '; '}[name];
    this.set({[name]: before === '' || joint === undefined ? rule : `${before}${joint}${rule}`});
  }
  toggleNames() {
    this.set({byName: !this.view.edits.byName});
  }
  toggle() {
    this.isOpen = element('edits').hidden;
    this.show();
    element(element('edits').hidden ? 'graph' : 'edit-focus').focus();
  }
  // Leaves a field; without `keeps` what was typed last is forgotten.
  leave(field, keeps) {
    const name = field.id.slice('edit-'.length);
    if (!keeps) this.set({[name]: this.view.edits[name]});
    element('graph').focus();
  }
  // While there are rules, they can be seen.
  show() {
    const isNeeded = !this.view.rules.areNone || editNames.some((name) => element(`edit-${name}`).value !== '');
    const isShown = this.isOpen || isNeeded;
    element('edits').hidden = !isShown;
    element('edit').setAttribute('aria-expanded', String(isShown));
    element('by-name').setAttribute('aria-pressed', String(this.view.edits.byName));
    element('edit-clear').disabled = !isNeeded;
  }
}
