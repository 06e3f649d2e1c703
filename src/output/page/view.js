// The state of the view: values, filters, kind of tree, zoom, search, hovered and selected box. A change only records
// what is due; the work is done once, before the next picture.

const due = {nothing: 0, marks: 1, paint: 2, layout: 3, tree: 4};

class View {
  constructor(drawing) {
    this.drawing = drawing;
    this.listeners = [];
    this.placeSheet = () => {};  // set by Sheet; adjusts it to the height of the content
    // In a comparison the source also has `label` and `beforeLabel`, names of the two sets of values.
    this.source = {table: new Table(), values: new Float64Array(0), before: null, unit: 'samples'};
    this.given = this.source;  // as it was before the edits
    this.edits = noEdits;      // the words of the user
    this.rules = new Rules(noEdits);
    this.edited = null;        // the EditedTable of the given table, made when needed
    this.whyNothing = '';  // said while nothing is shown
    this.filter = {process: '', thread: '', cpu: ''};
    this.byProcess = true;
    this.byThread = false;
    this.inverted = false;
    this.heaviest = false;
    this.swapped = false;
    this.of = null;     // {name, module} of the function in the sandwich, or null
    this.path = [];     // path of the zoomed box
    this.history = [];  // of {of, path}
    this.selectedPath = null;
    this.words = '';
    this.matcher = null;
    this.sums = null;   // FunctionSums, made when needed
    this.tree = treeOf(this.source.table, this.amounts(), this);
    this.focus = 0;
    this.hovered = none;
    this.selected = none;
    this.matches = null;
    this.matchedAmount = null;
    this.live = null;  // the Live object of a live page
    this.due = due.nothing;
    this.timings = {tree: 0, layout: 0, paint: 0, latest: 0};
    this.since = 0;
  }

  // Records that something has changed. The work is done with the next picture.
  change(what) {
    if (this.since === 0) this.since = performance.now();
    if (this.due === due.nothing) requestAnimationFrame(() => this.update());
    this.due = Math.max(this.due, what);
  }
  // Does the due work now.
  update() {
    const what = this.due;
    if (what === due.nothing) return;
    const began = performance.now();
    if (what >= due.tree) this.makeTree();
    const made = performance.now();
    if (what >= due.layout) {
      this.drawing.show(this.tree, this.focus);
      this.placeSheet();
    }
    const laid = performance.now();
    this.due = due.nothing;
    if (what >= due.paint) this.drawing.draw(this.matches);
    this.drawing.drawMarks(this.hovered, this.selected);
    const painted = performance.now();
    if (what >= due.tree) this.timings.tree = made - began;
    if (what >= due.layout) this.timings.layout = laid - made;
    if (what >= due.paint) this.timings.paint = painted - laid;
    this.timings.latest = painted - this.since;
    this.since = 0;
    for (const listener of this.listeners) listener(what);
  }

  // The values to show; swapped if the earlier ones are drawn.
  amounts() {
    const {values, before} = this.source;
    const swapped = this.swapped && before !== null;
    const wanted = this.wantedOwners();
    return {values: swapped ? before : values, before: swapped ? values : before, wanted, swapped};
  }
  // A flag for each owner; null if all are wanted.
  wantedOwners() {
    const chosen = Object.entries(this.filter).filter(([, key]) => key !== '');
    if (chosen.length === 0) return null;
    const {table} = this.source;
    const isWanted = (owner) => chosen.every(([name, key]) => table.keyOf(name, owner) === key);
    return Uint8Array.from({length: table.ownerCount}, (_, owner) => isWanted(owner));
  }

  makeTree() {
    const {table} = this.source;
    this.sums = null;
    const id = this.of === null ? none : table.functions.find(this.of);
    this.tree = id === none ? treeOf(table, this.amounts(), this) : sandwichOf(table, this.amounts(), id, this.heaviest);
    this.tree.unsure = this.unsureFunctions();
    // Keeps the path, because a function that disappears may come back.
    this.focus = this.tree.find(this.path);
    this.hovered = none;
    this.selected = none;
    if (this.selectedPath !== null) {
      const box = this.tree.find(this.selectedPath);
      if (this.tree.pathOf(box).length === this.selectedPath.length) this.selected = box;
    }
    this.match();
  }

