import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as irish } from '@orama/stemmers/irish';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as nepali } from '@orama/stemmers/nepali';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as serbian } from '@orama/stemmers/serbian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { stem as english } from 'porter2';

type Stem = (word: string) => string;

/** Stemmers by primary language subtag. */
const STEMMERS: ReadonlyMap<string, Stem> = new Map<string, Stem>([
  ['ar', arabic],
  ['bg', ignoreTypeErrors(bulgarian)],
  ['da', danish],
  ['de', german],
  ['el', greek],
  ['en', english],
  ['es', spanish],
  ['fi', finnish],
  ['fr', french],
  ['ga', irish],
  ['hi', hindi],
  ['hu', hungarian],
  ['hy', armenian],
  ['id', indonesian],
  ['it', italian],
  ['lt', lithuanian],
  ['nb', norwegian],
  ['ne', nepali],
  ['nl', dutch],
  ['nn', norwegian],
  ['no', norwegian],
  ['pt', portuguese],
  ['ro', romanian],
  ['ru', russian],
  ['sr', serbian],
  ['sv', swedish],
  ['ta', tamil],
  ['tr', turkish],
  ['uk', ukrainian],
]);

/**
 * Returns the word unchanged when the stemmer throws a TypeError, as the Bulgarian one does for some words: it assigns to letters
 * of a string.
 */
function ignoreTypeErrors(stem: Stem): Stem {
  return (word) => {
    try {
      return stem(word);
    } catch (error) {
      if (error instanceof TypeError) return word;
      throw error;
    }
  };
}

/** Assumed when a page declares no language: most such pages are English, and its stemmer leaves other scripts alone. */
const LANGUAGE_DEFAULT = 'en';
const CACHED_WORDS_MAX = 30_000;
const WORD_CHARS_MAX = 40;

/** Stems of one language in two generations: `young` fills up and then replaces `old`, so that words in frequent use survive. */
type Cache = { young: Map<string, string>; old: ReadonlyMap<string, string> };

const caches = new Map<string, Cache>();

/**
 * Returns the primary language subtag that selects the stemmer of a text, or '' for a language without one. Texts with the same
 * result have comparable terms.
 */
export function resolveStemLanguage(language: string | null): string {
  const primary = (language ?? LANGUAGE_DEFAULT).toLowerCase().split(/[-_]/)[0] ?? '';
  return STEMMERS.has(primary) ? primary : '';
}

/** Returns the stem of a folded lower-case word, or the word itself when `language` (see `resolveStemLanguage`) has no stemmer. */
export function stemWord(word: string, language: string): string {
  const stemmer = STEMMERS.get(language);
  if (stemmer === undefined || word.length < 3 || word.length > WORD_CHARS_MAX) return word;
  const { young, old } = ensureCache(language);
  const known = young.get(word);
  if (known !== undefined) return known;
  const stem = old.get(word) ?? (stemmer(word) || word);
  young.set(word, stem);
  return stem;
}

/** Returns the cache of a language, first starting a new generation when the young one is full. */
function ensureCache(language: string): Cache {
  const cache = caches.get(language);
  if (cache !== undefined && cache.young.size < CACHED_WORDS_MAX) return cache;
  const next = { young: new Map<string, string>(), old: cache?.young ?? new Map<string, string>() };
  caches.set(language, next);
  return next;
}
