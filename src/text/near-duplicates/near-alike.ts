/** What two results are compared by. */
export type Likeness = { title: ReadonlySet<string>; shingles: ReadonlySet<string> };

const SHINGLE_WORDS = 3;
/** A snippet of fewer words says too little to call two pages one. */
const SHINGLES_MIN = 12;
const SHARED_SNIPPET_MIN = 0.8;
const SHARED_TITLE_MIN = 0.6;

export function likenessOf(title: readonly string[], snippet: readonly string[]): Likeness {
  const shingles = new Set<string>();
  for (let start = 0; start + SHINGLE_WORDS <= snippet.length; start += 1)
    shingles.add(snippet.slice(start, start + SHINGLE_WORDS).join(' '));
  return { title: new Set(title), shingles };
}

/** Whether two results show the same text: most of the one passage stands in the other, and the titles are of one kind. */
export function nearlyAlike(one: Likeness, other: Likeness): boolean {
  if (Math.min(one.shingles.size, other.shingles.size) < SHINGLES_MIN) return false;
  return (
    isMostlyShared(one.shingles, other.shingles, SHARED_SNIPPET_MIN) &&
    isMostlyShared(one.title, other.title, SHARED_TITLE_MIN)
  );
}

/** Whether so much of the smaller set stands in the other; most pairs are told apart by their first few members. */
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
