import type { Mutant } from './mutant.ts';

const FILTERS = 'src/text/query/filters.ts';
const FILTERS_SUITE = ['src/text/query/filters.test.ts'];
const MARKDOWN_SUITE = ['src/pages/extract/markdown/write-markdown.test.ts', 'test/pages/pages.test.ts'];
const QUOTE_SUITE = ['src/text/citations/find-quote.test.ts'];
const FRAGMENT_SUITE = ['src/text/citations/text-fragment.test.ts'];

/** Faults in filters, extraction and citations. */
export const textMutants: Mutant[] = [
  {
    name: 'attributes-of-a-page-shared-by-all',
    file: 'src/pages/extract/parse/head-rules.ts',
    find: 'if (own.attributes === NO_ATTRIBUTES) own.attributes = {};',
    replace: '',
    suite: ['src/pages/extract/content/hostile.test.ts'],
  },
  {
    name: 'first-day-is-excluded',
    file: FILTERS,
    find: 'day >= publishedFrom',
    replace: 'day > publishedFrom',
    suite: FILTERS_SUITE,
  },
  {
    name: 'undated-pages-pass',
    file: FILTERS,
    find: 'day !== null &&\n',
    replace: 'day === null ||\n',
    suite: FILTERS_SUITE,
  },
  {
    name: 'domain-covers-names-that-end-alike',
    file: FILTERS,
    find: '!host.endsWith(`.',
    replace: '!host.endsWith(`',
    suite: FILTERS_SUITE,
  },
  {
    name: 'path-covers-names-that-begin-alike',
    file: FILTERS,
    find: 'filter.path}/',
    replace: 'filter.path}',
    suite: FILTERS_SUITE,
  },
  {
    name: 'all-included-domains-must-match',
    file: FILTERS,
    find: '!include.some(matchesFilter)',
    replace: '!include.every(matchesFilter)',
    suite: FILTERS_SUITE,
  },
  {
    name: 'aria-hidden-text-is-shown',
    file: 'src/pages/extract/content/hidden.ts',
    find: "ariaHidden === 'true'",
    replace: "ariaHidden === 'yes'",
    suite: ['src/pages/extract/content/hidden.test.ts'],
  },
  {
    name: 'leap-day-of-2000-is-refused',
    file: 'src/pages/extract/dates/read-day.ts',
    find: '(year % 100 === 0 && year % 400 !== 0)',
    replace: 'year % 100 === 0',
    suite: ['src/pages/extract/dates/read-day.test.ts'],
  },
  {
    name: 'day-and-month-change-places',
    file: 'src/pages/extract/dates/read-day.ts',
    find: "const usual = order === 'day-first'",
    replace: "const usual = order !== 'day-first'",
    suite: ['src/pages/extract/dates/read-day.test.ts'],
  },
  {
    name: 'spanned-rows-go-on',
    file: 'src/pages/extract/markdown/blocks/table.ts',
    find: 'rows: deep - 1',
    replace: 'rows: deep',
    suite: MARKDOWN_SUITE,
  },
  {
    name: 'parenthesis-ends-a-link',
    file: 'src/pages/extract/markdown/inline/link.ts',
    find: 'escapeParentheses(href)}',
    replace: 'href}',
    suite: MARKDOWN_SUITE,
  },
  {
    name: 'directives-for-another-bot-count',
    file: 'src/pages/extract/metadata/robots-directives.ts',
    find: 'if (isForUs) directives',
    replace: 'if (line !== null) directives',
    suite: [
      'src/pages/extract/metadata/robots-directives.test.ts',
      'src/pages/privacy/determine-privacy.test.ts',
    ],
  },
  {
    name: 'quote-ends-a-letter-late',
    file: 'src/text/citations/find-quote.ts',
    find: 'ends[at + wanted.length - 1]',
    replace: 'ends[at + wanted.length]',
    suite: QUOTE_SUITE,
  },
  {
    name: 'heading-is-not-in-its-own-path',
    file: 'src/text/citations/find-quote.ts',
    find: 'start <= offset',
    replace: 'start < offset',
    suite: QUOTE_SUITE,
  },
  {
    name: 'accents-in-another-form-differ',
    file: 'src/text/citations/find-quote.ts',
    find: ".normalize('NFC')",
    replace: '',
    suite: QUOTE_SUITE,
  },
  {
    name: 'hyphen-breaks-a-text-fragment',
    file: 'src/text/citations/text-fragment.ts',
    find: "/[-!'()*~_.]/g",
    replace: "/[!'()*~_.]/g",
    suite: FRAGMENT_SUITE,
  },
  {
    name: 'text-fragments-pile-up',
    file: 'src/text/citations/text-fragment.ts',
    find: "url.replace(/:~:.*$/s, '')",
    replace: 'url',
    suite: FRAGMENT_SUITE,
  },
];
