import { type Case, charsFrom, each, missing, posting, refused, served, someText } from './spec-case.ts';

const contents = posting('/v1/contents');
const url = '{site}/birds';
const urls = [url];
const many = (count: number): string[] => Array.from({ length: count }, (_, place) => `{site}/n/${place}`);
const TEXT = { 'results.*.text': someText };

/** What POST /v1/contents takes and refuses, field by field. */
export const CONTENTS_REQUESTS: Case[] = [
  contents('CU01', 'urls with 1 URL is read', { urls }, served(1, { is: TEXT })),
  contents(
    'CU02',
    'urls with 10 URLs is read',
    { urls: many(10) },
    served(10, { is: { 'results.length': 10 } }),
  ),
  contents('CU03', 'urls with 11 URLs is refused', { urls: many(11) }, refused('urls', { message: /10/ })),
  contents('CU04', 'ids is the same as urls', { ids: urls }, served(1, { is: TEXT })),
  contents('CU05', 'ids with 10 URLs is read', { ids: many(10) }, served(10)),
  contents('CU06', 'ids with 11 URLs is refused', { ids: many(11) }, refused('ids', { message: /10/ })),
  contents(
    'CU07',
    'urls and ids count together: 10 are read',
    { urls: many(6), ids: ['{site}/birds', '{site}/undated', '{site}/short', '{site}/table'] },
    served(10, { is: { 'statuses.length': 10 } }),
  ),
  contents(
    'CU08',
    'urls and ids count together: 11 are refused',
    { urls: many(6), ids: many(5) },
    { status: 422, code: 'validation_error', message: /10/ },
  ),
  contents('CU09', 'neither urls nor ids is refused', {}, refused('urls')),
  contents('CU10', 'empty urls is refused', { urls: [] }, refused('urls')),
  contents('CU11', 'urls null counts as absent', { urls: null }, refused('urls')),
  contents('CU12', 'urls null beside ids is read', { urls: null, ids: urls }, served(1, { is: TEXT })),
  contents('CU13', 'a bare string is one URL', { urls: url }, served(1, { is: { 'results.length': 1 } })),
  ...each([7, true, {}], (value, n) =>
    contents(`CU14.${n}`, `urls ${JSON.stringify(value)} is refused`, { urls: value }, refused('urls')),
  ),
  ...each([7, null, '', ' ', {}, ['{site}/birds']], (value, n) =>
    contents(
      `CU15.${n}`,
      `an entry ${JSON.stringify(value)} is refused`,
      { urls: [value] },
      { status: 422, code: 'validation_error', message: /^urls/ },
    ),
  ),

  contents(
    'CT01',
    'text is on by default',
    { urls },
    served(1, { is: { ...TEXT, 'results.*.highlights': missing, 'results.*.prunedContext': missing } }),
  ),
  contents('CT02', 'text true gives the text', { urls, text: true }, served(1, { is: TEXT })),
  contents(
    'CT03',
    'text false leaves it out',
    { urls, text: false },
    served(1, { is: { 'results.*.text': missing } }),
  ),
  contents('CT04', 'text null gives the default', { urls, text: null }, served(1, { is: TEXT })),
  contents('CT05', 'text {} is true', { urls, text: {} }, served(1, { is: TEXT })),
  contents(
    'CT06',
    'text.maxCharacters 100 bounds the text',
    { urls, text: { maxCharacters: 100 } },
    served(1, { is: { 'results.*.text': charsFrom(1, 100) } }),
  ),
  contents(
    'CT07',
    'text.max_characters is the same field',
    { urls, text: { max_characters: 100 } },
    served(1, { is: { 'results.*.text': charsFrom(1, 100) } }),
  ),
  contents(
    'CT08',
    'the default call of a client library is served',
    { urls, text: { maxCharacters: 10_000 } },
    served(1, { is: { 'results.*.text': charsFrom(1, 10_000) } }),
  ),
  contents(
    'CT09',
    'options of text that are not ours are ignored',
    { urls, text: { includeHtmlTags: 'x', verbosity: 7, includeSections: [] } },
    served(1, { is: TEXT }),
  ),
  ...each([7, 'yes', [true]], (text, n) =>
    contents(`CT10.${n}`, `text ${JSON.stringify(text)} is refused`, { urls, text }, refused('text')),
  ),
  ...each([0, -1, 2.5, '100'], (maxCharacters, n) =>
    contents(
      `CT11.${n}`,
      `text.maxCharacters ${JSON.stringify(maxCharacters)} is refused`,
      { urls, text: { maxCharacters } },
      refused('text.maxCharacters'),
    ),
  ),
  contents(
    'CT12',
    'text.maxCharacters 1 is the least',
    { urls, text: { maxCharacters: 1 } },
    served(1, { is: { 'results.*.text': charsFrom(0, 1) } }),
  ),
];