  // What is known of changes holds for the whole, not for a part that was chosen or edited.
  knownChanges() {
    return this.wantedOwners() === null ? this.source.table.changes : null;
  }
  // A flag for each function whose change may be chance; null if that is not known.
  unsureFunctions() {
    const changes = this.knownChanges();
    if (changes === null) return null;
    const {table} = this.source;
    const isUnsure = (_, id) => !(changeIn(table, changes, id) || {isSure: false}).isSure;
    return Uint8Array.from({length: table.functions.update().count}, isUnsure);
  }

  match() {
    this.matches = null;
    this.matchedAmount = null;
    if (this.matcher === null) return;
    const {table} = this.source;
    const matchesName = remembered((name) => (this.matcher(table.strings[name]) ? 1 : 0));
    const frames = new Uint8Array(table.frames.name.length);
    for (let frame = 0; frame < frames.length; ++frame) frames[frame] = matchesName(table.frames.name.data[frame]);
    const flags = (groups, are) => Uint8Array.from(groups.items, ({label}) => (are && this.matcher(label) ? 1 : 0));
    this.matches = {frames, processes: flags(table.processes, this.byProcess), threads: flags(table.threads, this.byThread)};
    this.matchedAmount = matchedAmount(table, this.amounts(), this.matches);
  }

  // Throws SyntaxError for an invalid regular expression and then changes nothing.
  search(words) {
    this.matcher = matcherOf(words);
    this.words = words;
    this.match();
    this.change(due.paint);
  }
  // The visible boxes that match, the widest first, then from left to right, parents before children.
  matchedBoxes() {
    const {drawing, tree, matches} = this;
    if (matches === null) return [];
    const found = drawing.boxes.data.subarray(0, drawing.boxes.length).filter((box) => isMatched(tree, box, matches));
    return [...found].sort((a, b) => tree.total[b] - tree.total[a] || tree.start[a] - tree.start[b] || a - b);
  }
  // Selects the next match, or the previous one with -1. Returns false if there is none.
  selectMatch(step) {
    const found = this.matchedBoxes().filter((box) => box !== this.tree.callers);
    if (found.length === 0) return false;
    const at = found.indexOf(this.selected);
    const next = at === -1 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length;
    this.select(found[next]);
    return true;
  }
  get matchedShare() {
    const {whole} = this.tree;
    return this.matchedAmount === null || whole === 0 ? 0 : this.matchedAmount / whole;
  }

  // The sums of all functions, made once per tree.
  functionSums() {
    if (this.sums === null) this.sums = new FunctionSums(this.source.table, this.amounts());
    return this.sums;
  }

  setIcicle(is) {
    this.drawing.icicle = is;
    this.change(due.layout);
  }

  show(given) {
    this.given = given;
    if (given.before === null) this.swapped = false;
    const {rules} = this;
    if (rules.areNone) {
      this.edited = null;
    } else if (this.edited === null || this.edited.from !== given.table || this.edited.rules !== rules) {
      this.edited = new EditedTable(given.table, rules);
    }
    this.source = this.edited === null ? given : this.edited.sourceOf(given);
    this.change(due.tree);
  }
  // Changes some of the edits. Throws SyntaxError for an invalid regular expression and then changes nothing.
  edit(words) {
    const edits = {...this.edits, ...words};
    if (Object.entries(edits).every(([name, value]) => this.edits[name] === value)) return;
    this.rules = new Rules(edits);
    // The keys of processes and threads have no numbers then.
    if (edits.byName !== this.edits.byName) Object.assign(this.filter, {process: '', thread: ''});
    this.edits = edits;
    this.show(this.given);
  }
  // The share of the wanted owners' values that is in focus.
  get focusedShare() {
    const {table, values, before} = this.given;
    const {swapped, wanted} = this.amounts();
    const all = wholeOf(table, swapped ? before : values, wanted);
    return all === 0 ? 0 : this.tree.whole / all;
  }
  set(name, value) {
    if (this[name] === value) return;
    this[name] = value;
    if (name === 'byProcess' || name === 'byThread' || name === 'inverted') this.forgetPlace();
    this.change(due.tree);
  }
  setFilter(name, value) {
    this.filter[name] = value;
    this.change(due.tree);
  }
  // Paths are valid only in the same kind of tree.
  forgetPlace() {
    this.of = null;
    this.path = [];
    this.history = [];
    this.selectedPath = null;
  }

