import { readTextStart } from '../markdown/tags.ts';
import { isElement, type TreeElement } from '../table-shape.ts';
import { parseJsonText, readArguments, readLiteral } from './read-literal.ts';
import { isDataObject } from './rich-text.ts';

/** Maximum depth; deeper values are read as undefined. */
const DEPTH_MAX = 200;

/** State that a page carries for its scripts: data, or a stream of server components. */
export type PageState = { data: unknown } | { stream: string };

const SCRIPT_CHARS_MAX = 3_000_000;
/** Minimum length of a script; shorter ones hold settings, not a page. */
const SCRIPT_CHARS_MIN = 200;
const STATES_MAX = 50;
const ELEMENTS_MAX = 200_000;

/**
 * Collects the states of a page in page order, as written by Next.js, Nuxt, Apollo, Remix, React Router, SvelteKit, Angular, Astro,
 * Inertia and similar frameworks.
 */
export function collectPageStates(root: TreeElement): PageState[] {
  const states: PageState[] = [];
  const flight: string[] = [];
  for (const element of walkElements(root)) {
    if (states.length >= STATES_MAX) break;
    if (element.tag === 'script') states.push(...readScriptStates(element, flight));
    else states.push(...readAttributeStates(element));
  }
  return flight.length === 0 ? states : [{ stream: flight.join('') }, ...states];
}

function* walkElements(root: TreeElement): Iterable<TreeElement> {
  const waiting = [root];
  for (let count = 0; count < ELEMENTS_MAX; count += 1) {
    const element = waiting.pop();
    if (element === undefined) return;
    yield element;
    for (const child of element.children.toReversed()) if (isElement(child)) waiting.push(child);
  }
}

/** Reads attributes that hold the data of a component: Inertia (and relatives of Livewire), Astro's islands, Discourse's topics. */
function readAttributeStates({ tag, attributes }: TreeElement): PageState[] {
  const { 'data-preloaded': preloaded } = attributes;
  if (preloaded !== undefined && preloaded.length <= SCRIPT_CHARS_MAX) return readTopics(preloaded);
  const text = attributes['data-page'] ?? (tag === 'astro-island' ? attributes.props : undefined);
  if (text === undefined || text.length < SCRIPT_CHARS_MIN || text.length > SCRIPT_CHARS_MAX) return [];
  const data = parseJsonText(text);
  return data === undefined ? [] : [{ data: tag === 'astro-island' ? stripKinds(data, 0) : data }];
}

/** Reads the topics of a forum made by Discourse: JSON by name, each value once more JSON. The other names hold settings of the site. */
function readTopics(text: string): PageState[] {
  const stores = parseJsonText(text);
  if (!isDataObject(stores)) return [];
  return Object.entries(stores)
    .filter(([name, value]) => name.startsWith('topic_') && typeof value === 'string')
    .map(([, value]) => parseJsonText(String(value)))
    .filter(isDataObject)
    .map(({ post_stream: stream }) => ({
      data: { content: isDataObject(stream) ? joinPosts(stream.posts) : '' },
    }));
}

/** Joins the posts of a topic, each below the name of its author. */
function joinPosts(posts: unknown): string {
  if (!Array.isArray(posts)) return '';
  return posts
    .filter(isDataObject)
    .map(({ username, cooked }) => `<h2>${String(username).replace(/[<>&]/g, '')}</h2>${String(cooked)}`)
    .join('');
}

/** Removes the kinds from Astro's data, where each value is `[kind, value]`: 0 is a value or an object of such pairs, 1 a list of them. */
function stripKinds(value: unknown, depth: number): unknown {
  if (depth > TAGS_DEPTH_MAX) return undefined;
  if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'number') {
    const [kind, inner]: unknown[] = value;
    return kind === 1 && Array.isArray(inner)
      ? inner.map((each) => stripKinds(each, depth + 1))
      : stripKinds(inner, depth + 1);
  }
  if (!isDataObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, stripKinds(inner, depth + 1)]),
  );
}
const TAGS_DEPTH_MAX = 100;

function readScriptStates(script: TreeElement, flight: string[]): PageState[] {
  const text = script.children.map((child) => (isElement(child) ? '' : child.text)).join('');
  if (text.length < SCRIPT_CHARS_MIN && !text.includes('__next_f')) return [];
  if (text.length > SCRIPT_CHARS_MAX) return [];
  const type = script.attributes.type?.trim().toLowerCase() ?? '';
  if (type === 'application/ld+json') return [];
  if (/json|shoebox/.test(type)) return parseJsonStates(text, script);
  return type === '' || /javascript|module/.test(type) ? parseScriptStates(text, flight) : [];
}

function parseJsonStates(text: string, { attributes }: TreeElement): PageState[] {
  const written = text.trim().replace(/^<!--|-->$/g, '');
  const data = parseJsonText(written) ?? parseJsonText(unescapeAngular(written));
  if (data === undefined) return [];
  if (attributes.id === '__NUXT_DATA__' || attributes['data-nuxt-data'] !== undefined)
    return [{ data: restoreFlattened(data) }];
  // SvelteKit embeds the responses that the page was made from.
  if (
    attributes['data-sveltekit-fetched'] !== undefined &&
    isDataObject(data) &&
    typeof data.body === 'string'
  )
    return [{ data: parseJsonText(data.body) ?? data.body }];
  return [{ data }];
}

