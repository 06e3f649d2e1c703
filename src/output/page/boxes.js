// The boxes of a tree, each made with its siblings when what they stand on is looked at for the first time. Those that stand
// on a box are together and have larger numbers than the box.

class Tree {
  // `stacks`: one, or two with the same root, as a sandwich has: what is called, and those who call. What has nothing in
  // it, because it was there before only, is left out. `whole`: what shares are of, if not of the root.
  constructor(table, stacks, {inverted = false, comparing, swapped = false, heaviest = false, whole, wholeBefore}) {
    Object.assign(this, {table, stacks, inverted, comparing, swapped, heaviest});
    const room = 1024;
    this.count = 0;
    for (const [name, type] of boxColumns) this[name] = new type(room);
    stacks.forEach(({root}, half) => this.add(root, none, half));
    this.callers = stacks.length === 2 ? 1 : none;  // the root of those who call
    this.whole = whole === undefined ? this.total[0] : whole;
    this.wholeBefore = !comparing ? 0 : wholeBefore === undefined ? this.before[0] : wholeBefore;
  }

  add({code, from, to, node, total, before}, parent, half) {
    if (this.count === this.code.length) this.enlarge();
    const box = this.count++;
    this.code[box] = code;
    this.from[box] = from;
    this.to[box] = to;
    this.node[box] = node;
    this.total[box] = total;
    this.before[box] = before;
    this.parent[box] = parent;
    this.half[box] = half;
    this.depth[box] = parent === none ? 0 : this.depth[parent] + 1;
    this.first[box] = none;
    return box;
  }
  enlarge() {
    for (const [name, type] of boxColumns) {
      const old = this[name];
      this[name] = new type(old.length * 2);
      this[name].set(old);
    }
  }
  // The numbers of those that stand on the box: {first, end}.
  childrenOf(box) {
    if (this.first[box] === none) this.split(box);
    return {first: this.first[box], end: this.end[box]};
  }
  split(box) {
    const found = [];
    const {depth, from, to, node} = this;
    const half = this.half[box];
    this.stacks[half].split({depth: depth[box], from: from[box], to: to[box], node: node[box]}, (child) => {
      if (child.total !== 0) found.push(child);
    });
    if (this.heaviest) found.sort((a, b) => b.total - a.total);
    this.first[box] = this.count;
    let x = this.start[box];
    for (const child of found) {
      const added = this.add(child, box, half);
      this.start[added] = x;
      x += child.total;
    }
    this.end[box] = this.count;
  }

  isCaller(box) {
    return this.half[box] === 1;
  }
  // From its root.
  depthOf(box) {
    return this.depth[box];
  }
  isFrame(box) {
    return this.code[box] >= 0;
  }
  // A process or a thread.
  isGroup(box) {
    return this.code[box] < wholeCode;
  }
  isThread(box) {
    return this.isGroup(box) && this.code[box] % 2 !== 0;
  }
  groupIdOf(box) {
    return (this.isThread(box) ? codeOfThread(0) - this.code[box] : codeOfProcess(0) - this.code[box]) / 2;
  }
  groupOf(box) {
    return (this.isThread(box) ? this.table.threads : this.table.processes).items[this.groupIdOf(box)];
  }
  kindOf(box) {
    return this.isFrame(box) ? this.table.frames.kind.data[this.code[box]] : kinds.owner;
  }
  nameOf(box) {
    if (this.isFrame(box)) return this.table.strings[this.table.frames.name.data[this.code[box]]];
    return this.isGroup(box) ? this.groupOf(box).label : 'all';
  }
  // What has it at the leaf; of no meaning from the leaf and among those who call.
  selfOf(box) {
    const {first, end} = this.childrenOf(box);
    let self = this.total[box];
    for (let child = first; child < end; ++child) self -= this.total[child];
    return self;
  }
  shareOf(box) {
    return this.whole === 0 ? 0 : this.total[box] / this.whole;
  }
  // In a comparison: before and now, whichever of them is drawn.
  sharesCompared(box) {
    const other = this.wholeBefore === 0 ? 0 : this.before[box] / this.wholeBefore;
    return this.swapped ? [this.shareOf(box), other] : [other, this.shareOf(box)];
  }

  // From above the root to the box.
  lineOf(box) {
    const line = [];
    for (let at = box; this.parent[at] !== none; at = this.parent[at]) line.push(at);
    return line.reverse();
  }
  // What finds the box again in another tree, of other data too.
  pathOf(box) {
    const path = this.lineOf(box).map((at) => this.keyOf(at));
    return this.isCaller(box) && path.length !== 0 ? [callersKey, ...path] : path;
  }
  keyOf(box) {
    if (this.isFrame(box)) return this.table.shortKey(this.code[box]);
    return `${this.isThread(box) ? 't' : 'p'}-${shortKeyOf(this.groupOf(box).key)}`;
  }
  // The box of a path, or the one that comes nearest.
  find(path) {
    const isOfCallers = this.callers !== none && path[0] === callersKey;
    let box = isOfCallers ? this.callers : 0;
    for (const key of isOfCallers ? path.slice(1) : path) {
      const {first, end} = this.childrenOf(box);
      let child = first;
      while (child < end && this.keyOf(child) !== key) ++child;
      if (child === end) break;
      box = child;
    }
    return this.parent[box] === none ? 0 : box;
  }
}
// Of each box. `from`, `to` and `node` are what its stacks know it by; `first` and `end` of its children, or `none`.
const boxColumns = Object.entries({
  code: Int32Array, from: Int32Array, to: Int32Array, node: Int32Array, total: Float64Array, before: Float64Array,
  start: Float64Array, parent: Int32Array, half: Uint8Array, depth: Int32Array, first: Int32Array, end: Int32Array,
});
// Begins the path of a box among those who call.
const callersKey = '-';
