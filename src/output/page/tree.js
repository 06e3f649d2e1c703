// From amounts to boxes: the stacks of those who are wanted, from the root or from the leaf, with their processes and
// threads below them or not. Boxes are grown in the order of a walk through the finished tree, siblings by their names, for then one
// pass more puts all of them in their places, however many there are.

const wholeCode = -1;
// What a box stands for, as one number: a frame, or below -1 a process (even) or a thread (odd).
const codeOfProcess = (process) => -2 - 2 * process;
const codeOfThread = (thread) => -3 - 2 * thread;

// Boxes with their depths, each before those that stand on it.
class Growth {
  constructor(comparing, root = wholeCode) {
    this.depth = new Int32Array(1024);
    this.code = new Int32Array(1024);
    this.value = new Float64Array(1024);
    this.before = comparing ? new Float64Array(1024) : null;
    this.length = 0;
    this.add(0, root);
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

// The pairs of which there is anything, in the order of a walk; those of a process or a thread together where wanted.
function selectPairs(table, {values, before, wanted}, grouping) {
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
  let pairs = countingSort(chosen.data.subarray(0, chosen.length), placeOf, order.length + 1);
  for (const {groups} of grouping.slice().reverse()) {
    const ranks = groups.ranks();
    const of = groups.of.data;
    pairs = countingSort(pairs, (pair) => ranks[of[owner.data[pair]]], ranks.length);
  }
  return pairs;
}

// Calls `grow(begin, end, depth)` for the pairs of each process or thread, above its box; or for all, above the root.
function eachGroup(table, {pairs, grouping}, growth, grow, {begin, end, depth}) {
  const [outer, ...inner] = grouping;
  if (outer === undefined) return grow(begin, end, depth);
  const owner = table.pairs.owner.data;
  const of = outer.groups.of.data;
  for (let from = begin, to = begin; from < end; from = to) {
    const group = of[owner[pairs[from]]];
    while (to < end && of[owner[pairs[to]]] === group) ++to;
    growth.add(depth, outer.codeOf(group));
    eachGroup(table, {pairs, grouping: inner}, growth, grow, {begin: from, end: to, depth: depth + 1});
  }
}

function growFromRoot(table, grouped, amounts, growth) {
  const {pairs} = grouped;
  const parent = table.nodes.parent.data;
  const frame = table.nodes.frame.data;
  const node = table.pairs.node.data;
  const {depth} = table.walk();
  const grow = (begin, end, bottom) => {
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
  };
  eachGroup(table, grouped, growth, grow, {begin: 0, end: pairs.length, depth: 1});
}

// The stacks merged from their leaves: those of a box are parted by the next frame on their way to the root, again and
// again, each box with no more than one look at each of its stacks.
function growFromLeaf(table, grouped, amounts, growth) {
  const {pairs} = grouped;
  const parting = new Parting(table, pairs, pairs.map((pair) => table.pairs.node.data[pair]), amounts, growth);
  const grow = (begin, end, bottom) => parting.run(begin, end, bottom);
  eachGroup(table, grouped, growth, grow, {begin: 0, end: pairs.length, depth: 1});
}

class Parting {
  // `at`: from which node each of `order` goes to the root; both are used up.
  constructor(table, order, at, amounts, growth) {
    Object.assign(this, {order, at, amounts, growth});
    this.ranks = table.frameRanks();
    this.parentOf = table.nodes.parent.data;
    this.frameOf = table.nodes.frame.data;
    this.seenIn = new Int32Array(table.frames.name.length);      // by frame: in which parting
    this.place = new Int32Array(table.frames.name.length);       // where the next stack with it goes
    this.parted = 0;
    this.spareOrder = new Int32Array(order.length);
    this.spareAt = new Int32Array(order.length);
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

// How much there is of each pair, whoever is asked about.
function readerOf({values, before}) {
  return {
    of: (pair) => (pair < values.length ? values[pair] : 0),
    before: before === null ? () => 0 : (pair) => (pair < before.length ? before[pair] : 0),
  };
}

// The groups of owners that stand below the stacks, the outer first.
function groupingOf(table, {byProcess, byThread}) {
  const grouping = [];
  if (byProcess) grouping.push({groups: table.processes, codeOf: codeOfProcess});
  if (byThread) grouping.push({groups: table.threads, codeOf: codeOfThread});
  return grouping;
}

// `swapped`: `before` are the amounts of now.
function treeOf(table, amounts, {byProcess, byThread, inverted, heaviest}) {
  const growth = new Growth(amounts.before !== null);
  const grouping = groupingOf(table, {byProcess, byThread});
  const pairs = selectPairs(table, amounts, grouping);
  (inverted ? growFromLeaf : growFromRoot)(table, {pairs, grouping}, readerOf(amounts), growth);
  addUpAll(growth);
  return new Tree(table, [growth], {inverted, swapped: amounts.swapped, heaviest});
}
function addUpAll(growth) {
  addUp(growth.value, growth);
  if (growth.before !== null) addUp(growth.before, growth);
}

// Of all there is, how much has a frame that matches anywhere on its stack, or an owner that does: each stack counts
// once however many of its frames match.
function matchedAmount(table, {values, wanted}, {frames, processes, threads}) {
  const parent = table.nodes.parent.data;
  const frame = table.nodes.frame.data;
  const matched = new Uint8Array(table.nodes.parent.length);
  for (let node = 0; node < matched.length; ++node) {
    matched[node] = frames[frame[node]] | (parent[node] === none ? 0 : matched[parent[node]]);
  }
  const processOf = table.processes.of.data;
  const threadOf = table.threads.of.data;
  let sum = 0;
  const {owner, node} = table.pairs;
  const end = Math.min(owner.length, values.length);
  for (let pair = 0; pair < end; ++pair) {
    const who = owner.data[pair];
    if (wanted !== null && !wanted[who]) continue;
    const at = node.data[pair];
    if ((at !== none && matched[at]) || processes[processOf[who]] || threads[threadOf[who]]) sum += values[pair];
  }
  return sum;
}
