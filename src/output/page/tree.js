// Makes a tree of boxes from values: the stacks of the wanted owners, from the root or from the leaf, with or without
// processes and threads below them. A box has a range of stacks, and its children are computed on demand: a profile of
// 100,000 stacks has a million boxes, but a screen shows only thousands.

const wholeCode = -1;
// The code of a box: a frame (0 or more), wholeCode for the root, or below it a process (even) or a thread (odd).
const codeOfProcess = (process) => -2 - 2 * process;
const codeOfThread = (thread) => -3 - 2 * thread;

function countingSort(items, keyOf, keys) {
  const ends = new Int32Array(keys + 1);
  for (let i = 0; i < items.length; ++i) ++ends[keyOf(items[i]) + 1];
  for (let key = 0; key < keys; ++key) ends[key + 1] += ends[key];
  const sorted = new Int32Array(items.length);
  for (let i = 0; i < items.length; ++i) sorted[ends[keyOf(items[i])]++] = items[i];
  return sorted;
}

// Returns the pairs with values in the order of a depth-first walk. With `grouping`, the pairs of each process or
// thread are together.
function selectPairs(table, amounts, grouping) {
  const {owner, node} = table.pairs;
  const {order} = table.walk();
  const placeOf = (pair) => (node.data[pair] === none ? 0 : order[node.data[pair]] + 1);
  let pairs = countingSort(pairsWithValue(table, amounts), placeOf, order.length + 1);
  for (const {groups} of grouping.slice().reverse()) {
    const ranks = groups.ranks();
    const of = groups.of.data;
    pairs = countingSort(pairs, (pair) => ranks[of[owner.data[pair]]], ranks.length);
  }
  return pairs;
}

// Each kind of stacks has a `root`, {code, from, to, node, total, before}, and `split(box, add)`. split() calls `add`
// with the same data for each child of `box`, in order, and runs at most once per box.

// Splits a box into its processes or threads. The pairs of each group must be together.
function splitGroups(table, pairs, {groups, codeOf}, {from, to}, add) {
  const owner = table.pairs.owner.data;
  const of = groups.of.data;
  for (let begin = from, end = from; begin < to; begin = end) {
    const group = of[owner[pairs[begin]]];
    while (end < to && of[owner[pairs[end]]] === group) ++end;
    add(codeOf(group), begin, end, none);
  }
}

// Stacks from the root. The pairs of a box are consecutive in the walk, so its total is the difference of two running
// sums.
class FromRoot {
  constructor(table, pairs, grouping, {of, before}) {
    Object.assign(this, {table, pairs, grouping});
    this.sums = runningSums(pairs, of);
    this.sumsBefore = runningSums(pairs, before);
    this.root = this.box(wholeCode, 0, pairs.length, none);
  }
  box(code, from, to, node) {
    const {sums, sumsBefore} = this;
    return {code, from, to, node, total: sums[to] - sums[from], before: sumsBefore[to] - sumsBefore[from]};
  }
  split(box, add) {
    const {table, pairs, grouping} = this;
    const addBox = (...range) => add(this.box(...range));
    if (box.depth < grouping.length) return splitGroups(table, pairs, grouping[box.depth], box, addBox);
    const {order, behind} = table.walk();
    const parent = table.nodes.parent.data;
    const nodeOf = table.pairs.node.data;
    let begin = box.from;
    while (begin < box.to && nodeOf[pairs[begin]] === box.node) ++begin;  // these stacks end in the box
    while (begin < box.to) {
      let child = nodeOf[pairs[begin]];
      while (parent[child] !== box.node) child = parent[child];
      const end = endOfFirst(begin, box.to, (i) => order[nodeOf[pairs[i]]] < behind[child]);
      addBox(table.nodes.frame.data[child], begin, end, child);
      begin = end;
    }
  }
}

function runningSums(items, of) {
  const sums = new Float64Array(items.length + 1);
  for (let i = 0; i < items.length; ++i) sums[i + 1] = sums[i] + of(items[i]);
  return sums;
}

// Splits the items of a box by frame, in place. Frames are in the order of their ranks.
class Parting {
  constructor(table) {
    this.ranks = table.frameRanks();
    this.seenIn = new Int32Array(table.frames.name.length);  // by frame: the last round that has it
    this.found = new Column(Int32Array);                      // the frames of this round
    this.at = new Int32Array(table.frames.name.length);       // by frame: its number, then the place of its next item
    this.totals = new Column(Float64Array);                   // by number
    this.befores = new Column(Float64Array);
    this.round = 0;
  }
  begin() {
    ++this.round;
    this.found.length = this.totals.length = this.befores.length = 0;
    this.sizes = [];
  }
  count(frame, total, before) {
    if (this.seenIn[frame] !== this.round) {
      this.seenIn[frame] = this.round;
      this.at[frame] = this.found.length;
      this.found.push(frame);
      this.totals.push(0);
      this.befores.push(0);
      this.sizes.push(0);
    }
    const number = this.at[frame];
    ++this.sizes[number];
    this.totals.data[number] += total;
    this.befores.data[number] += before;
  }
  // Calls `add` for each frame with its range, which starts at or after `from`. Then placeOf() returns the place of the
  // frame's next item.
  end(from, add) {
    const {ranks, found, sizes, totals, befores, at} = this;
    const order = Array.from(sizes.keys());
    if (order.length > 1) order.sort((a, b) => ranks[found.data[a]] - ranks[found.data[b]]);
    let next = from;
    for (const number of order) {
      const code = found.data[number];
      add({code, from: next, to: next + sizes[number], node: none, total: totals.data[number], before: befores.data[number]});
      at[code] = next;
      next += sizes[number];
    }
  }
  placeOf(frame) {
    return this.at[frame]++;
  }
}

