// The boxes of a tree. The children of a box are made together when they are first needed. They have consecutive
// numbers, all larger than the number of their parent.

class Tree {
  // `stacks`: one kind of stacks, or two with the same root for a sandwich: callees, then callers. Boxes with a total
  // of 0 (only the earlier profile has them) are left out. `whole`: the total for shares, if it is not the root's.
  constructor(table, stacks, {inverted = false, comparing, swapped = false, heaviest = false, whole, wholeBefore}) {
    Object.assign(this, {table, stacks, inverted, comparing, swapped, heaviest});
    const room = 1024;
    this.count = 0;
    for (const [name, type] of boxColumns) this[name] = new type(room);
    stacks.forEach(({root}, half) => this.add(root, none, half));
    this.callers = stacks.length === 2 ? 1 : none;  // the root of the callers
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
  // Returns the numbers of the children of a box: {first, end}.
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
  isFrame(box) {
    return this.code[box] >= 0;
  }
  // A group is a process or a thread.
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
  // The part of the total whose leaf is this box. It has no meaning in an inverted tree and among callers.
  selfOf(box) {
    const {first, end} = this.childrenOf(box);
    let self = this.total[box];
    for (let child = first; child < end; ++child) self -= this.total[child];
    return self;
  }
  shareOf(box) {
    return this.whole === 0 ? 0 : this.total[box] / this.whole;
  }
  // In a comparison: the share before and the share now, also when they are swapped.
  sharesCompared(box) {
    const other = this.wholeBefore === 0 ? 0 : this.before[box] / this.wholeBefore;
    return this.swapped ? [this.shareOf(box), other] : [other, this.shareOf(box)];
  }

  // In a comparison: whether the change of the box's function may be chance.
  isUnsure(box) {
    return Boolean(this.unsure) && this.isFrame(box) && this.unsure[this.table.functions.of.data[this.code[box]]] === 1;
  }

  // The boxes from the root (without it) to the box.
  lineOf(box) {
    const line = [];
    for (let at = box; this.parent[at] !== none; at = this.parent[at]) line.push(at);
    return line.reverse();
  }
  // A path finds the box again in another tree, also one of other data.
  pathOf(box) {
    const path = this.lineOf(box).map((at) => this.keyOf(at));
    return this.isCaller(box) && path.length !== 0 ? [callersKey, ...path] : path;
  }
  keyOf(box) {
    if (this.isFrame(box)) return this.table.shortKey(this.code[box]);
    return `${this.isThread(box) ? 't' : 'p'}-${shortKeyOf(this.groupOf(box).key)}`;
  }
  // Returns the box of a path, or the last box on the way to it that exists.
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
// The columns of a box. `from`, `to` and `node` belong to its stacks; `first` and `end` are its children (`first` is
// `none` until they are made); `depth` is the distance from the root.
const boxColumns = Object.entries({
  code: Int32Array, from: Int32Array, to: Int32Array, node: Int32Array, total: Float64Array, before: Float64Array,
  start: Float64Array, parent: Int32Array, half: Uint8Array, depth: Int32Array, first: Int32Array, end: Int32Array,
});
// The first key in the path of a caller.
const callersKey = '-';