  zoom(box) {
    this.leavePlace();
    this.goTo(this.tree.pathOf(box), box);
  }
  // Opens the sandwich of a function: its callers and callees.
  open(of) {
    if (this.of !== null && this.of.name === of.name && this.of.module === of.module) return;
    this.leavePlace();
    this.arrive({of, path: []});
  }
  leavePlace() {
    this.history.push({of: this.of, path: this.path});
    if (this.history.length > 100) this.history.shift();
  }
  arrive({of, path}) {
    if (of === this.of) return this.goTo(path, this.tree.find(path));
    this.of = of;
    this.path = path;
    this.selectedPath = null;
    this.change(due.tree);
  }
  // Returns to the previous place. Returns false if there is none.
  back() {
    if (this.history.length !== 0) this.arrive(this.history.pop());
    else if (this.of !== null) this.arrive({of: null, path: []});
    else return false;
    return true;
  }
  // Leaves all sandwiches and returns to the picture before them.
  close() {
    while (this.of !== null) this.back();
  }
  whole() {
    this.history = this.history.filter(({of}) => of !== this.of);
    this.goTo([], 0);
  }
  goTo(path, box) {
    this.path = path;
    this.focus = box;
    this.hovered = none;
    this.change(due.layout);
  }

  // The box that the status line and copies are about.
  get current() {
    if (this.hovered !== none) return this.hovered;
    return this.selected !== none ? this.selected : this.focus;
  }
  hover(box) {
    if (box === this.hovered) return;
    this.hovered = box;
    this.change(due.marks);
  }
  select(box) {
    this.selected = box;
    this.selectedPath = box === none ? null : this.tree.pathOf(box);
    this.change(due.marks);
  }
  // Selects a neighbour of the selected box: 'up' and 'down' along the stack, 'left' and 'right' among the visible
  // boxes.
  move(where) {
    if (this.selected === none || !this.isVisible(this.selected)) return this.select(this.focus);
    const isAlong = where === 'up' || where === 'down';
    const to = isAlong ? this.along(where === 'up') : this.beside(where === 'left' ? -1 : 1);
    // The function of a sandwich is the root of both halves; only box 0 is selected.
    if (to !== none) this.select(to === this.tree.callers ? 0 : to);
  }
  along(isUp) {
    const {drawing, tree, selected} = this;
    if (tree.callers !== none && selected === 0) return this.widestChild(isUp ? tree.callers : 0);
    const growsUp = drawing.isFlame || tree.isCaller(selected);
    return isUp === growsUp ? this.widestChild(selected) : tree.parent[selected];
  }
  beside(step) {
    const row = this.drawing.neighbours(this.selected);
    const at = row.indexOf(this.selected) + step;
    return at >= 0 && at < row.length ? row[at] : none;
  }
  widestChild(box) {
    const {first, end} = this.tree.childrenOf(box);
    let widest = none;
    for (let child = first; child < end; ++child) {
      if (!this.isVisible(child)) continue;
      if (widest === none || this.tree.total[child] > this.tree.total[widest]) widest = child;
    }
    return widest;
  }
  isVisible(box) {
    return this.drawing.neighbours(box).includes(box);
  }
}
