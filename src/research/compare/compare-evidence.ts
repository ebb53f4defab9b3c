/**
 * Says where sources agree and disagree. Claims (numbers, dates, makers) are read from quotations by rules, and only claims about the same
 * subject and attribute are compared; what the rules do not understand is left out.
 */

import { isSameDate } from '../../text/facts/dates.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { Agreement, Disagreement, Evidence, Facet } from '../evidence/relevance.ts';
import { isAttribute } from './attributes.ts';
import { type Claim, extractClaims } from './claims.ts';
import { hasDifferentMakers, hasSameMaker } from './makers.ts';
import { extractAskedClaims } from './requested-claims.ts';
import { parseAskedValues } from './requested-values.ts';
import { STEMS, type Subject } from './subject.ts';

/** Two subjects are the same if one contains the other and has at least this share of the larger one's terms. */
const SUBJECT_SHARE_MIN = 0.6;
/** Minimum share of common words around two figures that describe the same property. */
const ABOUT_SHARE_MIN = 0.6;
/** Relative tolerance for figures given as approximate. */
const ABOUT_TOLERANCE = 0.05;
/** Dimensions whose figures change over the years; compared only if both claims name the same years. */
const CHANGING = /^(?:count:|money:|percent|time)/;
const FOUND_MAX = 20;
/** Relative tolerance for half digits, which binary fractions do not represent exactly. */
const EDGE = 1e-9;

/**
 * Finds where sources agree and where they disagree. Compares only values of one dimension, event or deed whose subject and property
 * are worded nearly alike: a missed disagreement is better than a false one.
 */
export function compareEvidence(
  evidence: readonly Evidence[],
  facets: readonly Facet[] = [],
): { agreements: Agreement[]; disagreements: Disagreement[] } {
  const asked = parseAskedValues(facets, evidence).flatMap((one) => extractAskedClaims(one, evidence));
  const words = new Set(facets.flatMap(({ query }) => tokenizeWords(query, STEMS)));
  const others = extractClaims(evidence).filter(
    (claim) =>
      (words.size === 0 || [...claim.subject.terms].some((term) => words.has(term))) &&
      !asked.some((one) => isSameStatement(one, claim)),
  );
  const claims = [...asked, ...others].filter(
    ({ value, asked: isAsked }) => value.kind !== 'quantity' || isAsked !== null || !isBound(value.bound),
  );
  const groups = groupClaims(claims);
  const agreements = groups
    .filter((group) => new Set(group.map(({ site }) => site)).size > 1)
    .map((group) => ({ what: describeGroup(group), value: pickWording(group), sources: listSources(group) }));
  return {
    agreements: agreements.slice(0, FOUND_MAX),
    disagreements: findDisagreements(groups, findUnsettled(claims)).slice(0, FOUND_MAX),
  };
}

/** Returns whether two claims are the same words of one passage. */
const isSameStatement = (one: Claim, other: Claim): boolean =>
  one.source === other.source && (one.shown === other.shown || one.shown.includes(other.shown));

const isBound = (bound: string): boolean => bound === 'least' || bound === 'most';

/** Groups claims that state the same value of the same thing, in the order of their first claims. */
function groupClaims(claims: readonly Claim[]): Claim[][] {
  const groups: Claim[][] = [];
  for (const claim of claims) {
    const group = groups.find((known) =>
      known.every(
        (other) => isSameThing(claim, other, { isLoose: claim.asked !== null }) && isSameValue(claim, other),
      ),
    );
    if (group === undefined) groups.push([claim]);
    else group.push(claim);
  }
  return groups;
}

/** Finds claims of pages that state several values for the same thing: it is unclear which of them to compare with others. */
function findUnsettled(claims: readonly Claim[]): Set<Claim> {
  const unsettled = new Set<Claim>();
  for (const one of claims) {
    if (claims.some((other) => other.url === one.url && isSameProperty(one, other) && isConflict(one, other)))
      unsettled.add(one);
  }
  return unsettled;
}

function findDisagreements(groups: readonly Claim[][], unsettled: ReadonlySet<Claim>): Disagreement[] {
  const settled = groups
    .map((group) => group.filter((claim) => !unsettled.has(claim)))
    .filter((group) => group.length > 0);
  const taken = new Set<Claim[]>();
  const found: Disagreement[] = [];
  for (const group of settled) {
    if (taken.has(group)) continue;
    const against = settled.filter(
      (other) => other !== group && !taken.has(other) && isContradiction(group, other),
    );
    if (against.length === 0) continue;
    const sides = [group, ...against];
    for (const side of sides) taken.add(side);
    const values = sides.map((side) => ({ value: pickWording(side), sources: listSources(side) }));
    found.push({ what: describeGroup(group), values });
  }
  return found;
}

const isContradiction = (one: readonly Claim[], other: readonly Claim[]): boolean =>
  one.some((left) =>
    other.some((right) => left.url !== right.url && isSameProperty(left, right) && isConflict(left, right)),
  );

/** Returns whether two claims have the same subject, kind of value and qualifiers (`isLoose`: any qualifiers). */
function isSameThing(one: Claim, other: Claim, { isLoose } = { isLoose: false }): boolean {
  if (one.asked !== other.asked) return false;
  if (one.value.kind === 'quantity' && other.value.kind === 'quantity') {
    // Upper and lower bounds are compared only with bounds of the same kind.
    const bounds = [one.value.bound, other.value.bound];
    if (bounds.some(isBound) && bounds[0] !== bounds[1]) return false;
  }
  if (buildKey(one) !== buildKey(other)) return false;
  if (!isLoose && one.qualifiers !== other.qualifiers) return false;
  if (one.value.kind === 'quantity') {
    const mayChange = CHANGING.test(one.value.dimension);
    if (one.years !== other.years && (mayChange || (one.years !== '' && other.years !== ''))) return false;
  }
  return isSameSubject(one.subject, other.subject);
}

