/** The words by which two results are compared. */
export type SnippetWords = { title: ReadonlySet<string>; shingles: ReadonlySet<string> };

const SHINGLE_WORDS = 3;
/** A shorter snippet says too little to call two pages copies. */
const SHINGLES_MIN = 12;
const SHARED_SNIPPET_MIN = 0.8;
const SHARED_TITLE_MIN = 0.6;

export function readSnippet(title: readonly string[], snippet: readonly string[]): SnippetWords {
  const shingles = new Set<string>();
  for (let start = 0; start + SHINGLE_WORDS <= snippet.length; start += 1)
    shingles.add(snippet.slice(start, start + SHINGLE_WORDS).join(' '));
  return { title: new Set(title), shingles };
}

/** Whether two results show the same text: the longer snippet contains most of the shorter one, and the titles share most words. */
export function areCopies(one: SnippetWords, other: SnippetWords): boolean {
  if (Math.min(one.shingles.size, other.shingles.size) < SHINGLES_MIN) return false;
  return (
    isMostlyShared(one.shingles, other.shingles, SHARED_SNIPPET_MIN) &&
    isMostlyShared(one.title, other.title, SHARED_TITLE_MIN)
  );
}

/** Whether the larger set has this share of the smaller one. Gives up early: most pairs differ in their first few members. */
function isMostlyShared(one: ReadonlySet<string>, other: ReadonlySet<string>, shareMin: number): boolean {
  const [smaller, larger] = one.size <= other.size ? [one, other] : [other, one];
  let missing = smaller.size - Math.ceil(shareMin * smaller.size);
  for (const value of smaller) {
    if (larger.has(value)) continue;
    missing -= 1;
    if (missing < 0) return false;
  }
  return true;
}
