/** Labels that many hosts and paths share. */
const PLAIN = new Set(['www', 'com', 'net', 'org', 'docs', 'doc', 'html', 'example', 'latest', 'stable']);
const LABEL_CHARS_MIN = 3;
/** A prefix of a name counts as the name if it is this long, or this share of it: `postgres` and postgresql. */
const BEGINNING = { chars: 5, share: 0.6 };
const NAME_CHARS_MIN = 4;

/** Returns the words that name the site of a page, in lower case: those of its host and of the first part of its path. */
export function listSiteLabels(url: string): string[] {
  const address = URL.parse(url);
  if (address === null) return [];
  const [first = ''] = address.pathname.split('/').slice(1, -1);
  return `${address.hostname} ${first}`
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((label) => label.length >= LABEL_CHARS_MIN && !PLAIN.has(label));
}

/** True when a word of a query names the site of a page rather than its subject. */
export function matchesSiteName(word: string, labels: readonly string[]): boolean {
  return labels.some((label) => {
    if (label === word) return word.length >= LABEL_CHARS_MIN;
    if (word.length < NAME_CHARS_MIN || !label.startsWith(word)) return false;
    return word.length >= BEGINNING.chars || word.length >= BEGINNING.share * label.length;
  });
}
