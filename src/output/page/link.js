// Keeps the state of the view in the address after the #, so that the user can send it, reload it and go back. Hashes
// of the frames on the way to a box name the box; they are the same in another page of the same program.

const lastsUntilNext = ['search', 'sort', 'time', 'against'];  // changes of these add no step to the browser's history

// '' for the usual value.
function onOrOff(is, usual) {
  if (is === usual) return '';
  return is ? 'on' : 'off';
}

class Link {
  // `live`: the Live object, or null. `strip`: the TimeStrip, or null. `saved`: the state for a saved page whose address has none.
  constructor({view, tools, list, editBar, live, strip, saved = ''}) {
    Object.assign(this, {view, tools, list, editBar, live, strip});
    this.flags = {
      invert: ['inverted', false], heaviest: ['heaviest', live !== null], processes: ['byProcess', true],
      threads: ['byThread', false], before: ['swapped', false],
    };
    this.read(location.hash.length > 1 ? location.hash : saved);
    this.written = this.words();
    view.listeners.push(() => this.write());
    window.addEventListener('popstate', () => {
      // The view itself caused this event, so nothing changes.
      if (location.hash.slice(1) === this.written) return;
      clearTimeout(this.later);
      this.read(location.hash);
      this.written = this.words();
    });
  }

  // The link has only values that differ from the defaults. `forFile`: from those of a page that is not live.
  // `forSaved`: of a page that has no times.
  words(forFile = this.live === null, forSaved = false) {
    const {view, list, live, strip} = this;
    const parts = new URLSearchParams();
    const add = (name, value) => value !== '' && parts.set(name, value);
    if (view.of !== null) {
      parts.set('function', view.of.name);
      if (view.of.module !== null) parts.set('module', view.of.module);
    }
    add('zoom', view.path.join('.'));
    add('search', view.words);
    for (const name of editNames) add(name, view.edits[name]);
    add('by-name', onOrOff(view.edits.byName, !forFile && live.isByName));
    for (const name of ['process', 'thread', 'cpu']) add(name, view.filter[name]);
    for (const [name, [key, usual]] of Object.entries(this.flags)) {
      if (view[key] !== (forFile && name === 'heaviest' ? false : usual)) parts.set(name, view[key] ? 'on' : 'off');
    }
    if (view.drawing.icicle) parts.set('icicle', 'on');
    if (list.isShown) parts.set('functions', 'on');
    add('sort', list.sortWords());
    if (live !== null) add('last', live.windowWords());
    // A saved page has only the chosen part of the time.
    if (strip !== null && !forSaved) {
      strip.parts.forEach((part, which) => add(['time', 'against'][which], strip.words(part)));
      add('lanes', strip.kind === laneKinds[0] ? '' : strip.kind);
    }
    return parts.toString();
  }
  write() {
    const words = this.words();
    if (words === this.written) return;
    const isStep = this.withoutPassing(words) !== this.withoutPassing(this.written);
    this.written = words;
    // While the user types, only the last state is written.
    clearTimeout(this.later);
    const put = (how) => {
      try {
        history[how](null, '', words === '' ? location.pathname + location.search : `#${words}`);
      } catch {
        // The browser refuses too many calls, and some refuse pages from disk. The address then stays as it is.
      }
    };
    if (isStep) put('pushState');
    else this.later = setTimeout(() => put('replaceState'), 200);
  }
  withoutPassing(words) {
    const parts = new URLSearchParams(words);
    for (const name of lastsUntilNext) parts.delete(name);
    return parts.toString();
  }

  // Ignores words that are unknown or name things that do not exist.
  read(hash) {
    const {view, tools, list, editBar, live, strip} = this;
    const parts = new URLSearchParams(hash.replace(/^#/, ''));
    const text = (name) => parts.get(name) || '';
    view.forgetPlace();
    if (parts.has('function')) view.of = {name: text('function'), module: parts.get('module')};
    // First the edits, which change the keys of the filters.
    const byName = parts.has('by-name') ? parts.get('by-name') === 'on' : live !== null && live.isByName;
    editBar.set({...Object.fromEntries(editNames.map((name) => [name, text(name)])), byName});
    view.path = text('zoom') === '' ? [] : text('zoom').split('.').slice(0, 4096);
    for (const name of ['process', 'thread', 'cpu']) view.filter[name] = text(name);
    for (const [name, [key, usual]] of Object.entries(this.flags)) {
      view[key] = parts.has(name) ? parts.get(name) === 'on' : usual;
    }
    view.drawing.icicle = parts.get('icicle') === 'on';
    tools.searchFor(text('search'));
    list.setSort(text('sort'));
    list.toggle(parts.get('functions') === 'on', false);
    if (live !== null) live.setWindow(text('last'));
    if (strip !== null) {
      strip.setParts([text('time'), text('against')]);
      strip.setKind(text('lanes'));
    }
    view.change(due.tree);
  }
}
