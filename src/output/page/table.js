// The samples as columns of numbers: frames, owners, the tree of stacks, and pairs of an owner and a stack. The values
// of the pairs are separate vectors, so windows, pauses and comparisons are vectors over the same pairs. Arrays of
// numbers are needed because a profile of 100,000 stacks has a million nodes.

const none = -1;
const unknownName = '[unknown]';

// A growing array. Only the first `length` items of `data` are valid.
class Column {
  constructor(type) {
    this.data = new type(16);
    this.length = 0;
  }
  reserve(length) {
    if (length <= this.data.length) return;
    const grown = new this.data.constructor(Math.max(length, this.data.length * 2));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }
  append(values) {
    this.reserve(this.length + values.length);
    this.data.set(values, this.length);
    this.length += values.length;
  }
  push(value) {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }
}

// An object of columns, from the types of their items.
function columnsOf(types) {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, new Column(type)]));
}

// Numbers for keys, in the order in which they are asked for.
class Numbered {
  constructor(first = 0) {
    this.ids = new Map();
    this.first = first;
  }
  of(key) {
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.ids.size + this.first;
      this.ids.set(key, id);
    }
    return id;
  }
}

// The number of each FlameKind, by name.
const kinds = Object.fromEntries(kindTable.map(({key}, number) => [key, number]));

// Processes or threads as they are drawn, one for each pair of name and number.
class Groups {
  constructor() {
    this.items = [];  // {name, label, key}
    this.ids = new Numbered();
    this.of = new Column(Int32Array);  // by owner
    this.ordered = null;
  }
  // Adds the group of the next owner.
  add(name, number) {
    const key = `${number} ${name}`;
    const id = this.ids.of(key);
    if (id === this.items.length) {
      this.items.push({name, label: number === 0 ? name : `${name} (${number})`, key});
      this.ordered = null;
    }
    this.of.push(id);
  }
  itemOf(owner) {
    return this.items[this.of.data[owner]];
  }
  // Returns the rank of each group in the order of the labels.
  ranks() {
    if (this.ordered !== null) return this.ordered;
    const order = this.items.map((_, id) => id);
    order.sort((a, b) => (this.items[a].label < this.items[b].label ? -1 : 1));
    this.ordered = new Int32Array(order.length);
    order.forEach((id, rank) => (this.ordered[id] = rank));
    return this.ordered;
  }
}

class Table {
  // `byName`: processes with the same name are one, because numbers differ between two runs.
  constructor(byName = false) {
    this.byName = byName;
    this.strings = [];
    this.frames = columnsOf({
      name: Int32Array, module: Int32Array, file: Int32Array, line: Uint32Array, kind: Uint8Array,
    });
    this.owners = columnsOf({
      process: Int32Array, pid: Uint32Array, thread: Int32Array, tid: Uint32Array, cpu: Int32Array,
    });
    this.nodes = columnsOf({parent: Int32Array, frame: Int32Array});
    this.pairs = columnsOf({owner: Int32Array, node: Int32Array});
    this.pairIds = null;  // made when first needed; a file without a comparison needs none
    this.processes = new Groups();
    this.threads = new Groups();
    this.ranks = null;  // made when needed, as `walked`
    this.walked = null;
    // A short form of frameKey(), for links.
    this.shortKey = remembered((id) => shortKeyOf(this.frameKey(id)));
    this.functions = new Functions(this);
    this.changes = null;  // of functions, if this is a comparison that has intervals
  }

  // Appends rows in the form of the page's data.
  append(rows) {
    for (const text of rows.strings) this.strings.push(text);
    for (const group of ['frames', 'owners', 'nodes']) {
      for (const [name, column] of Object.entries(this[group])) column.append(rows[group][name]);
    }
    if (rows.frames.name.length !== 0) this.ranks = null;
    if (rows.nodes.frame.length !== 0) this.walked = null;
    const {process, pid, thread, tid} = this.owners;
    for (let owner = this.ownerCount; owner < pid.length; ++owner) {
      this.processes.add(this.strings[process.data[owner]], this.byName ? 0 : pid.data[owner]);
      this.threads.add(this.strings[thread.data[owner]], this.byName ? 0 : tid.data[owner]);
    }
  }

  get ownerCount() {
    return this.processes.of.length;
  }
  // Keys for the filters; the same in every table: "185 dd", "186 dd-writer", "3".
  keyOf(name, owner) {
    if (name === 'cpu') return String(this.owners.cpu.data[owner]);
    return (name === 'process' ? this.processes : this.threads).itemOf(owner).key;
  }

  // Returns the pairs of `cells` and adds new ones. `repeated`: a pair may occur several times in `cells`; in the
  // page's data it occurs once.
  pairsOf(cells, repeated = false) {
    const ids = new Int32Array(cells.value.length);
    for (let i = 0; i < ids.length; ++i) {
      if (!(cells.node[i] < this.nodes.parent.length && cells.owner[i] < this.ownerCount)) {
        throw new RangeError('the data names a stack that it does not have');
      }
    }
    if (this.pairs.owner.length === 0 && !repeated) {
      this.pairs.owner.append(cells.owner);
      this.pairs.node.append(cells.node);
      return ids.map((_, i) => i);
    }
    if (this.pairIds === null) {
      this.pairIds = new Map();
      for (let pair = 0; pair < this.pairs.owner.length; ++pair) {
        this.pairIds.set(pairKey(this.pairs.owner.data[pair], this.pairs.node.data[pair]), pair);
      }
    }
    for (let i = 0; i < ids.length; ++i) {
      const key = pairKey(cells.owner[i], cells.node[i]);
      let pair = this.pairIds.get(key);
      if (pair === undefined) {
        pair = this.pairs.owner.length;
        this.pairs.owner.push(cells.owner[i]);
        this.pairs.node.push(cells.node[i]);
        this.pairIds.set(key, pair);
      }
      ids[i] = pair;
    }
    return ids;
  }

