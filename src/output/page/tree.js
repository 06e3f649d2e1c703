// From amounts to boxes: the stacks of those who are wanted, from the root or from the leaf, with the processes below
// them or not. Boxes are grown in the order of a walk through the finished tree, siblings by their names, for then one
// pass more puts all of them in their places, however many there are.

const wholeCode = -1;
// What a box stands for, as one number: a frame, or a process below -1.
const codeOfProcess = (process) => -2 - process;

// Boxes with their depths, each before those that stand on it.
class Growth {
  constructor(comparing) {
    this.depth = new Int32Array(1024);
    this.code = new Int32Array(1024);
    this.value = new Float64Array(1024);
    this.before = comparing ? new Float64Array(1024) : null;
    this.length = 0;
    this.add(0, wholeCode);
  }
  add(depth, code) {
    if (this.length === this.depth.length) this.enlarge();
    this.depth[this.length] = depth;
    this.code[this.length++] = code;
  }
  enlarge() {
    for (const name of ['depth', 'code', 'value', 'before']) {
      const old = this[name];
      if (old === null) continue;
      this[name] = new old.constructor(this.length * 2);
      this[name].set(old);
    }
  }
  // Of the box that was added last.
  count(value, before) {
    this.value[this.length - 1] += value;
    if (this.before !== null) this.before[this.length - 1] += before;
  }
}

function countingSort(items, keyOf, keys) {
  const ends = new Int32Array(keys + 1);
  for (let i = 0; i < items.length; ++i) ++ends[keyOf(items[i]) + 1];
  for (let key = 0; key < keys; ++key) ends[key + 1] += ends[key];
  const sorted = new Int32Array(items.length);
  for (let i = 0; i < items.length; ++i) sorted[ends[keyOf(items[i])]++] = items[i];
  return sorted;
}

// The pairs of which there is anything, in the order of a walk; those of a process together when processes are wanted.
function selectPairs(table, {values, before, wanted}, byProcess) {
  const {owner, node} = table.pairs;
  const chosen = new Column(Int32Array);
  for (let pair = 0; pair < owner.length; ++pair) {
    if (wanted !== null && !wanted[owner.data[pair]]) continue;
    if ((pair < values.length && values[pair]) || (before !== null && pair < before.length && before[pair])) {
      chosen.push(pair);
    }
  }
  const {order} = table.walk();
  const placeOf = (pair) => (node.data[pair] === none ? 0 : order[node.data[pair]] + 1);
  const pairs = countingSort(chosen.data.subarray(0, chosen.length), placeOf, order.length + 1);
  if (!byProcess) return pairs;
  const ranks = table.processRanks();
  return countingSort(pairs, (pair) => ranks[table.processOf.data[owner.data[pair]]], ranks.length);
}

// Calls `grow(begin, end, depth)` for the pairs of each process, above its box; or for all of them, above the root.
function eachProcess(table, pairs, byProcess, growth, grow) {
  if (!byProcess) return grow(0, pairs.length, 1);
  const owner = table.pairs.owner.data;
  const processOf = table.processOf.data;
  for (let begin = 0, end = 0; begin < pairs.length; begin = end) {
    const process = processOf[owner[pairs[begin]]];
    while (end < pairs.length && processOf[owner[pairs[end]]] === process) ++end;
    growth.add(1, codeOfProcess(process));
    grow(begin, end, 2);
  }
}

function growFromRoot(table, pairs, amounts, byProcess, growth) {
  const parent = table.nodes.parent.data;
  const frame = table.nodes.frame.data;
  const node = table.pairs.node.data;
  const {depth} = table.walk();
  eachProcess(table, pairs, byProcess, growth, (begin, end, bottom) => {
    const open = [];  // the nodes whose boxes lead to the one that was grown last
    const path = [];
    for (let i = begin; i < end; ++i) {
      let at = node[pairs[i]];
      while (at !== none && open[depth[at]] !== at) {
        path.push(at);
        at = parent[at];
      }
      while (path.length !== 0) {
        at = path.pop();
        open[depth[at]] = at;
        growth.add(bottom + depth[at], frame[at]);
      }
      growth.count(amounts.of(pairs[i]), amounts.before(pairs[i]));
    }
  });
}

// The stacks merged from their leaves: those of a box are parted by the next frame on their way to the root, again and
// again, each box with no more than one look at each of its stacks.
function growFromLeaf(table, pairs, amounts, byProcess, growth) {
  const parting = new Parting(table, pairs, amounts, growth);
  eachProcess(table, pairs, byProcess, growth, (begin, end, bottom) => parting.run(begin, end, bottom));
}

