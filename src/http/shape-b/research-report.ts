import type { ResearchAnswer } from '../../research/research.ts';

type Evidence = ResearchAnswer['evidence'][number];
type Source = { title: string; url: string };

/** Collects the pages of the evidence, each once, in the order of their first passage. */
export function collectSources({ evidence }: Pick<ResearchAnswer, 'evidence'>): Source[] {
  return [...new Map(evidence.map(({ url, title }) => [url, { title, url }])).values()];
}

/** Formats the evidence as a Markdown report: verbatim quotations by facet, numbered by page, and where sources agree and disagree. */
export function formatReport(input: string, answer: ResearchAnswer): string {
  const sources = collectSources(answer);
  const numberOf = new Map(sources.map(({ url }, place) => [url, place + 1]));
  const byId = new Map(answer.evidence.map((one) => [one.id, one]));
  const formatMarks = (ids: readonly string[]): string =>
    ids.map((id) => `[${numberOf.get(byId.get(id)?.url ?? '') ?? '?'}]`).join('');
  const parts = [
    `# ${collapseWhitespace(input)}`,
    ...formatFacets(answer, (one) => `[${numberOf.get(one.url)}](${one.link})`),
    formatSection(
      'Where sources agree',
      answer.agreements.map(({ what, value, sources: ids }) => `- ${what}: ${value} ${formatMarks(ids)}`),
    ),
    formatSection(
      'Where sources disagree',
      answer.disagreements.map(
        ({ what, values }) =>
          `- ${what}: ${values.map(({ value, sources: ids }) => `${value} ${formatMarks(ids)}`).join('; ')}`,
      ),
    ),
    formatSection(
      'Not found',
      answer.facets.flatMap(({ facet, why }) =>
        why === null ? [] : [`- ${collapseWhitespace(facet)}: ${why}`],
      ),
    ),
    formatSection(
      'Sources',
      sources.map(({ title, url }, place) => `${place + 1}. ${collapseWhitespace(title) || url}: ${url}`),
    ),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Lists each passage under the facet that it fits best. */
function formatFacets(
  { facets, evidence }: Pick<ResearchAnswer, 'facets' | 'evidence'>,
  mark: (one: Evidence) => string,
): string[] {
  return facets.map(({ facet }, place) =>
    formatSection(
      facet,
      evidence
        .filter((one) => one.facets[0] === place)
        .map((one) => `${formatQuote(one.quote)}\n>\n> ${mark(one)}`),
      '\n\n',
    ),
  );
}

const formatSection = (title: string, lines: readonly string[], between = '\n'): string =>
  lines.length === 0 ? '' : `## ${collapseWhitespace(title)}\n\n${lines.join(between)}`;

const formatQuote = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim();
