import { decodeHTML } from 'entities';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { FetchedResponse, FetchRequest, GuardedFetch } from '../platform/net/fetch-types.ts';
import { collectCookies } from './cookies.ts';
import type { Credentials } from './private-site-types.ts';

type Form = Extract<Credentials, { method: 'form' }>;
type Bounds = Pick<FetchRequest, 'signal' | 'tenant' | 'timeoutMs'>;

const FORM_BYTES_MAX = 2_097_152;
/** A site locks an account after a few wrong passwords, so a sign-in that failed is not tried again for this long. */
const REFUSED_MS = 900_000;

/** Signs in to a site by its form, and keeps the session in memory. */
export type FormSession = {
  formUrl: string;
  /** Returns the `cookie` header of the session, signing in if there is none. Throws `fetch_failed` 'wall'. */
  open(bounds: Bounds): Promise<string>;
  /** Ends the session with this header, because the site has ended it; a later one stays. */
  end(cookie: string): void;
  /** Ends the session for a while: the site has accepted the form, but not signed in. */
  refuse(): void;
};

export function createFormSession(form: Form, deps: { fetch: GuardedFetch; clock: Clock }): FormSession {
  const { clock } = deps;
  let opening: Promise<string> | null = null;
  let known: string | null = null;
  let refusedUntil = 0;
  const refuse = (): void => {
    known = null;
    refusedUntil = clock.now() + REFUSED_MS;
  };
  const signIn = async (bounds: Bounds): Promise<string> => {
    if (clock.now() < refusedUntil)
      throw createFetchFailure('wall', 'the site refused the sign-in a short while ago');
    try {
      known = await submitForm(form, deps, bounds);
      return known;
    } catch (error) {
      if (error instanceof Failure && error.fetch?.reason === 'wall') refuse();
      throw error;
    }
  };
  return {
    formUrl: form.url,
    refuse,
    async open(bounds) {
      if (known !== null) return known;
      opening ??= signIn(bounds).finally(() => {
        opening = null;
      });
      return opening;
    },
    end(cookie) {
      if (known === cookie) known = null;
    },
  };
}

async function submitForm(
  { url, fields }: Form,
  { clock, ...deps }: { fetch: GuardedFetch; clock: Clock },
  bounds: Bounds,
): Promise<string> {
  const { origin } = new URL(url);
  const session = new Map<string, string>();
  const collect = ({ headers, redirects }: FetchedResponse): void => {
    for (const step of [...redirects, { headers }]) collectCookies(session, step.headers, clock.now());
  };
  const limits = { ...bounds, bytesMax: FORM_BYTES_MAX };
  const page = await deps.fetch({ ...limits, url });
  collect(page);
  const { action, hidden } = readForm(new TextDecoder().decode(page.body), {
    url: page.url,
    names: Object.keys(fields),
  });
  // A page that leads elsewhere, or a form that sends elsewhere, must not get the password.
  if (new URL(page.url).origin !== origin || action.origin !== origin)
    throw createFetchFailure('wall', 'the form of the sign-in sends to another host');
  const before = formatSession(session);
  const response = await deps.fetch({
    ...limits,
    url: action.href,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ownHeaders: { origin, ...(before === '' ? {} : { cookie: before }) },
    body: new URLSearchParams({ ...hidden, ...fields }).toString(),
  });
  collect(response);
  const after = formatSession(session);
  // Sites show the form again, with status 200, or say 401 to a wrong password; others show it once the next page is read.
  const isShownAgain = response.status === 200 && hasFields(response, Object.keys(fields));
  if (response.status >= 400 || isShownAgain || after === '')
    throw createFetchFailure('wall', 'the site refused the sign-in');
  return after;
}

const formatSession = (session: ReadonlyMap<string, string>): string =>
  [...session].map(([name, value]) => `${name}=${value}`).join('; ');

const hasFields = ({ body }: FetchedResponse, names: readonly string[]): boolean => {
  const inputs = listInputs(new TextDecoder().decode(body));
  return names.every((name) => inputs.some((input) => input.name === name));
};

/** Finds the form with all of the named fields: where it sends, and its hidden fields, such as a token against forgery. */
function readForm(
  markup: string,
  { url, names }: { url: string; names: readonly string[] },
): { action: URL; hidden: Record<string, string> } {
  for (const part of markup.split(/<form(?=[\s>])/i).slice(1)) {
    const [form = ''] = part.split(/<\/form/i);
    const inputs = listInputs(form);
    if (!names.every((name) => inputs.some((input) => input.name === name))) continue;
    const hidden = inputs.filter(({ type }) => type === 'hidden');
    const target = readAttributes(form.slice(0, Math.max(0, form.indexOf('>')))).action ?? '';
    return {
      action: URL.parse(target, url) ?? new URL(url),
      hidden: Object.fromEntries(hidden.map(({ name, value }) => [name, value])),
    };
  }
  throw createFetchFailure('wall', 'the page of the sign-in has no form with these fields');
}

type Input = { name: string; type: string; value: string };

function listInputs(markup: string): Input[] {
  const parts = markup.split(/<input(?=[\s/])/i).slice(1);
  return parts.map((part) => {
    const {
      name = '',
      type = 'text',
      value = '',
    } = readAttributes(part.slice(0, Math.max(0, part.indexOf('>'))));
    return { name, type: type.toLowerCase(), value };
  });
}

function readAttributes(text: string): Record<string, string> {
  const found = text.matchAll(/(?<![a-z-])([a-z-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi);
  return Object.fromEntries(
    [...found].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decodeHTML(double ?? single ?? bare ?? ''),
    ]),
  );
}
