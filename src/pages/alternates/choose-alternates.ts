import type { Failure } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { Article } from '../article.ts';
import type { Pointers } from '../extract/metadata/addresses.ts';
import { ALL_SITES, findPublicSite } from './sites/all-sites.ts';
import type { PublicSite } from './sites/public-site.ts';

/** Maximum number of extra fetches for one page. */
export const EXTRA_FETCHES_MAX = 2;

/** Providers of https://oembed.com whose pages show little without scripts: the pattern of their pages, and their endpoint. */
const PROVIDERS: [page: RegExp, endpoint: string][] = [
  [
    /^https:\/\/(?:(?:www|m|music)\.)?youtube\.com\/(?:watch\?|shorts\/|live\/|playlist\?)/,
    'https://www.youtube.com/oembed',
  ],
  [/^https:\/\/youtu\.be\/[\w-]+/, 'https://www.youtube.com/oembed'],
  [/^https:\/\/(?:www\.)?vimeo\.com\/(?:\w+\/){0,3}\d+/, 'https://vimeo.com/api/oembed.json'],
  [/^https:\/\/(?:www\.)?dailymotion\.com\/video\//, 'https://www.dailymotion.com/services/oembed'],
  [/^https:\/\/soundcloud\.com\/[\w-]+\/[\w-]+/, 'https://soundcloud.com/oembed'],
  [
    /^https:\/\/open\.spotify\.com\/(?:track|album|playlist|episode|show|artist)\//,
    'https://open.spotify.com/oembed',
  ],
  [/^https:\/\/(?:www\.)?tiktok\.com\/@[\w.-]+\/video\/\d+/, 'https://www.tiktok.com/oembed'],
  [/^https:\/\/(?:www\.)?(?:twitter|x)\.com\/\w+\/status\/\d+/, 'https://publish.twitter.com/oembed'],
  [/^https:\/\/(?:www\.)?flickr\.com\/photos\/[^/]+\/\d+/, 'https://www.flickr.com/services/oembed/'],
  [/^https:\/\/(?:www\.)?ted\.com\/talks\//, 'https://www.ted.com/services/v1/oembed.json'],
  [/^https:\/\/codepen\.io\/[\w-]+\/pen\/\w+/, 'https://codepen.io/api/oembed'],
  [/^https:\/\/(?:www\.)?mixcloud\.com\/[\w-]+\/[\w-]+/, 'https://app.mixcloud.com/oembed/'],
  [/^https:\/\/sketchfab\.com\/3d-models\//, 'https://sketchfab.com/oembed'],
  [/^https:\/\/streamable\.com\/\w+/, 'https://api.streamable.com/oembed.json'],
  [/^https:\/\/(?:www\.)?loom\.com\/share\/\w+/, 'https://www.loom.com/v1/oembed'],
  [/^https:\/\/(?:www\.)?figma\.com\/(?:file|design|proto)\/\w+/, 'https://www.figma.com/api/oembed'],
  [/^https:\/\/speakerdeck\.com\/[\w-]+\/[\w-]+/, 'https://speakerdeck.com/oembed.json'],
];

/** The outcome of the page's own address. */
type Outcome = {
  asked: string;
  /** The address of the response. */
  read: string;
  pointers: Pointers | undefined;
  failure: Failure | null;
};

/** Returns the alternate that is better than the page's own address, or null. */
export function findPreferredAlternate(url: string): Alternate | null {
  const site = findPublicSite(url);
  return site === null || site.when !== 'first' ? null : buildSiteAlternate(site, url);
}

/**
 * Returns the alternates to try, best first. Public interfaces and oEmbed are tried where the page is a shell, is refused or shows a bot
 * check; twins only for a shell or a refused type, because a site that refuses a page is not asked for the same page in another form.
 */
export function chooseAlternates({ asked, read, pointers, failure }: Outcome): Alternate[] {
  const isShell = failure === null ? pointers?.isShell === true : hasNoText(failure);
  if (!isShell && !isRefused(failure)) return [];
  const page = read;
  const site = findPublicSite(asked) ?? findPublicSite(read);
  const declared = ALL_SITES.flatMap((one) => listDeclaredAlternates(one, { page, pointers }));
  const known =
    site === null ? declared : [buildSiteAlternate(site, findPublicSite(asked) === null ? read : asked)];
  const embeds = [pointers?.oembed, buildOembedUrl(asked)].flatMap((address): Alternate[] =>
    address == null ? [] : [{ route: 'oembed', addresses: [address], reading: { kind: 'oembed', page } }],
  );
  const twins = isShell ? buildTwins(page, pointers) : [];
  const [named, guessed] = [
    twins.filter(isDeclared(pointers)),
    twins.filter((way) => !isDeclared(pointers)(way)),
  ];
  return [...known, ...named, ...embeds.slice(0, 1), ...guessed];
}

const isDeclared =
  (pointers: Pointers | undefined) =>
  ({ addresses }: Alternate): boolean =>
    addresses[0] === pointers?.markdown;

/** Checks for a page without text, of a type that is not read, or that only asks for scripts. */
function hasNoText({ fetch, message }: Failure): boolean {
  const reason = fetch?.reason;
  return (
    reason === 'empty' || reason === 'unsupported_type' || (reason === 'wall' && /scripts/.test(message))
  );
}

function isRefused(failure: Failure | null): boolean {
  return failure?.fetch?.reason === 'wall' || failure?.fetch?.httpStatus === 403;
}

function buildSiteAlternate(site: PublicSite, page: string): Alternate {
  const { name, page: pages = '', answers = [] } = site;
  const addresses = answers.map((address) => page.replace(pages, address));
  return { route: 'api', addresses, reading: { kind: 'site', page, site: name } };
}

/** Returns a public interface that the page itself names, as WordPress does. */
function listDeclaredAlternates(
  site: PublicSite,
  { page, pointers }: { page: string; pointers: Pointers | undefined },
): Alternate[] {
  const { declared, name } = site;
  const address = declared === undefined ? undefined : pointers?.json.find((url) => declared.test(url));
  if (address === undefined) return [];
  return [{ route: 'api', addresses: [address], reading: { kind: 'site', page, site: name } }];
}

/** Returns the addresses of the page as Markdown: declared, next to it, or as a section of its site's `llms-full.txt`. */
function buildTwins(page: string, pointers: Pointers | undefined): Alternate[] {
  const url = new URL(page);
  const isRoot = url.pathname === '/';
  const buildTwin = (address: string | null | undefined): Alternate[] =>
    address == null ? [] : [{ route: 'twin', addresses: [address], reading: { kind: 'twin', page } }];
  const beside = `${url.origin}${isRoot ? '/llms.txt' : `${url.pathname.replace(/(?<!\/)\/+$/, '')}.md`}`;
  return [
    ...buildTwin(pointers?.markdown),
    ...(url.search === '' && !/\.(?:md|markdown|txt)$/i.test(url.pathname) ? buildTwin(beside) : []),
    ...(isRoot || url.search !== ''
      ? []
      : [
          {
            route: 'twin' as const,
            addresses: [`${url.origin}/llms-full.txt`],
            reading: { kind: 'section' as const, page },
          },
        ]),
  ];
}

/** Returns the address of a page's oEmbed answer, or null if its provider is not known. */
function buildOembedUrl(page: string): string | null {
  const endpoint = PROVIDERS.find(([pages]) => pages.test(page))?.[1];
  return endpoint === undefined ? null : `${endpoint}?format=json&url=${encodeURIComponent(page)}`;
}

/** The format in which the answers of an alternate are read; `page` is the address of the page that they stand for. */
type AlternateReading =
  | { kind: 'twin'; page: string }
  | { kind: 'section'; page: string }
  | { kind: 'oembed'; page: string }
  | { kind: 'site'; page: string; site: string };

/** An alternate source of a page's text: addresses to fetch, in order, and how to read their answers. */
export type Alternate = {
  route: 'twin' | 'oembed' | 'api';
  /** At most EXTRA_FETCHES_MAX addresses. The first must answer, the others may; `{0.name}` stands for a field of the first answer. */
  addresses: string[];
  reading: AlternateReading;
};

/** The answer of one address. */
export type AlternateAnswer = { url: string; contentType: string | null; bytes: Uint8Array<ArrayBuffer> };

export type AlternateTask = {
  answers: AlternateAnswer[];
  reading: AlternateReading;
  route: Alternate['route'];
};

/** An article found at an alternate, with the responses that it was made of, which decide whether it may be shared. */
export type FoundAlternate = {
  article: Article;
  answers: { url: string; headers: Record<string, string> }[];
};

/** The limits of a search for alternates. */
export type AlternateTurn = { signal: AbortSignal; tenant: Tenant; timeoutMs: number };
