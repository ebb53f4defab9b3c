import { extractNames } from '../../text/facts/names.ts';

/** The makers of a sentence's subject: `designed by Gustave Eiffel`. `deed` is the verb in its most common form. */
type Maker = { start: number; end: number; shown: string; deed: string; names: string[] };

const DEEDS: Record<string, string> = {
  designed: 'designed',
  written: 'written',
  authored: 'written',
  directed: 'directed',
  founded: 'founded',
  invented: 'invented',
  discovered: 'discovered',
  composed: 'composed',
  painted: 'painted',
  created: 'created',
  sculpted: 'sculpted',
  developed: 'developed',
  produced: 'produced',
  commissioned: 'commissioned',
  built: 'built',
  published: 'published',
  acquired: 'acquired',
  owned: 'owned',
};
const BY = new RegExp(`(?<![\\p{L}-])(?<deed>${Object.keys(DEEDS).join('|')})\\s+by\\s+`, 'giu');
/** Matches the text between two makers of one thing. */
const JOINT = /^(?:,\s*|\s+and\s+|,\s+and\s+|\s*&\s*)$/u;
/** Titles before a name are not part of it. */
const TITLES = /^(?:(?:Sir|Dr|Dr\.|Lord|Lady|Saint|King|Queen|Prince|President|Engineer|Architect)\s+)+/u;
const MAKERS_MAX = 6;

/** Extracts the makers that a sentence names right after `… by`. */
export function extractMakers(sentence: string): Maker[] {
  return [...sentence.matchAll(BY)].flatMap(({ 0: head, index, groups }): Maker[] => {
    const start = index + head.length;
    const rest = sentence.slice(start);
    const named = extractNames(`: ${rest}`).map((name) => ({
      ...name,
      start: name.start - 2,
      end: name.end - 2,
    }));
    const names: string[] = [];
    let end = 0;
    for (const name of named.slice(0, MAKERS_MAX)) {
      const between = rest.slice(end, name.start);
      if (names.length === 0 ? !/^(?:the\s+)?$/u.test(between) : !JOINT.test(between)) break;
      names.push(name.text.replace(TITLES, ''));
      end = name.end;
    }
    const deed = DEEDS[groups?.deed?.toLowerCase() ?? ''];
    if (names.length === 0 || deed === undefined) return [];
    return [{ start: index, end: start + end, shown: rest.slice(0, end), deed, names }];
  });
}

/** Returns whether two lists share a person: same last name, with matching first names or initials. */
export function hasSameMaker(one: readonly string[], other: readonly string[]): boolean {
  return one.some((left) => other.some((right) => isSameName(splitName(left), splitName(right))));
}

/** Returns whether two lists name different people: no word of any name is in both. */
export function hasDifferentMakers(one: readonly string[], other: readonly string[]): boolean {
  const words = new Set(one.flatMap(splitName).filter((part) => part.length > 1));
  return !other.flatMap(splitName).some((part) => words.has(part));
}

const splitName = (name: string): string[] => name.toLowerCase().replace(/\./g, ' ').trim().split(/\s+/);

function isSameName(one: readonly string[], other: readonly string[]): boolean {
  if (one.at(-1) !== other.at(-1)) return false;
  const [firsts, others] = [one.slice(0, -1), other.slice(0, -1)];
  if (firsts.length === 0 || others.length === 0) return true;
  return firsts.some((left) => others.some((right) => matchesFirstName(left, right)));
}

const matchesFirstName = (left: string, right: string): boolean =>
  left === right || (left[0] === right[0] && Math.min(left.length, right.length) === 1);