class Parting {
  constructor(table, pairs, amounts, growth) {
    Object.assign(this, {order: pairs, amounts, growth});
    this.ranks = table.frameRanks();
    this.parentOf = table.nodes.parent.data;
    this.frameOf = table.nodes.frame.data;
    this.at = pairs.map((pair) => table.pairs.node.data[pair]);  // how far each has come
    this.seenIn = new Int32Array(table.frames.name.length);      // by frame: in which parting
    this.place = new Int32Array(table.frames.name.length);       // where the next stack with it goes
    this.parted = 0;
    this.spareOrder = new Int32Array(pairs.length);
    this.spareAt = new Int32Array(pairs.length);
    this.work = [];
  }
  run(begin, end, bottom) {
    this.part(begin, end, bottom);
    while (this.work.length !== 0) {
      const frame = this.work.pop();
      const depth = this.work.pop();
      const to = this.work.pop();
      const from = this.work.pop();
      this.growth.add(depth, frame);
      if (to - from === 1) this.finish(from, depth + 1);
      else this.part(from, to, depth + 1);
    }
  }
  // A stack that nothing shares the rest with.
  finish(i, bottom) {
    let depth = bottom;
    for (let at = this.at[i]; at !== none; at = this.parentOf[at]) this.growth.add(depth++, this.frameOf[at]);
    this.growth.count(this.amounts.of(this.order[i]), this.amounts.before(this.order[i]));
  }
  part(begin, end, depth) {
    const {order, at, seenIn, place, frameOf, ranks} = this;
    const stamp = ++this.parted;
    const found = [];
    let left = begin;  // stacks that go on move to the front; the others end in the box that was added last
    for (let i = begin; i < end; ++i) {
      if (at[i] === none) {
        this.growth.count(this.amounts.of(order[i]), this.amounts.before(order[i]));
        continue;
      }
      const frame = frameOf[at[i]];
      if (seenIn[frame] !== stamp) {
        seenIn[frame] = stamp;
        place[frame] = 0;
        found.push(frame);
      }
      ++place[frame];
      order[left] = order[i];
      at[left++] = at[i];
    }
    // The first to be grown comes last, for work is taken from the end.
    if (found.length > 1) found.sort((a, b) => ranks[b] - ranks[a]);
    let next = begin;
    for (const frame of found) {
      const size = place[frame];
      place[frame] = next;
      this.work.push(next, next + size, depth, frame);
      next += size;
    }
    this.scatter(begin, left);
  }
  // To the places of their frames, one frame further.
  scatter(begin, end) {
    const {order, at, place, frameOf, parentOf, spareOrder, spareAt} = this;
    for (let i = begin; i < end; ++i) {
      const to = place[frameOf[at[i]]]++;
      spareOrder[to] = order[i];
      spareAt[to] = parentOf[at[i]];
    }
    order.set(spareOrder.subarray(begin, end), begin);
    at.set(spareAt.subarray(begin, end), begin);
  }
}

// Of each box with all that stands on it.
function addUp(values, {depth, length}) {
  const above = [];  // by depth: of the boxes that stand on the one whose turn it is
  for (let box = length - 1; box >= 0; --box) {
    const at = depth[box];
    const total = values[box] + (above[at + 1] || 0);
    values[box] = total;
    above[at + 1] = 0;
    above[at] = (above[at] || 0) + total;
  }
}

// `swapped`: `before` are the amounts of now.
function treeOf(table, amounts, {byProcess, inverted}) {
  const {values, before, swapped} = amounts;
  const read = {
    of: (pair) => (pair < values.length ? values[pair] : 0),
    before: before === null ? () => 0 : (pair) => (pair < before.length ? before[pair] : 0),
  };
  const growth = new Growth(before !== null);
  const pairs = selectPairs(table, amounts, byProcess);
  (inverted ? growFromLeaf : growFromRoot)(table, pairs, read, byProcess, growth);
  addUp(growth.value, growth);
  if (growth.before !== null) addUp(growth.before, growth);
  return new Tree(table, growth, {inverted, swapped});
}

// Of all there is, how much has a frame that matches anywhere on its stack, or an owner that does: each stack counts
// once however many of its frames match.
function matchedAmount(table, {values, wanted}, frameMatches, processMatches) {
  const parent = table.nodes.parent.data;
  const frame = table.nodes.frame.data;
  const matched = new Uint8Array(table.nodes.parent.length);
  for (let node = 0; node < matched.length; ++node) {
    matched[node] = frameMatches[frame[node]] | (parent[node] === none ? 0 : matched[parent[node]]);
  }
  let sum = 0;
  const {owner, node} = table.pairs;
  for (let pair = 0; pair < owner.length; ++pair) {
    const who = owner.data[pair];
    if (wanted !== null && !wanted[who]) continue;
    const at = node.data[pair];
    if (!(at !== none && matched[at]) && !processMatches[table.processOf.data[who]]) continue;
    if (pair < values.length) sum += values[pair];
  }
  return sum;
}
