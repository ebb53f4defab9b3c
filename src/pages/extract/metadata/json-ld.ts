import { isElement, type TreeElement } from '../table-shape.ts';

/** One object of a page's JSON-LD with its types, lower case and without namespace. */
export type JsonLd = { types: string[]; value: Record<string, unknown> };

const SCRIPT_CHARS_MAX = 1_000_000;
const OBJECTS_MAX = 500;
const DEPTH_MAX = 6;
/** Properties under which pages nest their main object. */
const NESTED = ['@graph', 'mainEntity', 'mainEntityOfPage', 'itemListElement', 'hasPart'];

/** Parses the objects of a JSON-LD script; returns [] for other scripts and for text that cannot be read. */
export function parseJsonLd(script: TreeElement): JsonLd[] {
  if (!/^application\/(?:ld\+)json/i.test(script.attributes.type?.trim() ?? '')) return [];
  const text = script.children.map((child) => (isElement(child) ? '' : child.text)).join('');
  if (text.length > SCRIPT_CHARS_MAX) return [];
  const found: JsonLd[] = [];
  const value = parseLenientJson(text);
  if (value === null) return recoverArticle(text);
  collectObjects(value, found, 0);
  return found;
}

/** Recovers the dates of an article whose JSON is broken beyond repair. */
function recoverArticle(text: string): JsonLd[] {
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

/** Parses JSON as pages write it: in comments or CDATA, with raw line breaks in strings and extra commas; null on failure. */
function parseLenientJson(text: string): unknown {
  const bare = text
    .replace(/^\s*(?:(?:\/\/|\/\*)\s*)?(?:<!--|<!\[CDATA\[)(?:\s*\*\/)?/, '')
    .replace(/(?:(?:\/\/|\/\*)\s*|(?<!\s)\s+)?(?:-->|\]\]>)(?:\s*\*\/)?\s*(?:;\s*)?$/, '')
    .trim()
    .replace(/;$/, '');
  const attempts = [() => bare, () => repairJson(bare)];
  for (const attempt of attempts) {
    try {
      return JSON.parse(attempt());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

function repairJson(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/,\s*([}\]])/g, '$1')
    .replace(/\\(?!["\\/bfnrtu])/g, '\\\\');
}

function collectObjects(value: unknown, found: JsonLd[], depth: number): void {
  if (depth > DEPTH_MAX || found.length >= OBJECTS_MAX || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collectObjects(each, found, depth + 1);
    return;
  }
  const object = value as Record<string, unknown>; // an object that is no array
  found.push({ types: readTypes(object['@type']), value: object });
  for (const name of NESTED) collectObjects(object[name], found, depth + 1);
}

function readTypes(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string').map((one) => one.toLowerCase().replace(/^.*[/:]/, ''));
}

/** Returns the objects that are a text of their own: articles and posts first, then other pages with a headline. */
export function filterArticles(objects: JsonLd[]): Record<string, unknown>[] {
  const filterByType = (pattern: RegExp): Record<string, unknown>[] =>
    objects.filter(({ types }) => types.some((type) => pattern.test(type))).map(({ value }) => value);
  return [...filterByType(ARTICLE), ...filterByType(OTHER_TEXT)];
}
const ARTICLE =
  /article$|^(?:blogposting|report|socialmediaposting|liveblogposting|discussionforumposting|advertisercontentarticle)$/;
const OTHER_TEXT =
  /^(?:recipe|howto|qapage|question|webpage|newsmediaorganization|videoobject|creativework|review|podcastepisode|course|book|event|jobposting|product|techarticle)$/;

/** Reads a property as plain text: a string, the name of an object, or the first text in an array. */
export function readLdText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (Array.isArray(value)) return value.map(readLdText).find((text) => text !== null) ?? null;
  if (typeof value !== 'object' || value === null) return null;
  const object = value as Record<string, unknown>; // an object that is no array
  return typeof object.name === 'string' || Array.isArray(object.name)
    ? readLdText(object.name)
    : readLdText(object['@value']);
}
