import { textStart } from '../markdown/tags.ts';
import { isElement, type TreeElement } from '../tree.ts';
import { unflattened } from './flattened.ts';
import { isNamed } from './make-element.ts';
import { parsedJson, readArguments, readLiteral } from './read-literal.ts';

/** What a page carries for its scripts: data, or the stream of a page of server components. */
export type PageState = { data: unknown } | { stream: string };

const SCRIPT_CHARS_MAX = 3_000_000;
/** Shorter scripts hold settings, not a page. */
const SCRIPT_CHARS_MIN = 200;
const STATES_MAX = 50;
const ELEMENTS_MAX = 200_000;

/** The states of a page in page order: Next.js, Nuxt, Apollo, Remix, React Router, SvelteKit, Angular, Astro, Inertia and their like. */
export function pageStates(root: TreeElement): PageState[] {
  const states: PageState[] = [];
  const flight: string[] = [];
  for (const element of elementsOf(root)) {
    if (states.length >= STATES_MAX) break;
    if (element.tag === 'script') states.push(...statesOf(element, flight));
    else states.push(...ofAttributes(element));
  }
  return flight.length === 0 ? states : [{ stream: flight.join('') }, ...states];
}

function* elementsOf(root: TreeElement): Iterable<TreeElement> {
  const waiting = [root];
  for (let count = 0; count < ELEMENTS_MAX; count += 1) {
    const element = waiting.pop();
    if (element === undefined) return;
    yield element;
    for (const child of element.children.toReversed()) if (isElement(child)) waiting.push(child);
  }
}

/** Attributes that hold the data of a component: Inertia (and Livewire's kin) and Astro's islands. */
function ofAttributes({ tag, attributes }: TreeElement): PageState[] {
  const text = attributes['data-page'] ?? (tag === 'astro-island' ? attributes.props : undefined);
  if (text === undefined || text.length < SCRIPT_CHARS_MIN || text.length > SCRIPT_CHARS_MAX) return [];
  const data = parsedJson(text);
  return data === undefined ? [] : [{ data: tag === 'astro-island' ? withoutTags(data, 0) : data }];
}

/** Astro writes each value as `[kind, value]`: 0 is a value or an object of such pairs, 1 a list of them. */
function withoutTags(value: unknown, depth: number): unknown {
  if (depth > TAGS_DEPTH_MAX) return undefined;
  if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'number') {
    const [kind, inner]: unknown[] = value;
    return kind === 1 && Array.isArray(inner)
      ? inner.map((each) => withoutTags(each, depth + 1))
      : withoutTags(inner, depth + 1);
  }
  if (!isNamed(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutTags(inner, depth + 1)]),
  );
}
const TAGS_DEPTH_MAX = 100;

function statesOf(script: TreeElement, flight: string[]): PageState[] {
  const text = script.children.map((child) => (isElement(child) ? '' : child.text)).join('');
  if (text.length < SCRIPT_CHARS_MIN && !text.includes('__next_f')) return [];
  if (text.length > SCRIPT_CHARS_MAX) return [];
  const type = script.attributes.type?.trim().toLowerCase() ?? '';
  if (type === 'application/ld+json') return [];
  if (/json|shoebox/.test(type)) return ofJson(text, script);
  return type === '' || /javascript|module/.test(type) ? ofScript(text, flight) : [];
}

function ofJson(text: string, { attributes }: TreeElement): PageState[] {
  const data = parsedJson(text.trim().replace(/^<!--|-->$/g, ''));
  if (data === undefined) return [];
  if (attributes.id === '__NUXT_DATA__' || attributes['data-nuxt-data'] !== undefined)
    return [{ data: unflattened(data) }];
  // SvelteKit keeps the responses that the page was made from.
  if (attributes['data-sveltekit-fetched'] !== undefined && isNamed(data) && typeof data.body === 'string')
    return [{ data: parsedJson(data.body) ?? data.body }];
  return [{ data }];
}

const FLIGHT = /self\.__next_f\s{0,9}\.push\(/g;
const STREAM = /\.streamController\.enqueue\(/g;
const SVELTE = /\bkit\.start\(/g;
/** An assignment of a whole state to a global name. */
const ASSIGNMENT =
  /(?:(?:window|self|globalThis|top)\s{0,3}(?:\.\s{0,3}|\[["'])|var\s{1,3}|const\s{1,3}|let\s{1,3}|^\s{0,20})([\w$]{3,60})(?:["']\])?\s{0,3}=\s{0,3}(?=[{[("'A-Z])/gm;
const ASSIGNMENTS_MAX = 20;

function ofScript(text: string, flight: string[]): PageState[] {
  for (const { index, 0: start } of text.matchAll(FLIGHT)) {
    // The call's one argument is `[kind, text]`; kind 1 is a part of the stream.
    const part = readLiteral(text, index + start.length);
    if (Array.isArray(part) && part[0] === 1 && typeof part[1] === 'string') flight.push(part[1]);
  }
  const states: PageState[] = [];
  for (const { index, 0: start } of text.matchAll(STREAM)) {
    const part = readLiteral(text, index + start.length);
    const [first = ''] = typeof part === 'string' ? part.split('\n') : [];
    states.push({ data: unflattened(parsedJson(first)) });
  }
  for (const { index } of text.matchAll(SVELTE)) states.push({ data: readArguments(text, index) });
  return [...states, ...assigned(text)];
}

function assigned(text: string): PageState[] {
  const states: PageState[] = [];
  for (const { index, 0: start } of text.matchAll(ASSIGNMENT)) {
    if (states.length >= ASSIGNMENTS_MAX) break;
    const data = readLiteral(text, index + start.length);
    const value = typeof data === 'string' ? parsedJson(data) : data;
    if (typeof value === 'object' && value !== null) states.push({ data: value });
  }
  return states;
}

/** Where frameworks put the page that their scripts make. */
const MOUNT_IDS: ReadonlySet<string> = new Set(['__next', '__nuxt', 'app', 'root', 'svelte', '___gatsby']);
const MOUNT_TAGS: ReadonlySet<string> = new Set(['app-root', 'astro-island']);
/** A longer text was rendered by the server. */
const MOUNT_CHARS_MAX = 100;
/** Mounts stand near the top of the tree. */
const MOUNT_DEPTH_MAX = 4;

/** Whether the element that a framework fills has next to no text yet, so that what is shown is only what stands around it. */
export function hasEmptyMount(root: TreeElement): boolean {
  const mounts = mountsBelow(root, 0);
  return (
    mounts.length > 0 &&
    mounts.every((mount) => textStart(mount, MOUNT_CHARS_MAX).trim().length < MOUNT_CHARS_MAX)
  );
}

function mountsBelow(element: TreeElement, depth: number): TreeElement[] {
  if (MOUNT_TAGS.has(element.tag) || MOUNT_IDS.has(element.attributes.id ?? '')) return [element];
  if (depth > MOUNT_DEPTH_MAX) return [];
  return element.children.filter(isElement).flatMap((child) => mountsBelow(child, depth + 1));
}
