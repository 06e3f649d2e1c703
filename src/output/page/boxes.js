// The boxes of a tree in their places: level by level, from left to right in each. So those that stand on a box are
// together, and what is under the mouse is found by bisection.

class Tree {
  // `growths`: one, or two whose trees have the same root, as a sandwich has: what is called, and those who call. What has
  // nothing in it, for it was there before only, is left out. `whole`: what shares are of, if not of the root.
  constructor(table, growths, {inverted = false, swapped = false, heaviest = false, whole, wholeBefore}) {
    this.table = table;
    this.inverted = inverted;
    this.swapped = swapped;
    this.comparing = growths[0].before !== null;
    this.levels = [0];  // where each begins, and the end
    const starts = growths.map((growth) => {
      const start = this.levels.length - 1;
      this.addLevels(growth);
      return start;
    });
    this.callersLevel = starts.length === 2 ? starts[1] : none;
    this.callers = starts.length === 2 ? this.levels[starts[1]] : none;  // the root of those who call
    const count = this.levels[this.levels.length - 1];
    this.count = count;
    this.parent = new Int32Array(count);
    this.code = new Int32Array(count);
    this.start = new Float64Array(count);
    this.total = new Float64Array(count);
    this.before = this.comparing ? new Float64Array(count) : null;
    this.first = new Int32Array(count);  // of those on it
    this.end = new Int32Array(count);    // behind the last of those
    growths.forEach((growth, i) => this.place(growth, starts[i]));
    if (heaviest) this.sortByWeight();
    this.whole = whole === undefined ? this.total[0] : whole;
    this.wholeBefore = !this.comparing ? 0 : wholeBefore === undefined ? this.before[0] : wholeBefore;
  }

  addLevels({depth, value, length}) {
    const sizes = [1];  // the root is there however little is in it
    for (let i = 1; i < length; ++i) {
      if (value[i] === 0) continue;
      const at = depth[i];
      while (sizes.length <= at) sizes.push(0);
      ++sizes[at];
    }
    for (const size of sizes) this.levels.push(this.levels[this.levels.length - 1] + size);
  }
  place(growth, bottom) {
    const next = this.levels.slice();  // by level: the number of the box that comes next
    const x = new Float64Array(this.levels.length + 1);  // by level: where it begins
    const {depth, code, value, before} = growth;
    for (let i = 0; i < growth.length; ++i) {
      const total = value[i];
      if (total === 0 && i !== 0) continue;
      const at = bottom + depth[i];
      const box = next[at]++;
      this.parent[box] = i === 0 ? none : next[at - 1] - 1;
      this.code[box] = code[i];
      this.total[box] = total;
      this.start[box] = x[at];
      x[at + 1] = x[at];
      x[at] += total;
      if (before !== null) this.before[box] = before[i];
      this.first[box] = this.end[box] = next[at + 1];
      if (i !== 0) this.end[this.parent[box]] = box + 1;
    }
  }
  // The heaviest of siblings first, level by level: a level's boxes go where their parents have gone.
  sortByWeight() {
    const {levels, count} = this;
    const was = {...this};
    const names = ['parent', 'code', 'start', 'total', 'before', 'first', 'end'].filter((name) => this[name] !== null);
    for (const name of names) this[name] = this[name].slice();
    const from = new Int32Array(count);  // by new number: the old one
    for (let level = 0; level + 1 < levels.length; ++level) {
      if (level === 0 || level === this.callersLevel) {
        from[levels[level]] = levels[level];
        continue;
      }
      let next = levels[level];
      for (let parent = levels[level - 1]; parent < levels[level]; ++parent) {
        const begin = was.first[from[parent]];
        const end = was.end[from[parent]];
        const first = next;
        for (let child = begin; child < end; ++child) from[next++] = child;
        if (end - begin > 1) from.subarray(first, next).sort((a, b) => was.total[b] - was.total[a] || a - b);
        this.first[parent] = first;
        this.end[parent] = next;
        let x = this.start[parent];
        for (let box = first; box < next; ++box) {
          this.parent[box] = parent;
          this.start[box] = x;
          this.code[box] = was.code[from[box]];
          this.total[box] = was.total[from[box]];
          if (this.comparing) this.before[box] = was.before[from[box]];
          x += this.total[box];
        }
      }
    }
  }

  isCaller(box) {
    return this.callers !== none && box >= this.callers;
  }
  // Of the tree the box is in.
  rootOf(box) {
    return this.isCaller(box) ? this.callers : 0;
  }
  // From its root.
  depthOf(box) {
    const level = this.levelOf(box);
    return this.isCaller(box) ? level - this.callersLevel : level;
  }
  levelOf(box) {
    let level = 0;
    while (box >= this.levels[level + 1]) ++level;
    return level;
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
    let self = this.total[box];
    for (let child = this.first[box]; child < this.end[box]; ++child) self -= this.total[child];
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

  // The box of a level at which `value` stands; none when there is a gap.
  boxAt(level, value) {
    let low = this.levels[level];
    let high = this.levels[level + 1];
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
      let child = this.first[box];
      const end = this.end[box];
      while (child < end && this.keyOf(child) !== key) ++child;
      if (child === end) break;
      box = child;
    }
    return this.parent[box] === none ? 0 : box;
  }
}
// Begins the path of a box among those who call.
const callersKey = '-';
