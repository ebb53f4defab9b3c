import type { Failure } from '../../contract/errors.ts';
import type { Pointers } from '../extract/metadata/pointers.ts';
import { oembedAddress } from './oembed-providers.ts';
import { ALL_SITES, siteOfPage } from './sites/all-sites.ts';
import type { PublicSite } from './sites/public-site.ts';
import type { Way } from './way-types.ts';

/** What the page's own address gave. */
type Outcome = {
  asked: string;
  /** The address that answered. */
  read: string;
  pointers: Pointers | undefined;
  failure: Failure | null;
};

/** The way to a page that is better than its own address, or null. */
export function preferredWay(url: string): Way | null {
  const site = siteOfPage(url);
  return site === null || site.when !== 'first' ? null : wayOfSite(site, url);
}

/**
 * The ways to try, best first. Public interfaces and oEmbed are tried where the page is a shell, is refused or shows a bot check;
 * twins only for a shell or a refused type, because a site that refuses a page is not asked for the same page in another form.
 */
export function waysInstead({ asked, read, pointers, failure }: Outcome): Way[] {
  const isShell = failure === null ? pointers?.isShell === true : saysNothing(failure);
  if (!isShell && !isRefused(failure)) return [];
  const page = read;
  const site = siteOfPage(asked) ?? siteOfPage(read);
  const declared = ALL_SITES.flatMap((one) => declaredBy(one, { page, pointers }));
  const known = site === null ? declared : [wayOfSite(site, siteOfPage(asked) === null ? read : asked)];
  const embeds = [pointers?.oembed, oembedAddress(asked)].flatMap((address): Way[] =>
    address == null ? [] : [{ route: 'oembed', addresses: [address], reading: { kind: 'oembed', page } }],
  );
  const twins = isShell ? twinsOf(page, pointers) : [];
  const [named, guessed] = [
    twins.filter(isDeclared(pointers)),
    twins.filter((way) => !isDeclared(pointers)(way)),
  ];
  return [...known, ...named, ...embeds.slice(0, 1), ...guessed];
}

const isDeclared =
  (pointers: Pointers | undefined) =>
  ({ addresses }: Way): boolean =>
    addresses[0] === pointers?.markdown;

/** A page without text, of a type that is not read, or that only asks for scripts. */
function saysNothing({ fetch, message }: Failure): boolean {
  const reason = fetch?.reason;
  return (
    reason === 'empty' || reason === 'unsupported_type' || (reason === 'wall' && /scripts/.test(message))
  );
}

function isRefused(failure: Failure | null): boolean {
  return failure?.fetch?.reason === 'wall' || failure?.fetch?.httpStatus === 403;
}

function wayOfSite(site: PublicSite, page: string): Way {
  const { name, page: pages = '', answers = [] } = site;
  const addresses = answers.map((address) => page.replace(pages, address));
  return { route: 'api', addresses, reading: { kind: 'site', page, site: name } };
}

/** A public interface that the page itself names, as WordPress does. */
function declaredBy(
  site: PublicSite,
  { page, pointers }: { page: string; pointers: Pointers | undefined },
): Way[] {
  const { declared, name } = site;
  const address = declared === undefined ? undefined : pointers?.json.find((url) => declared.test(url));
  if (address === undefined) return [];
  return [{ route: 'api', addresses: [address], reading: { kind: 'site', page, site: name } }];
}

/** The page as Markdown: declared, next to it, or as a section of its site's `llms-full.txt`. */
function twinsOf(page: string, pointers: Pointers | undefined): Way[] {
  const url = new URL(page);
  const isRoot = url.pathname === '/';
  const twin = (address: string | null | undefined): Way[] =>
    address == null ? [] : [{ route: 'twin', addresses: [address], reading: { kind: 'twin', page } }];
  const beside = `${url.origin}${isRoot ? '/llms.txt' : `${url.pathname.replace(/(?<!\/)\/+$/, '')}.md`}`;
  return [
    ...twin(pointers?.markdown),
    ...(url.search === '' && !/\.(?:md|markdown|txt)$/i.test(url.pathname) ? twin(beside) : []),
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
