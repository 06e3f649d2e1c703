// What was sampled, as columns of numbers: frames, who was seen, the tree of stacks, and the pairs of an owner and a
// stack. How much was seen of each pair is a vector beside it, so that windows, pauses and comparisons are vectors over
// the same pairs. Arrays of numbers because a profile of 100,000 stacks has a million nodes.

const none = -1;

// Grows; `data` is longer than `length`.
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

// The numbers of FlameKind.
const kinds = {user: 0, kernel: 1, inlined: 2, jit: 3, unnamed: 4, tag: 5, owner: 6};

class Table {
  // `byName`: processes of one name are one, for in two runs that are compared the numbers are others.
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
    this.pairIds = null;  // made when first needed: a file without a comparison needs none
    // Processes as they are drawn: each name and number once.
    this.processes = [];  // {name, label, key}
    this.processIds = new Map();
    this.processOf = new Column(Int32Array);  // by owner
    this.ranks = null;  // these three are made when needed
    this.ranksOfProcesses = null;
    this.walked = null;
  }

  // Rows as the data has them, behind those that are there.
  append(rows) {
    for (const text of rows.strings) this.strings.push(text);
    for (const group of ['frames', 'owners', 'nodes']) {
      for (const [name, column] of Object.entries(this[group])) column.append(rows[group][name]);
    }
    if (rows.frames.name.length !== 0) this.ranks = null;
    if (rows.nodes.frame.length !== 0) this.walked = null;
    for (let owner = this.processOf.length; owner < this.owners.pid.length; ++owner) {
      this.processOf.push(this.processId(owner));
    }
  }

  processId(owner) {
    const name = this.strings[this.owners.process.data[owner]];
    const pid = this.byName ? 0 : this.owners.pid.data[owner];
    const key = `${pid} ${name}`;
    let id = this.processIds.get(key);
    if (id === undefined) {
      id = this.processes.length;
      this.processes.push({name, label: pid === 0 ? name : `${name} (${pid})`, key});
      this.processIds.set(key, id);
      this.ranksOfProcesses = null;
    }
    return id;
  }

  // Names of what may be filtered by, the same in every table: "185 dd", "186 dd-writer", "3".
  processKey(owner) {
    return this.processes[this.processOf.data[owner]].key;
  }
  cpuKey(owner) {
    return String(this.owners.cpu.data[owner]);
  }
  threadKey(owner) {
    return `${this.threadNumber(owner)} ${this.strings[this.owners.thread.data[owner]]}`;
  }
  threadNumber(owner) {
    return this.byName ? 0 : this.owners.tid.data[owner];
  }
  threadLabel(owner) {
    const tid = this.threadNumber(owner);
    const name = this.strings[this.owners.thread.data[owner]];
    return tid === 0 ? name : `${name} (${tid})`;
  }

  // The pairs of `cells`, made when new. `repeated`: one may be there several times; the data has each but once.
  pairsOf(cells, repeated = false) {
    const ids = new Int32Array(cells.value.length);
    for (let i = 0; i < ids.length; ++i) {
      if (!(cells.node[i] < this.nodes.parent.length && cells.owner[i] < this.processOf.length)) {
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

  // The place of each frame among all in the order of their texts, so that a function keeps its place among its siblings.
  frameRanks() {
    if (this.ranks !== null) return this.ranks;
    const count = this.frames.name.length;
    const columns = [this.frames.name.data, this.frames.module.data, this.frames.file.data];
    const line = this.frames.line.data;
    const order = Array.from({length: count}, (_, i) => i).sort((a, b) => {
      for (const column of columns) {
        if (column[a] !== column[b]) return this.strings[column[a]] < this.strings[column[b]] ? -1 : 1;
      }
      return line[a] - line[b] || a - b;
    });
    this.ranks = new Int32Array(count);
    for (let i = 0; i < count; ++i) this.ranks[order[i]] = i;
    return this.ranks;
  }
  processRanks() {
    if (this.ranksOfProcesses !== null) return this.ranksOfProcesses;
    const order = this.processes.map((_, id) => id);
    order.sort((a, b) => (this.processes[a].label < this.processes[b].label ? -1 : 1));
    this.ranksOfProcesses = new Int32Array(order.length);
    order.forEach((id, rank) => (this.ranksOfProcesses[id] = rank));
    return this.ranksOfProcesses;
  }

  // Of each node, its depth and its place in a walk through all of them, siblings in the order of their frames' ranks.
  walk() {
    if (this.walked !== null) return this.walked;
    const ranks = this.frameRanks();
    const count = this.nodes.parent.length;
    const parent = this.nodes.parent.data;
    const frame = this.nodes.frame.data;
    const byRank = countingSort(new Int32Array(count).map((_, i) => i), (node) => ranks[frame[node]], ranks.length);
    // The children of a node as a chain, with the roots' in front of all.
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
    this.walked = {order, depth};
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
  // Names a frame, the same in every table.
  frameKey(id) {
    const {name, module, file, line, kind} = this.frame(id);
    return [name, module, file, line, kind].join('\n');
  }
}

function pairKey(owner, node) {
  return owner * 2 ** 32 + node + 1;
}

// Adds `cells` to a vector, which is returned as it may have to grow.
function addTo(vector, pairs, values, pairCount) {
  let sums = vector;
  if (sums.length < pairCount) {
    sums = new Float64Array(Math.max(pairCount, vector.length * 2));
    sums.set(vector);
  }
  for (let i = 0; i < pairs.length; ++i) sums[pairs[i]] += values[i];
  return sums;
}

function vectorOf(table, cells) {
  const pairs = table.pairsOf(cells);
  return addTo(new Float64Array(0), pairs, cells.value, table.pairs.owner.length);
}

// The same amounts in the numbering of another table, by what things are called. The server makes its table smaller now and
// then: a stack that is there no more becomes the part of it that is, as it does there. `lost` is what was of processes
// that are not there.
function carried(vector, from, to) {
  const nodeOf = carriedNodes(from, to);
  const ownerOf = carriedOwners(from, to);
  const cells = {owner: [], node: [], value: []};
  let lost = 0;
  for (let pair = 0; pair < vector.length; ++pair) {
    if (vector[pair] === 0) continue;
    const owner = ownerOf(from.pairs.owner.data[pair]);
    const node = from.pairs.node.data[pair];
    if (owner === undefined) {
      lost += vector[pair];
      continue;
    }
    cells.owner.push(owner);
    cells.node.push(node === none ? none : nodeOf[node]);
    cells.value.push(vector[pair]);
  }
  const pairs = to.pairsOf(cells, true);
  return {vector: addTo(new Float64Array(0), pairs, cells.value, to.pairs.owner.length), lost};
}

function carriedNodes(from, to) {
  const frames = new Map();
  for (let frame = 0; frame < to.frames.name.length; ++frame) frames.set(to.frameKey(frame), frame);
  const children = new Map();
  const {parent, frame} = to.nodes;
  for (let node = 0; node < parent.length; ++node) children.set(pairKey(parent.data[node] + 1, frame.data[node]), node);
  const count = from.nodes.parent.length;
  const nodeOf = new Int32Array(count);
  const isWhole = new Uint8Array(count);
  const frameOf = Array.from({length: from.frames.name.length}, (_, id) => frames.get(from.frameKey(id)));
  for (let node = 0; node < count; ++node) {
    const below = from.nodes.parent.data[node];
    const known = frameOf[from.nodes.frame.data[node]];
    const bottom = below === none ? none : nodeOf[below];
    const hasWay = (below === none || isWhole[below] === 1) && known !== undefined;
    const found = hasWay ? children.get(pairKey(bottom + 1, known)) : undefined;
    isWhole[node] = found === undefined ? 0 : 1;
    nodeOf[node] = found === undefined ? bottom : found;
  }
  return nodeOf;
}

// By all that an owner is, or else any of the same process.
function carriedOwners(from, to) {
  const whole = (table, owner) => [table.processKey(owner), table.threadKey(owner), table.cpuKey(owner)].join('\n');
  const owners = new Map();
  for (let owner = to.processOf.length - 1; owner >= 0; --owner) {
    owners.set(to.processKey(owner), owner);
    owners.set(whole(to, owner), owner);
  }
  return (owner) => {
    const exact = owners.get(whole(from, owner));
    return exact !== undefined ? exact : owners.get(from.processKey(owner));
  };
}
