// Shows data about the run: what was measured and when, the command line, and the account of all samples.

function accountWords({taken, recorded, idle, filtered, lost}) {
  const words = `${count(taken)} taken = ${count(recorded)} recorded + ${count(idle)} on idle CPUs + ` +
    `${count(filtered)} of others + ${count(lost)} lost`;
  const addsUp = taken === recorded + idle + filtered + lost;
  return addsUp ? words : `${words}. These do not add up: that is a fault of the profiler.`;
}

// The text for `names`, the lines about frames without a name. Empty if the data has no such member.
function namesWords(names) {
  if (names === undefined) return '';
  return names.length === 0 ? 'every frame has a function name' : names.join('; ');
}

// `run`, `account`, `names` and `notes` have the form of the page's data.
function aboutRun({run, account, names, notes, sources, heading}) {
  const list = made('dl');
  const row = (term, text, className) => {
    if (text === '' || text === undefined) return;
    const value = made('dd');
    value.append(className ? made('span', className, text) : text);
    list.append(made('dt', '', term), value);
  };
  row('What', run.title);
  row('Command line', run.command_line, 'name');
  row('Host', run.host);
  if (run.began_unix_ms) row('Began', new Date(run.began_unix_ms).toLocaleString());
  if (run.duration_s) row('Took', amount(run.duration_s * 1e6, 'microseconds'));
  if (account) row('Samples', accountWords(account), 'account');
  row('Names', namesWords(names), 'names');
  for (const note of notes || []) row('Note', note);
  row('Sources', sources === undefined ? '' : sources.notes.join('; '));
  return heading === '' ? [list] : [made('h2', '', heading), list];
}

function showAbout(runs) {
  element('about-text').replaceChildren(...runs.flatMap(aboutRun));
}

// Updates only these two texts of a live page, so that the user can select the others.
function showAccount(account, names) {
  document.querySelector('#about-text .account').textContent = accountWords(account);
  const shown = document.querySelector('#about-text .names');
  if (shown !== null) shown.textContent = namesWords(names);
}

function showTitle(run) {
  const what = run.event || 'profile';
  element('title').textContent = run.title || what;
  document.title = `${run.title || what}${run.host ? ` — ${run.host}` : ''} — profile`;
}

// `lines` are the text tables of what was measured besides stacks.
function showTables(lines) {
  element('tables').hidden = lines.length === 0;
  element('tables-text').textContent = lines.join('\n').trimEnd();
}

function followSubtitle(view) {
  element('subtitle').textContent = '';
  view.listeners.push((done) => {
    if (done < due.tree) return;
    const {source, tree} = view;
    const parts = [];
    if (source.before === null) {
      parts.push(amount(tree.whole, source.unit));
    } else {
      const [now, before] = tree.swapped ? [tree.wholeBefore, tree.whole] : [tree.whole, tree.wholeBefore];
      parts.push(`${amount(before, source.unit)} ${source.beforeLabel || 'before'}`, `${amount(now, source.unit)} now`);
    }
    if (view.rules.isFocused) parts.push(`${percent(view.focusedShare)} of all in focus`);
    if (source.label) parts.push(source.label);
    element('subtitle').textContent = parts.join(' · ');
  });
}

const keyWords = [
  [['←', '→', '↑', '↓'], 'move the selection'],
  [['Enter'], 'zoom to the selected box'],
  [['Esc'], 'back to where the zoom was before; leaves a menu or the search'],
  [['Home'], 'back to the whole picture'],
  [['/'], 'search'],
  [['n', 'N'], 'to the next box that is found, or the one before; the widest is the first'],
  [['l'], 'the list of functions'],
  [['s'], 'callers and callees of the function of the box'],
  [['a'], 'source and code of the function of the box, if the page holds them'],
  [['f'], 'flame or icicle'],
  [['i'], 'invert: merge the stacks from their leaves'],
  [['o'], 'order: by name, or the heaviest first'],
  [['p'], 'processes on or off'],
  [['h'], 'threads on or off'],
  [['m'], 'processes of one name as one'],
  [['e'], 'focus, hide and collapse'],
  [['c'], 'copy the stack of the box'],
  [['w'], 'in a comparison: as wide as it was before'],
  [['t'], 'dark or light'],
  [['r'], 'recording: to the strip of time'],
  [['←', '→'], 'in the strip: moves the chosen part; with Shift its end'],
  [['+', '-', 'Enter'], 'in the strip: nearer, farther, just the chosen part'],
  [['b', 'Esc'], 'in the strip: compare with a second part; take the choice back'],
  [['space'], 'live: pause'],
  [['b'], 'live: freeze and compare'],
  [['?'], 'these keys'],
];

function showKeys() {
  element('keys').replaceChildren(
    ...keyWords.flatMap(([keys, text]) => {
      const term = made('dt');
      for (const key of keys) term.append(made('kbd', '', key), ' ');
      return [term, made('dd', '', text)];
    }));
}
