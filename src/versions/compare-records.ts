import { isObject, type RecordBody } from './record-rows.ts';

/** A place in the text of a page that an answer cites, in characters. */
type RecordedCitation = { url: string; contentHash: string; start: number; end: number };

/** A citation with the words at its place; null if the text of its page is no longer kept. */
export type QuotedCitation = RecordedCitation & { quote: string | null };

type ComparedRecord = Pick<RecordBody, 'answer' | 'pages'> & { citations: readonly QuotedCitation[] };

/** How one run of a request differs from another. */
type RecordComparison = {
  isChanged: boolean;
  /** Addresses that the answer lists, in its order. */
  results: { added: string[]; removed: string[]; kept: string[]; isReordered: boolean };
  /** The pages that one of them read: whether the other one read the same text. */
  pages: { url: string; state: 'same' | 'changed' | 'added' | 'removed' }[];
  /** The words that were cited, of which `kept` are cited again. */
  citations: { added: QuotedCitation[]; removed: QuotedCitation[]; kept: number };
};

/** The lists of an answer whose entries are pages. */
const PAGE_LISTS = ['results', 'citations', 'evidence'];

/** Pure: compares two runs of a request. */
export function compareRecords(before: ComparedRecord, after: ComparedRecord): RecordComparison {
  const [first, second] = [listUrls(before.answer), listUrls(after.answer)];
  const kept = second.filter((url) => first.includes(url));
  const results = {
    added: second.filter((url) => !first.includes(url)),
    removed: first.filter((url) => !second.includes(url)),
    kept,
    isReordered: first.filter((url) => second.includes(url)).join('\n') !== kept.join('\n'),
  };
  const [were, are] = [mapHashes(before), mapHashes(after)];
  const pages = [...new Set([...were.keys(), ...are.keys()])].map((url) => ({
    url,
    state: compareHashes(were.get(url), are.get(url)),
  }));
  const [cited, citedNow] = [before.citations.map(nameCitation), after.citations.map(nameCitation)];
  const citations = {
    added: after.citations.filter((one) => !cited.includes(nameCitation(one))),
    removed: before.citations.filter((one) => !citedNow.includes(nameCitation(one))),
    kept: after.citations.filter((one) => cited.includes(nameCitation(one))).length,
  };
  const isChanged =
    [results.added, results.removed, citations.added, citations.removed].some(({ length }) => length > 0) ||
    results.isReordered ||
    pages.some(({ state }) => state !== 'same');
  return { isChanged, results, pages, citations };
}

function compareHashes(
  before: string | undefined,
  after: string | undefined,
): RecordComparison['pages'][number]['state'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return before === after ? 'same' : 'changed';
}

const mapHashes = ({ pages }: Pick<RecordBody, 'pages'>): Map<string, string> =>
  new Map(pages.map(({ url, contentHash }) => [url, contentHash]));

/** The same words of the same page are one citation, wherever they stand. */
const nameCitation = ({ url, quote, start, end }: QuotedCitation): string =>
  `${url} ${quote ?? `${start}-${end}`}`;

function listUrls(answer: RecordBody['answer']): string[] {
  const urls = PAGE_LISTS.flatMap((name) => answer[name] ?? []).flatMap((one) =>
    isObject(one) && typeof one.url === 'string' ? [one.url] : [],
  );
  return [...new Set(urls)];
}

/** Collects the places that an answer cites. `url` and `contentHash` may stand in an object around the place. */
export function collectCitations(answer: RecordBody['answer']): RecordedCitation[] {
  const found = new Map<string, RecordedCitation>();
  const visit = (value: unknown, around: Partial<RecordedCitation>): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, around);
    if (!isObject(value)) return;
    const place = {
      ...around,
      ...(typeof value.url === 'string' ? { url: value.url } : {}),
      ...(typeof value.contentHash === 'string' ? { contentHash: value.contentHash } : {}),
    };
    const { url, contentHash } = place;
    const { start, end } = value;
    if (url !== undefined && contentHash !== undefined && isOffset(start) && isOffset(end))
      found.set(`${contentHash} ${start} ${end}`, { url, contentHash, start, end });
    for (const inner of Object.values(value)) visit(inner, place);
  };
  visit(answer, {});
  return [...found.values()];
}

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
