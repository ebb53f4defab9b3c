import type { ChunkTerms } from './chunk-terms.ts';
import type { PassageQuery } from './passage-query.ts';

const YEAR = /^(?:1\d|20)\d\d$/;
const NUMBER = /^\d[\d.]*$/;
const MONTHS = new Set(
  'januari februari march april june juli august septemb octob novemb decemb'.split(' '),
);
const NUMERALS = new Set(
  'two three four five six seven eight nine ten eleven twelv hundr thousand million billion'.split(' '),
);

/** 1 for each chunk that holds a thing of the kind that the question asks for (a date, a number), else 0. */
export function askedKind(page: ChunkTerms, { asks }: PassageQuery): Float64Array {
  const out = new Float64Array(page.from.length - 1);
  if (asks === null) return out;
  const fits = page.terms.map((term) =>
    asks === 'date' ? YEAR.test(term) || MONTHS.has(term) : NUMBER.test(term) || NUMERALS.has(term),
  );
  return out.map((_, chunk) =>
    page.ids.subarray(page.from[chunk], page.from[chunk + 1]).some((id) => fits[id]) ? 1 : 0,
  );
}
