// The boxes of a tree in their places: level by level, from left to right in each. So those that stand on a box are
// together, and what is under the mouse is found by bisection.

class Tree {
  // What has nothing in it, for it was there before only, is left out.
  constructor(table, growth, {inverted, swapped}) {
    this.table = table;
    this.inverted = inverted;
    this.swapped = swapped;
    this.comparing = growth.before !== null;
    this.levels = levelsOf(growth);  // where each begins, and the end
    const count = this.levels[this.levels.length - 1];
    this.count = count;
    this.parent = new Int32Array(count);
    this.code = new Int32Array(count);
    this.start = new Float64Array(count);
    this.total = new Float64Array(count);
    this.before = this.comparing ? new Float64Array(count) : null;
    this.first = new Int32Array(count + 1).fill(count);  // of those on it; they end where the next one's begin
    this.place(growth);
  }

  place(growth) {
    const next = this.levels.slice();  // by depth: the number of the box that comes next
    const x = new Float64Array(this.levels.length + 1);  // by depth: where it begins
    const {depth, code, value, before} = growth;
    for (let i = 0; i < growth.length; ++i) {
      const total = value[i];
      if (total === 0 && i !== 0) continue;
      const at = depth[i];
      const box = next[at]++;
      this.parent[box] = at === 0 ? none : next[at - 1] - 1;
      this.code[box] = code[i];
      this.total[box] = total;
      this.start[box] = x[at];
      x[at + 1] = x[at];
      x[at] += total;
      if (before !== null) this.before[box] = before[i];
      this.first[box] = next[at + 1];
    }
  }

  get depth() {
    return this.levels.length - 1;
  }
  depthOf(box) {
    let depth = 0;
    while (box >= this.levels[depth + 1]) ++depth;
    return depth;
  }
  isFrame(box) {
    return this.code[box] >= 0;
  }
  isProcess(box) {
    return this.code[box] < wholeCode;
  }
  processOf(box) {
    return codeOfProcess(this.code[box]);  // it is its own inverse
  }
  kindOf(box) {
    return this.isFrame(box) ? this.table.frames.kind.data[this.code[box]] : kinds.owner;
  }
  nameOf(box) {
    if (this.isFrame(box)) return this.table.strings[this.table.frames.name.data[this.code[box]]];
    return this.isProcess(box) ? this.table.processes[this.processOf(box)].label : 'all';
  }
  // What has it at the leaf; of no meaning from the leaf.
  selfOf(box) {
    let self = this.total[box];
    for (let child = this.first[box]; child < this.first[box + 1]; ++child) self -= this.total[child];
    return self;
  }
  shareOf(box) {
    return this.total[0] === 0 ? 0 : this.total[box] / this.total[0];
  }
  // In a comparison: before and now, whichever of them is drawn.
  sharesCompared(box) {
    const other = this.before[0] === 0 ? 0 : this.before[box] / this.before[0];
    return this.swapped ? [this.shareOf(box), other] : [other, this.shareOf(box)];
  }

  // The box of a level at which `value` stands; none when there is a gap.
  boxAt(depth, value) {
    if (depth < 0 || depth >= this.depth) return none;
    let low = this.levels[depth];
    let high = this.levels[depth + 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.start[middle] <= value) low = middle;
      else high = middle;
    }
    return this.start[low] <= value && value < this.start[low] + this.total[low] ? low : none;
  }

  // From above the root to the box.
  lineOf(box) {
    const line = [];
    for (let at = box; at > 0; at = this.parent[at]) line.push(at);
    return line.reverse();
  }
  // What finds the box again in another tree, of other data too.
  pathOf(box) {
    return this.lineOf(box).map((at) => this.keyOf(at));
  }
  keyOf(box) {
    if (!this.isFrame(box)) return this.table.processes[this.processOf(box)].key;
    return this.table.frameKey(this.code[box]);
  }
  // The box of a path, or the one that comes nearest.
  find(path) {
    let box = 0;
    for (const key of path) {
      let child = this.first[box];
      const end = this.first[box + 1];
      while (child < end && this.keyOf(child) !== key) ++child;
      if (child === end) break;
      box = child;
    }
    return box;
  }
}

function levelsOf({depth, value, length}) {
  const sizes = [1];  // the root is there however little is in it
  for (let i = 1; i < length; ++i) {
    if (value[i] === 0) continue;
    const at = depth[i];
    while (sizes.length <= at) sizes.push(0);
    ++sizes[at];
  }
  const levels = [0];
  for (const size of sizes) levels.push(levels[levels.length - 1] + size);
  return levels;
}