/** Like `isSameThing`, and the words around the values mean the same property. */
function isSameProperty(one: Claim, other: Claim): boolean {
  if (!isSameThing(one, other)) return false;
  const shared = [...one.about].filter((word) => other.about.has(word)).length;
  const all = new Set([...one.about, ...other.about]).size;
  if (all === 0) return one.value.kind !== 'quantity' || one.value.dimension.startsWith('count:');
  return shared / all >= ABOUT_SHARE_MIN;
}

function isSameSubject(
  { terms: one, variant }: Subject,
  { terms: other, variant: otherVariant }: Subject,
): boolean {
  if (variant !== null && otherVariant !== null && variant !== otherVariant) return false;
  const shared = [...one].filter((term) => other.has(term)).length;
  return (
    shared === Math.min(one.size, other.size) && shared / Math.max(one.size, other.size) >= SUBJECT_SHARE_MIN
  );
}

function buildKey({ value, asked }: Claim): string {
  // The question says what is counted, and sources may name it differently, such as books or volumes.
  if (value.kind === 'quantity')
    return asked === null ? value.dimension : value.dimension.replace(/^count:.*/, 'count');
  if (value.kind === 'date') return `date:${value.event}`;
  return value.kind === 'maker' ? `maker:${value.deed}` : value.kind;
}

/** Returns whether two claims about one thing state the same value of the same property. */
function isSameValue(one: Claim, other: Claim): boolean {
  const [left, right] = [one.value, other.value];
  if (left.kind === 'quantity' && right.kind === 'quantity') {
    const meansSame = one.about.size === 0 || other.about.size === 0 || hasCommonWord(one.about, other.about);
    return meansSame && Math.abs(left.value - right.value) <= computeTolerance(left, right);
  }
  if (left.kind === 'date' && right.kind === 'date')
    return isSameAbout(one, other) && isSameDate(left, right);
  if (left.kind === 'text' && right.kind === 'text') return left.text === right.text;
  if (left.kind === 'whether' && right.kind === 'whether') return left.isDenied === right.isDenied;
  return left.kind === 'maker' && right.kind === 'maker' && hasSameMaker(left.names, right.names);
}

/** Returns whether two claims cannot both be right. */
function isConflict(one: Claim, other: Claim): boolean {
  const [left, right] = [one.value, other.value];
  if (left.kind === 'quantity' && right.kind === 'quantity')
    return Math.abs(left.value - right.value) > computeRoundingTolerance(left, right);
  if (left.kind === 'date' && right.kind === 'date') return !isSameDate(left, right);
  if (left.kind === 'text' && right.kind === 'text') return left.text !== right.text;
  if (left.kind === 'whether' && right.kind === 'whether') return left.isDenied !== right.isDenied;
  return left.kind === 'maker' && right.kind === 'maker' && hasDifferentMakers(left.names, right.names);
}

const hasCommonWord = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((word) => other.has(word));

const isSameAbout = (one: Claim, other: Claim): boolean =>
  (one.about.size === 0 && other.about.size === 0) || hasCommonWord(one.about, other.about);

type Figure = { value: number; step: number; grain: number; bound: string };

/** Computes how far apart two figures for one value can be if each was rounded to its last digit. */
const computeTolerance = (one: Figure, other: Figure): number =>
  addSlack(Math.max(one.grain, other.grain) / 2);

/** Computes the same if trailing zeros and approximate figures may be rounded as well. */
function computeRoundingTolerance(one: Figure, other: Figure): number {
  const loose = one.bound === 'about' || other.bound === 'about' ? ABOUT_TOLERANCE : 0;
  const size = Math.max(Math.abs(one.value), Math.abs(other.value));
  return Math.max(((one.step + other.step) / 2) * (1 - EDGE), loose * size);
}

/** Adds a tolerance for half digits, which binary fractions do not represent exactly. */
const addSlack = (distance: number): number => distance * (1 + EDGE);

/** Describes what a group of claims is about, in the words of its first claim. */
function describeGroup([first]: readonly Claim[]): string {
  if (first === undefined) return '';
  const { subject, about, value, shown } = first;
  if (first.asked !== null) return first.asked;
  const properties = [...about].filter(isAttribute);
  if (value.kind === 'date') return `${subject.shown}: ${value.event}`;
  if (value.kind === 'maker') return `${subject.shown}: ${value.deed} by`;
  if (value.kind !== 'quantity') return subject.shown;
  const counted = value.dimension.startsWith('count:') ? shown.replace(/^[^\p{L}]+/u, '') : '';
  const named = counted === '' ? value.dimension.replace(/^.*:/, '') : counted;
  return `${subject.shown}: ${properties.length > 0 ? properties.join(', ') : named}`;
}

/** Picks the most common wording; of equally common ones, the most exact. */
function pickWording(group: readonly Claim[]): string {
  const counts = new Map<string, number>();
  for (const { shown } of group) counts.set(shown, (counts.get(shown) ?? 0) + 1);
  const [best] = group.toSorted(
    (one, other) =>
      (counts.get(other.shown) ?? 0) - (counts.get(one.shown) ?? 0) ||
      measureCoarseness(one) - measureCoarseness(other),
  );
  return best?.shown ?? '';
}

function measureCoarseness({ value }: Claim): number {
  if (value.kind === 'quantity') return value.step;
  if (value.kind === 'date') return (value.month === null ? 1 : 0) + (value.day === null ? 1 : 0);
  return value.kind === 'maker' ? -value.names.join('').length : 0;
}

const listSources = (group: readonly Claim[]): string[] => [...new Set(group.map(({ source }) => source))];
