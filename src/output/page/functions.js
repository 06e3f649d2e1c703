// Sums for functions over all their places: self, total, callers and callees. A function is a name in a module; its
// lines and its inlined copies belong to it.

class Functions {
  constructor(table) {
    this.table = table;
    this.of = new Column(Int32Array);     // by frame
    this.frame = new Column(Int32Array);  // by function: its first frame, which has its name and module
    this.ids = new Numbered();
  }
  // Adds the frames that are new in the table.
  update() {
    const {table} = this;
    const {name, module} = table.frames;
    for (let frame = this.of.length; frame < name.length; ++frame) {
      const id = this.ids.of(pairKey(name.data[frame], module.data[frame]));
      if (id === this.frame.length) this.frame.push(frame);
      this.of.push(id);
    }
    return this;
  }
  get count() {
    return this.frame.length;
  }
  nameOf(id) {
    return this.table.strings[this.table.frames.name.data[this.frame.data[id]]];
  }
  moduleOf(id) {
    return this.table.strings[this.table.frames.module.data[this.frame.data[id]]];
  }
  // Finds a function by name and module; a module of null matches the first function with the name. Returns `none` if
  // there is none.
  find({name, module}) {
    this.update();
    for (let id = 0; id < this.count; ++id) {
      if (this.nameOf(id) === name && (module === null || this.moduleOf(id) === module)) return id;
    }
    return none;
  }
}

function functionKey(name, module) {
  return `${name}\n${module}`;
}
// What the table knows of the change of a function (changesOf()).
function changeIn(table, changes, id) {
  const {functions} = table;
  return changes.get(functionKey(functions.nameOf(id), functions.moduleOf(id)));
}

// The value of each node as leaf, summed over the wanted owners.
function ownOfNodes(table, values, wanted) {
  const own = new Float64Array(table.nodes.parent.length);
  const node = table.pairs.node.data;
  eachPair(table, values, wanted, (pair) => {
    if (node[pair] !== none) own[node[pair]] += values[pair];
  });
  return own;
}
// The value of each node and of all nodes on it.
function allOfNodes(table, own) {
  const parent = table.nodes.parent.data;
  const all = own.slice();
  for (let node = all.length - 1; node >= 0; --node) {
    if (parent[node] !== none) all[parent[node]] += all[node];
  }
  return all;
}
function wholeOf(table, values, wanted) {
  let sum = 0;
  eachPair(table, values, wanted, (pair) => (sum += values[pair]));
  return sum;
}

// By function: {self, total}. A stack counts once for each function, also with recursion.
function sumsOfFunctions(table, values, wanted) {
  const functions = table.functions.update();
  const functionOf = functions.of.data;
  const frame = table.nodes.frame.data;
  const own = ownOfNodes(table, values, wanted);
  const all = allOfNodes(table, own);
  const {nodes, depth} = table.walk();
  const self = new Float64Array(functions.count);
  const total = new Float64Array(functions.count);
  const below = new Int32Array(functions.count);  // how often the function is on the current path
  const way = [];
  for (const node of nodes) {
    while (way.length > depth[node]) --below[way.pop()];
    const id = functionOf[frame[node]];
    if (below[id]++ === 0) total[id] += all[node];
    self[id] += own[node];
    way.push(id);
  }
  return {self, total};
}

// The sums of all functions of a view, and the earlier ones in a comparison. `now` and `before` are swapped if the view
// is.
class FunctionSums {
  constructor(table, {values, before, wanted}) {
    this.functions = table.functions.update();
    this.whole = wholeOf(table, values, wanted);
    this.now = sumsOfFunctions(table, values, wanted);
    this.wholeBefore = before === null ? 0 : wholeOf(table, before, wanted);
    this.before = before === null ? null : sumsOfFunctions(table, before, wanted);
  }
}

// --- Callers and callees ----------------------------------------------------------------------------------------------

// The nodes of a function that have no node of the same function below them.
function outermostNodes(table, id) {
  const functionOf = table.functions.update().of.data;
  const parent = table.nodes.parent.data;
  const frame = table.nodes.frame.data;
  const isOn = new Uint8Array(table.nodes.parent.length);
  const found = new Column(Int32Array);
  for (let node = 0; node < isOn.length; ++node) {
    if (parent[node] !== none && isOn[parent[node]]) {
      isOn[node] = 1;
    } else if (functionOf[frame[node]] === id) {
      isOn[node] = 1;
      found.push(node);
    }
  }
  return found.data.slice(0, found.length);
}

// The callees of a function. Splits the nodes of a box by the frames of their children.
class Callees {
  constructor(table, tops, {all, allBefore}, root) {
    Object.assign(this, {table, all, allBefore, root});
    this.walk = table.walk();  // of this moment: a live table grows
    this.parting = new Parting(table);
    this.nodes = new Column(Int32Array);  // nodes of one box are together
    this.nodes.append(tops);
  }
  split(box, add) {
    const {walk, nodes, parting, all, allBefore} = this;
    const frameOf = this.table.nodes.frame.data;
    const begin = nodes.length;
    parting.begin();
    for (let i = box.from; i < box.to; ++i) {
      const node = nodes.data[i];
      for (let place = walk.order[node] + 1; place < walk.behind[node]; place = walk.behind[walk.nodes[place]]) {
        const child = walk.nodes[place];
        parting.count(frameOf[child], all[child], allBefore === null ? 0 : allBefore[child]);
        nodes.push(child);
      }
    }
    const found = nodes.data.slice(begin, nodes.length);
    parting.end(begin, add);
    for (const child of found) nodes.data[parting.placeOf(frameOf[child])] = child;
  }
}

// One tree of two halves, callees and callers; the function is the root of both.
function sandwichOf(table, amounts, id, heaviest) {
  const {values, before, wanted, swapped} = amounts;
  const comparing = before !== null;
  const root = table.functions.frame.data[id];
  const tops = outermostNodes(table, id);
  const all = allOfNodes(table, ownOfNodes(table, values, wanted));
  const allBefore = comparing ? allOfNodes(table, ownOfNodes(table, before, wanted)) : null;
  const read = {of: (top) => all[top], before: comparing ? (top) => allBefore[top] : () => 0};
  const parent = table.nodes.parent.data;
  const callers = new FromLeaf(table, tops.slice(), tops.map((top) => parent[top]), read, root);
  const callees = new Callees(table, tops, {all, allBefore}, callers.root);
  const whole = wholeOf(table, values, wanted);
  const wholeBefore = comparing ? wholeOf(table, before, wanted) : 0;
  return new Tree(table, [callees, callers], {comparing, swapped, heaviest, whole, wholeBefore});
}
