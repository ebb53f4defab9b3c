import { parseDomainFilter } from '../../text/query/filters.ts';

type Sites = { query: string; includeDomains: string[]; excludeDomains: string[] };

/**
 * Splits a query with operators (`site:`, `-site:`, alone or joined as in `(words) AND (site:a.org OR site:b.org)`) into its words and the
 * domain filters. A query that has only operators stays unchanged.
 */
export function readSiteOperators(text: string): Sites {
  const [include, exclude, words]: [string[], string[], string[]] = [[], [], []];
  for (const word of text.split(/\s+/)) {
    const [, open = '', minus, site = ''] = /^(\(?)(-?)site:([^()]+)\)?$/i.exec(word) ?? [];
    if (minus === undefined || parseDomainFilter(site) === null) {
      words.push(word);
      continue;
    }
    // `AND` before the group, `OR` between its sites.
    if (words.at(-1) === (open === '' ? 'OR' : 'AND')) words.pop();
    (minus === '' ? include : exclude).push(site);
  }
  const query = stripParentheses(words.join(' ').trim());
  if (query === '' || include.length + exclude.length === 0)
    return { query: text, includeDomains: [], excludeDomains: [] };
  return { query, includeDomains: include, excludeDomains: exclude };
}

/** `(knots and bends)` -> `knots and bends`. */
function stripParentheses(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith('(') && text.endsWith(')') && !/[()]/.test(inner) ? inner.trim() : text;
}
