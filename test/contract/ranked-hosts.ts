import type { IndexedPage } from '../../src/index/local-index-types.ts';

/** A query, and the host whose page is wanted first. */
type HostQuery = { text: string; first: string };

const SUBJECTS = [
  ['holt', 'digging a holt', 'An otter digs its holt into the bank below the roots of an alder.'],
  ['whelp', 'raising a whelp', 'A whelp stays with its mother for a year and learns to catch fish.'],
  ['spraint', 'reading spraint', 'Spraint on a stone tells other otters who fishes this stretch.'],
  ['couch', 'sleeping on a couch', 'On its couch of reeds an otter dries its fur in the sun.'],
  ['moult', 'the moult in spring', 'The moult takes weeks, and the new fur is thick by the summer.'],
  ['whisker', 'hunting by whisker', 'With each whisker an otter feels the wake of a fish in the dark.'],
  ['slide', 'building a slide', 'A slide of mud leads from the bank into the deepest water.'],
  ['raft', 'resting in a raft', 'In a raft many sea otters rest together, wrapped in kelp.'],
] as const;

const PLACES = ['river', 'lake', 'marsh', 'coast', 'stream', 'pond', 'delta', 'estuary'];

function page(url: string, title: string, markdown: string): IndexedPage {
  return {
    url,
    title,
    markdown,
    headings: [],
    language: 'en',
    publishedDay: null,
    site: null,
    author: null,
    rawChars: markdown.length,
    fetchedAt: 1,
  };
}

const sentences = (word: string, said: string, salt: string): string =>
  Array.from(
    { length: 14 },
    (_, line) =>
      `${said} In the ${PLACES[line % PLACES.length]} of ${salt} number ${line} the ${word} was seen ${line + 2} times by those who counted.`,
  ).join('\n\n');

/**
 * Some thirty hosts: a documentation, a mirror with its pages under a name that sorts and was written first, readers that link to the original,
 * hosts about other things, and a farm of many hosts of one domain that links to a page full of the words.
 */
export function hostsOfTheCase(): { pages: IndexedPage[]; queries: HostQuery[] } {
  const original = 'docs.otters.example';
  const mirror = 'docs.mirror-of-otters.example';
  const farmed = 'win-x7-k2-q9-z4.bonus-links.example';
  const doc = (host: string): IndexedPage[] =>
    SUBJECTS.map(([word, title, said]) =>
      page(`https://${host}/${word}`, title, sentences(word, said, 'the valley')),
    );
  const readers = Array.from({ length: 12 }, (_, number) => {
    const [word] = SUBJECTS[number % SUBJECTS.length] ?? ['holt'];
    return page(
      `https://reader${'abcdefghijkl'[number]}.example/notes`,
      `Notes of walk ${number}`,
      `${sentences('heron', `On walk ${number} a heron stood in the shallows.`, `walk ${number}`)}

More is in [the guide](https://${original}/${word}) and on [its first page](https://${original}/).`,
    );
  });
  const others = Array.from({ length: 6 }, (_, number) =>
    page(
      `https://birds${'abcdef'[number]}.example/`,
      `Birds of the ${PLACES[number]}`,
      sentences('bird', `Birds of kind ${number} breed in the reeds.`, `site ${number}`),
    ),
  );
  const farm = Array.from({ length: 10 }, (_, number) =>
    page(
      `https://p${'abcdefghij'[number]}.many-pages.example/`,
      `Bonus ${number}`,
      sentences('bonus', `Bonus page ${number} of many.`, `farm ${number}`) +
        `\n\n[best offers](https://${farmed}/holt)`,
    ),
  );
  const stuffed = SUBJECTS.map(([word, title]) =>
    page(
      `https://${farmed}/${word}`,
      `${title} bonus`,
      `${word} bonus win ${Array.from({ length: 12 }, (_, link) => `[${word} ${link}](https://${farmed}/${link})`).join(' ')}`,
    ),
  );
  return {
    pages: [...doc(mirror), ...stuffed, ...doc(original), ...readers, ...others, ...farm],
    queries: SUBJECTS.map(([, title]) => ({ text: title, first: original })),
  };
}