// Stacks merged from the leaves. The stacks of a box are split by the next frame towards the root.
class FromLeaf {
  // `nodes`: for each item, the node where its way to the root starts. `grouping`: groups below the stacks; then the
  // items must be pairs.
  constructor(table, items, nodes, {of, before}, root = wholeCode, grouping = []) {
    Object.assign(this, {table, items, nodes, of, before, grouping});
    this.parting = new Parting(table);
    this.spareItems = new Int32Array(items.length);
    this.spareNodes = new Int32Array(items.length);
    this.root = this.box(root, 0, items.length);
  }
  box(code, from, to) {
    let total = 0;
    let before = 0;
    for (let i = from; i < to; ++i) {
      total += this.of(this.items[i]);
      before += this.before(this.items[i]);
    }
    return {code, from, to, node: none, total, before};
  }
  split(box, add) {
    const {table, items, nodes, parting, grouping, spareItems, spareNodes} = this;
    if (box.depth < grouping.length) {
      return splitGroups(table, items, grouping[box.depth], box, (...range) => add(this.box(...range)));
    }
    const frameOf = table.nodes.frame.data;
    const parentOf = table.nodes.parent.data;
    parting.begin();
    let left = box.from;  // stacks that continue move to the front; the others end in the box
    for (let i = box.from; i < box.to; ++i) {
      if (nodes[i] === none) continue;
      parting.count(frameOf[nodes[i]], this.of(items[i]), this.before(items[i]));
      items[left] = items[i];
      nodes[left++] = nodes[i];
    }
    parting.end(box.from, add);
    for (let i = box.from; i < left; ++i) {
      const to = parting.placeOf(frameOf[nodes[i]]);
      spareItems[to] = items[i];
      spareNodes[to] = parentOf[nodes[i]];
    }
    items.set(spareItems.subarray(box.from, left), box.from);
    nodes.set(spareNodes.subarray(box.from, left), box.from);
  }
}

// With `swapped` in the amounts, `before` holds the current values.
function treeOf(table, amounts, {byProcess, byThread, inverted, heaviest}) {
  const grouping = [];  // the groups of owners below the stacks, the outermost first
  if (byProcess) grouping.push({groups: table.processes, codeOf: codeOfProcess});
  if (byThread) grouping.push({groups: table.threads, codeOf: codeOfThread});
  const pairs = selectPairs(table, amounts, grouping);
  const read = {of: (pair) => valueAt(amounts.values, pair), before: (pair) => valueAt(amounts.before, pair)};
  const nodeOf = table.pairs.node.data;
  const stacks = inverted
    ? new FromLeaf(table, pairs, pairs.map((pair) => nodeOf[pair]), read, wholeCode, grouping)
    : new FromRoot(table, pairs, grouping, read);
  return new Tree(table, [stacks], {inverted, comparing: amounts.before !== null, swapped: amounts.swapped, heaviest});
}

// Returns a function that tells whether the stack or the owner of a pair has a match.
function matchedPairs(table, {frames, processes, threads}) {
  const parent = table.nodes.parent.data;
  const frame = table.nodes.frame.data;
  const matched = new Uint8Array(table.nodes.parent.length);
  for (let node = 0; node < matched.length; ++node) {
    matched[node] = frames[frame[node]] | (parent[node] === none ? 0 : matched[parent[node]]);
  }
  const processOf = table.processes.of.data;
  const threadOf = table.threads.of.data;
  const nodeOf = table.pairs.node.data;
  const owner = table.pairs.owner.data;
  return (pair) => {
    const at = nodeOf[pair];
    return (at !== none && matched[at] !== 0) || processes[processOf[owner[pair]]] !== 0 || threads[threadOf[owner[pair]]] !== 0;
  };
}

// The sum of the stacks that match. Each stack counts once, also with several matches.
function matchedAmount(table, {values, wanted}, matches) {
  const isMatched = matchedPairs(table, matches);
  let sum = 0;
  eachPair(table, values, wanted, (pair) => {
    if (isMatched(pair)) sum += values[pair];
  });
  return sum;
}
