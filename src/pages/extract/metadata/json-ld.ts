import { isElement, type TreeElement } from '../tree.ts';

/** One object of a page's JSON-LD with its types in lower case, without namespace. */
export type JsonLd = { types: string[]; value: Record<string, unknown> };

const SCRIPT_CHARS_MAX = 1_000_000;
const OBJECTS_MAX = 500;
const DEPTH_MAX = 6;
/** Properties under which pages nest the object that the page is about. */
const NESTED = ['@graph', 'mainEntity', 'mainEntityOfPage', 'itemListElement', 'hasPart'];

/** The objects in a JSON-LD script, [] for other scripts and for what cannot be read. */
export function jsonLdIn(script: TreeElement): JsonLd[] {
  if (!/^application\/(?:ld\+)json/i.test(script.attributes.type?.trim() ?? '')) return [];
  const text = script.children.map((child) => (isElement(child) ? '' : child.text)).join('');
  if (text.length > SCRIPT_CHARS_MAX) return [];
  const found: JsonLd[] = [];
  const value = parsed(text);
  if (value === null) return brokenArticle(text);
  collect(value, found, 0);
  return found;
}

/** What can be told of an article whose JSON is broken beyond repair: its dates. */
function brokenArticle(text: string): JsonLd[] {
  if (!/"@type"\s*:\s*"\w{0,30}(?:Article|BlogPosting)"/.test(text)) return [];
  const value = Object.fromEntries(
    ['datePublished', 'dateModified'].flatMap((name) => {
      const at = text.indexOf(`"${name}"`);
      const day =
        at === -1 ? null : /^"\w{1,20}"\s{0,9}:\s{0,9}"([^"]{1,40})"/.exec(text.slice(at, at + 100));
      return day?.[1] === undefined ? [] : [[name, day[1]]];
    }),
  );
  return [{ types: ['article'], value }];
}

/** Parses JSON as pages write it: in comments or CDATA, with raw line breaks in strings and extra commas. */
function parsed(text: string): unknown {
  const bare = text
    .replace(/^\s*(?:(?:\/\/|\/\*)\s*)?(?:<!--|<!\[CDATA\[)(?:\s*\*\/)?/, '')
    .replace(/(?:(?:\/\/|\/\*)\s*|(?<!\s)\s+)?(?:-->|\]\]>)(?:\s*\*\/)?\s*(?:;\s*)?$/, '')
    .trim()
    .replace(/;$/, '');
  const attempts = [() => bare, () => repaired(bare)];
  for (const attempt of attempts) {
    try {
      return JSON.parse(attempt());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

function repaired(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/,\s*([}\]])/g, '$1')
    .replace(/\\(?!["\\/bfnrtu])/g, '\\\\');
}

function collect(value: unknown, found: JsonLd[], depth: number): void {
  if (depth > DEPTH_MAX || found.length >= OBJECTS_MAX || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, found, depth + 1);
    return;
  }
  const object = value as Record<string, unknown>; // an object that is no array
  found.push({ types: typesOf(object['@type']), value: object });
  for (const name of NESTED) collect(object[name], found, depth + 1);
}

function typesOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string').map((one) => one.toLowerCase().replace(/^.*[/:]/, ''));
}

/** Objects that are a text of their own: articles, posts, pages with a headline. */
export function articlesIn(objects: JsonLd[]): Record<string, unknown>[] {
  const of = (pattern: RegExp): Record<string, unknown>[] =>
    objects.filter(({ types }) => types.some((type) => pattern.test(type))).map(({ value }) => value);
  return [...of(ARTICLE), ...of(OTHER_TEXT)];
}
const ARTICLE =
  /article$|^(?:blogposting|report|socialmediaposting|liveblogposting|discussionforumposting|advertisercontentarticle)$/;
const OTHER_TEXT =
  /^(?:recipe|howto|qapage|question|webpage|newsmediaorganization|videoobject|creativework|review|podcastepisode|course|book|event|jobposting|product|techarticle)$/;

/** A property as plain text: a string, the name of an object, or the first that an array gives. */
export function ldText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (Array.isArray(value)) return value.map(ldText).find((text) => text !== null) ?? null;
  if (typeof value !== 'object' || value === null) return null;
  const object = value as Record<string, unknown>; // an object that is no array
  return typeof object.name === 'string' || Array.isArray(object.name)
    ? ldText(object.name)
    : ldText(object['@value']);
}
