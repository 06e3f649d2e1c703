// The samples as columns of numbers: frames, owners, the tree of stacks, and pairs of an owner and a stack. The values
// of the pairs are separate vectors, so windows, pauses and comparisons are vectors over the same pairs. Arrays of
// numbers are needed because a profile of 100,000 stacks has a million nodes.

const none = -1;

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

// The number of each FlameKind, by name.
const kinds = Object.fromEntries(kindTable.map(({key}, number) => [key, number]));

// Processes or threads as they are drawn, one for each pair of name and number.
class Groups {
  constructor() {
    this.items = [];  // {name, label, key}
    this.ids = new Map();
    this.of = new Column(Int32Array);  // by owner
    this.ordered = null;
  }
  // Adds the group of the next owner.
  add(name, number) {
    const key = `${number} ${name}`;
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.items.length;
      this.items.push({name, label: number === 0 ? name : `${name} (${number})`, key});
      this.ids.set(key, id);
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
    this.frames = {
      name: new Column(Int32Array),
      module: new Column(Int32Array),
      file: new Column(Int32Array),
      line: new Column(Uint32Array),
      kind: new Column(Uint8Array),
    };
    this.owners = {
      process: new Column(Int32Array),
      pid: new Column(Uint32Array),
      thread: new Column(Int32Array),
      tid: new Column(Uint32Array),
      cpu: new Column(Int32Array),
    };
    this.nodes = {parent: new Column(Int32Array), frame: new Column(Int32Array)};
    this.pairs = {owner: new Column(Int32Array), node: new Column(Int32Array)};
    this.pairIds = null;  // made when first needed; a file without a comparison needs none
    this.processes = new Groups();
    this.threads = new Groups();
    this.ranks = null;  // made when needed, as `walked`
    this.walked = null;
    this.keys = new Map();  // by frame
    this.functions = new Functions(this);
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
  processKey(owner) {
    return this.processes.itemOf(owner).key;
  }
  threadKey(owner) {
    return this.threads.itemOf(owner).key;
  }
  cpuKey(owner) {
    return String(this.owners.cpu.data[owner]);
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
  // subtree.
  walk() {
    if (this.walked !== null) return this.walked;
    const ranks = this.frameRanks();
    const count = this.nodes.parent.length;
    const parent = this.nodes.parent.data;
    const frame = this.nodes.frame.data;
    this.walked = walkInOrder(parent, count, (node) => ranks[frame[node]]);
    if (this.walked !== null) return this.walked;
    const byRank = countingSort(new Int32Array(count).map((_, i) => i), (node) => ranks[frame[node]], ranks.length);
    // The children of each node as a linked list. Index 0 of `head` has the roots.
    const head = new Int32Array(count + 1).fill(none);
    const next = new Int32Array(count);
    for (let i = count - 1; i >= 0; --i) {
      const node = byRank[i];
      next[node] = head[parent[node] + 1];
      head[parent[node] + 1] = node;
    }
    const order = new Int32Array(count);
    const depth = new Int32Array(count);
    let place = 0;
    let at = head[0];
    while (at !== none) {
      order[at] = place++;
      depth[at] = parent[at] === none ? 0 : depth[parent[at]] + 1;
      if (head[at + 1] !== none) {
        at = head[at + 1];
        continue;
      }
      while (at !== none && next[at] === none) at = parent[at];
      if (at !== none) at = next[at];
    }
    const behind = order.map((at) => at + 1);
    for (let node = count - 1; node >= 0; --node) {
      if (parent[node] !== none) behind[parent[node]] = Math.max(behind[parent[node]], behind[node]);
    }
    this.walked = {order, depth, behind};
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
  // A short form of the same key, for links.
  shortKey(id) {
    let key = this.keys.get(id);
    if (key === undefined) this.keys.set(id, (key = shortKeyOf(this.frameKey(id))));
    return key;
  }
}

// Returns what Table.walk() returns if the nodes have the order of the walk, as in a page on disk; otherwise null.
function walkInOrder(parent, count, rankOf) {
  const order = new Int32Array(count);
  const depth = new Int32Array(count);
  const behind = new Int32Array(count);
  let at = none;  // the node before
  for (let node = 0; node < count; ++node) {
    order[node] = node;
    let sibling = none;
    while (at !== parent[node]) {
      if (at === none) return null;
      behind[at] = node;
      sibling = at;
      at = parent[at];
    }
    if (sibling !== none && rankOf(sibling) >= rankOf(node)) return null;
    depth[node] = at === none ? 0 : depth[at] + 1;
    at = node;
  }
  for (; at !== none; at = parent[at]) behind[at] = count;
  return {order, depth, behind};
}

function pairKey(owner, node) {
  return owner * 2 ** 32 + node + 1;
}
