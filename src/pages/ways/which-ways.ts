import type { Failure } from '../../contract/errors.ts';
import type { Pointers } from '../extract/metadata/pointers.ts';
import { buildOembedUrl } from './oembed-providers.ts';
import { ALL_SITES, findPublicSite } from './sites/all-sites.ts';
import type { PublicSite } from './sites/public-site.ts';
import type { Alternate } from './way-types.ts';

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
