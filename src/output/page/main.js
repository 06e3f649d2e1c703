// Starts the page with the data that it holds.

const knownVersion = 1;

function fileSource(data) {
  // A frozen state has the same processes. Another run has other process numbers, so processes are compared by name.
  const table = new Table(Boolean(data.before) && !data.before.same_processes);
  table.append(data);
  table.changes = changesOf(table, data.before);
  const values = vectorOf(table, data.cells);
  const before = data.before ? vectorOf(table, data.before.cells) : null;
  return {table, values, before, unit: data.run.unit, label: '', beforeLabel: ''};
}

// Of two recordings, by functionKey(): the margin of the 95 % interval of the change in total, and whether the change
// is sure. null: there are no intervals.
function changesOf({strings}, before) {
  if (!before || !before.changes) return null;
  const {name, module, margin, sure} = before.changes;
  return new Map(name.map((id, i) => [functionKey(strings[id], strings[module[i]]), {margin: margin[i], isSure: sure[i] === 1}]));
}

// The page holds large data as ["gzip", base64].
async function unpacked([format, text]) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format))).json();
}

function start() {
  const read = performance.now();
  const {text, samples, html} = takeOwnPage();
  const data = JSON.parse(text);
  if (!Array.isArray(data)) return begin(data, samples, html, read);
  const refuse = (error) => {
    element('subtitle').textContent = `This browser cannot unpack the data of the page: ${error.message}`;
  };
  unpacked(data).then((whole) => begin(whole, samples, html, read), refuse);
}

function begin(data, samples, html, read) {
  if (data.version !== knownVersion) throw new Error(`data of version ${data.version}, which this page does not know`);
  const parsed = performance.now();
  const view = new View(new Drawing(element('graph'), element('marks')));
  const texts = new BoxTexts(view);
  const tools = new Tools(view);
  const sheet = new Sheet(view);
  const filters = new Filters(view);
  const list = new FunctionList(view);
  const editBar = new EditBar(view);
  const input = new Input({view, sheet, texts, tools, list, editBar});
  const times = {read: parsed - read, load: 0, firstPaint: 0, samples: 0};
  nameTags(data.run);
  showTitle(data.run);
  followSubtitle(view);
  showKeys();
  view.listeners.push((done) => {
    if (done >= due.tree) filters.update();
    if (done >= due.paint) tools.update();
    texts.showStatus();
    if (times.firstPaint === 0 && done >= due.tree) times.firstPaint = performance.now();
  });
  if (data.live) {
    view.heaviest = true;  // what costs most is found at once
    showAbout([{run: data.run, heading: ''}]);
    input.live = view.live = new Live(view, data, (text) => input.say(text));
  }
  const say = (words) => input.say(words);
  const source = data.live ? null : fileSource(data);
  const hasTimes = !data.live && data.times !== undefined && samples !== null;
  const strip = data.live ? new LiveStrip(view, view.live, say) : hasTimes ? new TimeStrip(view, data, source, say) : null;
  if (data.live) view.live.strip = strip;
  input.strip = strip;
  const link = new Link({view, tools, list, editBar, live: view.live, strip, saved: data.view});
  const told = {run: data.run, account: data.account, names: data.names, notes: data.notes, sources: data.sources, before: data.before && data.before.run};
  new Save({
    view, html, recording: data.live && data.live.recording, say: (words) => input.say(words), words: () => link.words(true, true),
    about: () => (view.live !== null ? view.live.about() : strip !== null ? strip.about(told) : told),
  });
  if (data.sources !== undefined) input.source.hold(data.sources);
  if (!data.live) {
    showFile(view, data, source);
    times.load = performance.now() - parsed;
  }
  element('graph').focus();
  offerToTests(view, times, strip);
  if (!hasTimes) return;
  readSamples({text: samples, samples: data.times.samples}).then((columns) => strip.begin(columns)).then(() => {
    times.samples = performance.now();
  }).catch((error) => strip.refuse(error));
}

function showFile(view, data, source) {
  view.whyNothing = (data.account && data.account.nothing) || '';
  view.show(source);
  const about = ({run, account, names, notes, sources}, heading) => ({run, account, names, notes, sources, heading});
  showAbout(data.before ? [about(data.before, 'Before'), about(data, 'Now')] : [about(data, '')]);
  showTables(data.tables || []);
}

// Gives tests and users of the console the state of the page. They only read it.
function offerToTests(view, times, strip) {
  const {drawing} = view;
  const described = (box) => {
    const depth = view.tree.depth[box];
    return Object.freeze({
      name: view.tree.nameOf(box),
      kind: kindWords[view.tree.kindOf(box)],
      depth,
      x: drawing.left(box),
      y: drawing.top(box),
      width: drawing.right(box) - drawing.left(box),
      height: rowHeight,
      total: view.tree.total[box],
      before: view.tree.comparing ? view.tree.before[box] : null,
      colour: drawing.palette.of(view.tree, box, view.matches),
      isCaller: view.tree.isCaller(box),
      matched: view.matches !== null && isMatched(view.tree, box, view.matches),
      stack: Object.freeze(view.tree.lineOf(box).map((at) => view.tree.nameOf(at))),
    });
  };
  const nameOrNull = (box) => (box === none ? null : view.tree.nameOf(box));
  window.profilePage = Object.freeze({
    boxes() {
      view.update();
      // The function of a sandwich is the root of both halves but only one box.
      const visible = Array.from(drawing.boxes.data.subarray(0, drawing.boxes.length));
      return visible.filter((box) => box !== view.tree.callers).map(described);
    },
    state() {
      view.update();
      return Object.freeze({
        total: view.tree.total[0],
        totalBefore: view.tree.comparing ? view.tree.before[0] : null,
        whole: view.tree.whole,
        boxes: view.tree.count,
        visible: drawing.boxes.length,
        focus: view.tree.nameOf(view.focus),
        selected: nameOrNull(view.selected),
        hovered: nameOrNull(view.hovered),
        matchedShare: view.matcher === null ? null : view.matchedShare,
        ticks: view.live === null || view.live.followed === null ? 0 : view.live.followed.ticks.length,
      });
    },
    timings: () => ({...times, ...view.timings, strip: strip === null ? 0 : strip.drawMs}),
    // What the strip of time shows, or null.
    strip: () => (strip === null || strip.times === null ? null : strip.described()),
  });
}

start();
