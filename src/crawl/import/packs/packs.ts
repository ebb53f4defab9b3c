/** A recommended corpus and how to import it. Figures are the publisher's, rounded. */
type Pack = {
  name: string;
  title: string;
  /** Kinds of questions that it answers, in a few words. */
  answers: string;
  pages: number;
  /** Download size. */
  bytes: number;
  licence: string;
  /** The argument of `import`. Addresses are the publishers' and may change. */
  path: string;
  baseUrl?: string;
  /** Address of the page that describes the corpus. */
  about: string;
};

const HUGGING_FACE = 'https://huggingface.co/datasets';

export const PACKS: readonly Pack[] = [
  {
    name: 'web-markdown',
    title: 'Pages of the web as Markdown (Common Crawl, March 2026)',
    answers: 'general questions, in the languages of the web',
    pages: 1_000_000,
    bytes: 1_300_000_000,
    licence: 'ODC-By 1.0; the pages are their authors’',
    path: `${HUGGING_FACE}/open-index/open-markdown/resolve/main/data/CC-MAIN-2026-12/00/00/{000000..000049}.parquet`,
    about: `${HUGGING_FACE}/open-index/open-markdown`,
  },
  {
    name: 'wikipedia-simple',
    title: 'Wikipedia in simple English (November 2023)',
    answers: 'facts on people, places and things, in short articles',
    pages: 240_000,
    bytes: 160_000_000,
    licence: 'CC BY-SA 3.0 and GFDL',
    path: `${HUGGING_FACE}/wikimedia/wikipedia/resolve/main/20231101.simple/train-00000-of-00001.parquet`,
    about: `${HUGGING_FACE}/wikimedia/wikipedia`,
  },
  {
    name: 'wikipedia-en',
    title: 'Wikipedia in English (November 2023)',
    answers: 'facts on people, places, things and events',
    pages: 6_400_000,
    bytes: 11_600_000_000,
    licence: 'CC BY-SA 3.0 and GFDL',
    path: `${HUGGING_FACE}/wikimedia/wikipedia/resolve/main/20231101.en/train-{00000..00040}-of-00041.parquet`,
    about: `${HUGGING_FACE}/wikimedia/wikipedia`,
  },
  {
    name: 'wikipedia-de',
    title: 'Wikipedia auf Deutsch (November 2023)',
    answers: 'facts, in German',
    pages: 2_800_000,
    bytes: 5_800_000_000,
    licence: 'CC BY-SA 3.0 and GFDL',
    path: `${HUGGING_FACE}/wikimedia/wikipedia/resolve/main/20231101.de/train-{00000..00019}-of-00020.parquet`,
    about: `${HUGGING_FACE}/wikimedia/wikipedia`,
  },
  {
    name: 'debian-docs',
    title: 'The documentation of the packages that are installed here (Debian, Ubuntu)',
    answers: 'how to use and configure these programs',
    pages: 2_000,
    bytes: 0,
    licence: 'as each package says in its copyright file',
    path: '/usr/share/doc',
    about: 'https://www.debian.org/doc/',
  },
];

/** Finds a pack by its name; null if there is none. */
export function findPack(name: string): Pack | null {
  return PACKS.find((pack) => pack.name === name) ?? null;
}