  // Returns the rank of each frame in the order of the texts, so that a function keeps its place among its siblings.
  frameRanks() {
    if (this.ranks !== null) return this.ranks;
    const count = this.frames.name.length;
    const columns = [this.frames.name.data, this.frames.module.data, this.frames.file.data];
    const line = this.frames.line.data;
    const compare = (a, b) => {
      for (const column of columns) {
        if (column[a] !== column[b]) return this.strings[column[a]] < this.strings[column[b]] ? -1 : 1;
      }
      return line[a] - line[b] || a - b;
    };
    const order = Int32Array.from({length: count}, (_, i) => i);
    // A page on disk has its frames in this order. Its writer orders texts by code points, so there are exceptions.
    let sorted = 1;
    while (sorted < count && compare(sorted - 1, sorted) < 0) ++sorted;
    if (sorted < count) order.sort(compare);
    this.ranks = new Int32Array(count);
    for (let i = 0; i < count; ++i) this.ranks[order[i]] = i;
    return this.ranks;
  }

  // For each node: its depth, its place in a depth-first walk (siblings by frame rank), and the place after its whole
  // subtree. `nodes` has the node of each place.
  walk() {
    if (this.walked !== null) return this.walked;
    const ranks = this.frameRanks();
    const count = this.nodes.parent.length;
    const parent = this.nodes.parent.data;
    const frame = this.nodes.frame.data;
    const rankOf = (node) => ranks[frame[node]];
    const sizes = new Int32Array(count).fill(1);  // of the subtrees
    for (let node = count - 1; node >= 0; --node) {
      if (parent[node] !== none) sizes[parent[node]] += sizes[node];
    }
    let sorted = new Int32Array(count).map((_, i) => i);
    if (!isWalk(parent, count, rankOf)) {
      sorted = countingSort(sorted, rankOf, ranks.length);
      sorted = countingSort(sorted, (node) => parent[node] + 1, count + 1);
    }
    const next = new Int32Array(count + 1);  // the place of the next child: of the roots, then of each node
    const order = new Int32Array(count);
    const depth = new Int32Array(count);
    const nodes = new Int32Array(count);
    // Parents come before their children, and siblings are in the order of their ranks.
    for (const node of sorted) {
      order[node] = next[parent[node] + 1];
      nodes[order[node]] = node;
      next[parent[node] + 1] += sizes[node];
      next[node + 1] = order[node] + 1;
      depth[node] = parent[node] === none ? 0 : depth[parent[node]] + 1;
    }
    const behind = order.map((place, node) => place + sizes[node]);
    this.walked = {order, depth, behind, nodes};
    return this.walked;
  }

  frame(id) {
    const {name, module, file, line, kind} = this.frames;
    return {
      name: this.strings[name.data[id]],
      module: this.strings[module.data[id]],
      file: this.strings[file.data[id]],
      line: line.data[id],
      kind: kind.data[id],
    };
  }
  // A key of the frame that is the same in every table.
  frameKey(id) {
    const {name, module, file, line, kind} = this.frame(id);
    return [name, module, file, line, kind].join('\n');
  }
}

// Whether the nodes have the order of the walk, as in a page on disk.
function isWalk(parent, count, rankOf) {
  let at = none;  // the node before
  for (let node = 0; node < count; ++node) {
    let sibling = none;
    while (at !== parent[node]) {
      if (at === none) return false;
      sibling = at;
      at = parent[at];
    }
    if (sibling !== none && rankOf(sibling) >= rankOf(node)) return false;
    at = node;
  }
  return true;
}

// The value of a pair; 0 beyond the end of a vector, and if there is no vector.
function valueAt(vector, pair) {
  return vector !== null && pair < vector.length ? vector[pair] : 0;
}

// The pairs of the wanted owners that have a value, now or before.
function pairsWithValue(table, {values, before, wanted}) {
  const owner = table.pairs.owner.data;
  const chosen = new Column(Int32Array);
  for (let pair = 0; pair < table.pairs.owner.length; ++pair) {
    if (wanted !== null && !wanted[owner[pair]]) continue;
    if (valueAt(values, pair) || valueAt(before, pair)) chosen.push(pair);
  }
  return chosen.data.subarray(0, chosen.length);
}

// Calls `act(pair, owner)` for each pair of the wanted owners that has a value.
function eachPair(table, values, wanted, act) {
  const owner = table.pairs.owner.data;
  const end = Math.min(table.pairs.owner.length, values.length);
  for (let pair = 0; pair < end; ++pair) {
    if (wanted === null || wanted[owner[pair]]) act(pair, owner[pair]);
  }
}

// Finds the end of the first items of a range by binary search. `isFirst` holds for them alone, and there is at least
// one.
function endOfFirst(begin, end, isFirst) {
  let low = begin;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isFirst(middle)) low = middle;
    else high = middle;
  }
  return high;
}

// A function that computes the answer for each key once.
function remembered(compute) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}

function pairKey(owner, node) {
  return owner * 2 ** 32 + node + 1;
}
