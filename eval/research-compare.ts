/**
 * Measures how well values are compared: npm run eval:research-compare. Paragraphs of one encyclopedia article are compared as if
 * each were on a site of its own: disagreements reported there are mostly wrong. Then a copy of each paragraph gets its first number
 * or year changed: counts how many of the understood claims are reported to disagree, and how many to agree without the change.
 */
import { join } from 'node:path';
import { readCollection } from '../bench/known-item/text-collections.ts';
import { claimsOf } from '../src/research/compare/claims.ts';
import { compareEvidence } from '../src/research/compare/compare-evidence.ts';
import type { Evidence } from '../src/research/evidence/research-types.ts';

const data = process.env.EVAL_DATA ?? '../shared/data';
const SHOWN_MAX = Number(process.env.EVAL_SHOWN ?? 0);
const paragraphs = ['squad2_dev_half', 'qed_train', 'hotpotqa100'].flatMap((name) =>
  readCollection(join(data, name), 'beir').pages.map(({ title, markdown }) => ({ title, quote: markdown })),
);

const articles = Map.groupBy(paragraphs, ({ title }) => title);
let claims = 0;
let agreements = 0;
let disagreements = 0;
for (const [title, parts] of articles) {
  const evidence = parts.map((part, place) => evidenceOf(part, place));
  claims += claimsOf(evidence).length;
  const compared = compareEvidence(evidence);
  agreements += compared.agreements.length;
  disagreements += compared.disagreements.length;
  for (const { what, values } of compared.disagreements) {
    if (disagreements > SHOWN_MAX) break;
    console.log(`${title}: ${what}: ${JSON.stringify(values)}`);
    for (const { value, sources } of values) {
      const quote = evidence.find(({ id }) => id === sources[0])?.quote ?? '';
      const at = quote.indexOf(value);
      console.log(`    ${value}: ${quote.slice(Math.max(0, at - 150), at + 80).replaceAll('\n', ' ')}`);
    }
  }
}
console.log(`${paragraphs.length} paragraphs of ${articles.size} articles, ${claims} claims`);
console.log(`within articles: ${agreements} agreements, ${disagreements} disagreements`);

let changed = 0;
let told = 0;
let confirmed = 0;
for (const [place, paragraph] of paragraphs.entries()) {
  const first = evidenceOf(paragraph, 2 * place);
  const claim = claimsOf([first]).find(({ value, shown }) => value.kind !== 'maker' && /\d/.test(shown));
  if (claim === undefined) continue;
  const other = claim.shown.replace(/\d{2,}|\d/, (digits) =>
    String(Number(digits) + 2 + Math.ceil(Number(digits) / 3)),
  );
  const second = { ...paragraph, quote: paragraph.quote.replace(claim.shown, other) };
  changed += 1;
  if (compareEvidence([first, evidenceOf(second, 2 * place + 1)]).disagreements.length > 0) told += 1;
  if (compareEvidence([first, evidenceOf(paragraph, 2 * place + 1)]).agreements.length > 0) confirmed += 1;
}
console.log(
  `${changed} paragraphs with a claim: changed and told ${share(told)}, unchanged and confirmed ${share(confirmed)}`,
);

function share(count: number): string {
  return (count / Math.max(1, changed)).toFixed(3);
}

function evidenceOf({ title, quote }: { title: string; quote: string }, place: number): Evidence {
  const url = `https://site-${place}.example/`;
  return {
    id: `e${place}`,
    url,
    link: url,
    title,
    quote,
    language: 'en',
    publishedDay: null,
    headingPath: [],
    start: 0,
    end: quote.length,
    facets: [0],
    score: 1,
  };
}
