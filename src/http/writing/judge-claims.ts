/**
 * The judgement of the operator's model about statements that the rules did not find on the pages that they cite. It is shown the passages
 * that are most alike and chooses quotations; a verdict stands only where the rules come to the same with these quotations. What the rules
 * have decided is not asked about, so that no page and no model can make the result less than it is without one.
 */
import type { CheckedClaim } from '../../search/check-claims.ts';
import { buildTextFragmentLink } from '../../text/citations/text-fragment.ts';
import type { WriteRequest, Writer } from '../../writing/writer.ts';
import type { WrittenPart } from './write-text.ts';

/** Further statements are left to the rules. */
const STATEMENTS_MAX = 30;
const PASSAGES_MAX = 80;

/** `decided`: how many statements have a verdict that they did not have; `part`: null, or why the model said nothing. */
type Judgement = {
  claims: (CheckedClaim & { byModel?: true })[];
  decided: number;
  part: Extract<WrittenPart, { kind: 'none' }> | null;
};

export async function judgeClaims(
  writer: Writer,
  claims: readonly CheckedClaim[],
  call: Pick<WriteRequest, 'signal' | 'tenant' | 'keep'>,
): Promise<Judgement> {
  const open = claims.filter(({ near }) => near.length > 0).slice(0, STATEMENTS_MAX);
  if (open.length === 0) return { claims: [...claims], decided: 0, part: null };
  const passages = open.flatMap(({ near }) => near);
  const seen = new Set<string>();
  const outcome = await writer.judgeClaims({
    ...call,
    statements: open.map(({ text }) => text),
    passages: passages
      .filter(({ url, text }) => !seen.has(`${url} ${text}`) && seen.add(`${url} ${text}`))
      .slice(0, PASSAGES_MAX),
  });
  if (!outcome.ok) return { claims: [...claims], decided: 0, part: { kind: 'none', why: outcome.problem } };
  const decided = new Map(
    outcome.judged.flatMap(({ statement, verdict, quote, problems }) => {
      const claim = open[statement];
      const passage = outcome.passages[quote.passage];
      // A statement may only stand on a page that it cites.
      if (claim === undefined || !claim.near.some(({ url }) => url === passage?.url)) return [];
      const { url, text } = passage ?? { url: '', text: '' };
      const page = { url, quote: quote.quote, link: buildTextFragmentLink(url, text, quote) };
      return [[claim, { ...claim, verdict, problems, page, byModel: true as const }] as const];
    }),
  );
  return { claims: claims.map((claim) => decided.get(claim) ?? claim), decided: decided.size, part: null };
}