/** Undoes the escapes of Angular before its version 16. */
const unescapeAngular = (text: string): string =>
  text.replace(/&([asqlg]);/g, (_, letter: string) => ANGULAR_ESCAPES[letter] ?? '');
const ANGULAR_ESCAPES: Record<string, string> = { a: '&', s: "'", q: '"', l: '<', g: '>' };

const FLIGHT = /self\.__next_f\s{0,9}\.push\(/g;
const STREAM = /\.streamController\.enqueue\(/g;
const SVELTE = /\bkit\.start\(/g;
/** An assignment of a whole state to a global name. */
const ASSIGNMENT =
  /(?:(?:window|self|globalThis|top)\s{0,3}(?:\.\s{0,3}|\[["'])|var\s{1,3}|const\s{1,3}|let\s{1,3}|^\s{0,20})([\w$]{3,60})(?:["']\])?\s{0,3}=\s{0,3}(?=[{[("'A-Z])/gm;
const ASSIGNMENTS_MAX = 20;

function parseScriptStates(text: string, flight: string[]): PageState[] {
  for (const { index, 0: start } of text.matchAll(FLIGHT)) {
    // The only argument is `[kind, text]`; kind 1 is a part of the stream.
    const part = readLiteral(text, index + start.length);
    if (Array.isArray(part) && part[0] === 1 && typeof part[1] === 'string') flight.push(part[1]);
  }
  const states: PageState[] = [];
  for (const { index, 0: start } of text.matchAll(STREAM)) {
    const part = readLiteral(text, index + start.length);
    const [first = ''] = typeof part === 'string' ? part.split('\n') : [];
    states.push({ data: restoreFlattened(parseJsonText(first)) });
  }
  for (const { index } of text.matchAll(SVELTE)) states.push({ data: readArguments(text, index) });
  return [...states, ...readAssignedStates(text)];
}

function readAssignedStates(text: string): PageState[] {
  const states: PageState[] = [];
  for (const { index, 0: start } of text.matchAll(ASSIGNMENT)) {
    if (states.length >= ASSIGNMENTS_MAX) break;
    const data = readLiteral(text, index + start.length);
    const value = typeof data === 'string' ? parseJsonText(data) : data;
    if (typeof value === 'object' && value !== null) states.push({ data: value });
  }
  return states;
}

/** Ids of the elements that frameworks mount the page in. */
const MOUNT_IDS: ReadonlySet<string> = new Set(['__next', '__nuxt', 'app', 'root', 'svelte', '___gatsby']);
const MOUNT_TAGS: ReadonlySet<string> = new Set(['app-root', 'astro-island']);
/** A mount with at least this many characters was rendered by the server. */
const MOUNT_CHARS_MAX = 100;
/** Maximum depth searched for mounts, which are near the top of the tree. */
const MOUNT_DEPTH_MAX = 4;

/** Returns whether the elements that a framework fills have next to no text, so that the page shows only what surrounds them. */
export function hasEmptyMount(root: TreeElement): boolean {
  const mounts = findMounts(root, 0);
  return (
    mounts.length > 0 &&
    mounts.every((mount) => readTextStart(mount, MOUNT_CHARS_MAX).trim().length < MOUNT_CHARS_MAX)
  );
}

function findMounts(element: TreeElement, depth: number): TreeElement[] {
  if (MOUNT_TAGS.has(element.tag) || MOUNT_IDS.has(element.attributes.id ?? '')) return [element];
  if (depth > MOUNT_DEPTH_MAX) return [];
  return element.children.filter(isElement).flatMap((child) => findMounts(child, depth + 1));
}

/**
 * Undoes the flattening that frameworks apply to data with repeated parts: an array whose first entry is the value, and
 * in which a number within an entry refers to the entry at that index. Property names may be references too (`_12` refers
 * to the text at index 12). Formats: devalue (Nuxt, SvelteKit) and turbo-stream (Remix, React Router).
 */
function restoreFlattened(entries: unknown): unknown {
  if (!Array.isArray(entries)) return undefined;
  const all: unknown[] = entries;
  const known = new Map<number, unknown>();

  function readEntry(index: unknown, depth: number): unknown {
    if (typeof index !== 'number' || index < 0 || depth > DEPTH_MAX) return undefined;
    if (known.has(index)) return known.get(index);
    const entry = all[index];
    if (typeof entry !== 'object' || entry === null) return entry;
    return Array.isArray(entry) ? readList(index, entry, depth) : readObject(index, entry, depth);
  }

  function readList(index: number, entry: unknown[], depth: number): unknown {
    // A tagged value, such as ["Date", "2024-…"] or ["Reactive", 7]; a plain list has only numbers.
    if (typeof entry[0] === 'string') return readMarked(index, entry, depth);
    const list: unknown[] = [];
    known.set(index, list);
    for (const inner of entry) list.push(readEntry(inner, depth + 1));
    return list;
  }

  function readMarked(index: number, [, ...rest]: unknown[], depth: number): unknown {
    const value =
      rest.length === 1 && typeof rest[0] !== 'number'
        ? rest[0]
        : rest.map((inner) => readEntry(inner, depth + 1));
    const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
    known.set(index, single);
    return single;
  }

  function readObject(index: number, entry: object, depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    known.set(index, object);
    for (const [name, inner] of Object.entries(entry)) {
      const key = /^_\d+$/.test(name) ? readEntry(Number(name.slice(1)), depth + 1) : name;
      if (typeof key === 'string') object[key] = readEntry(inner, depth + 1);
    }
    return object;
  }

  return readEntry(0, 0);
}
