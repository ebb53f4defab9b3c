import type { Mutant } from './mutant.ts';

const NET = 'src/platform/net';
const GUARDED_FETCH = [`${NET}/guarded-fetch.test.ts`];

/** Faults in the guarded fetch. */
export const fetchMutants: Mutant[] = [
  {
    name: 'link-local-addresses-are-public',
    file: `${NET}/address.ts`,
    find: "'169.254.0.0/16',",
    replace: '',
    suite: [`${NET}/address.test.ts`],
  },
  {
    name: '6to4-addresses-are-public',
    file: `${NET}/address.ts`,
    find: "  '2002::/16',\n",
    replace: '',
    suite: [`${NET}/address.test.ts`],
  },
  {
    name: 'own-addresses-are-public',
    file: `${NET}/address.ts`,
    find: '&& !isOwn(address)',
    replace: '',
    suite: [`${NET}/address.test.ts`],
  },
  {
    name: 'one-public-address-is-enough',
    file: `${NET}/connector.ts`,
    find: '!addresses.every(',
    replace: '!addresses.some(',
    suite: [`${NET}/connector.test.ts`],
  },
  {
    name: 'connected-address-is-not-checked',
    file: `${NET}/connector.ts`,
    find: "policy.permits(socket.remoteAddress ?? '')",
    replace: 'connectMs > 0',
    suite: [`${NET}/connector.test.ts`],
  },
  {
    name: 'redirects-are-not-judged',
    file: `${NET}/follow-redirects.ts`,
    find: 'return checkUrl(target.href);',
    replace: 'return target;',
    suite: [`${NET}/redirects.test.ts`, ...GUARDED_FETCH],
  },
  {
    name: 'one-redirect-too-few',
    file: `${NET}/follow-redirects.ts`,
    find: 'redirects <= redirectsMax',
    replace: 'redirects < redirectsMax',
    suite: [`${NET}/redirects.test.ts`],
  },
  {
    name: 'bodies-of-twice-the-bound-pass',
    file: `${NET}/follow-redirects.ts`,
    find: 'if (bytes > bytesMax) throw',
    replace: 'if (bytes > 2 * bytesMax) throw',
    suite: [`${NET}/read-body.test.ts`],
  },
  {
    name: 'credentials-follow-a-redirect',
    file: `${NET}/follow-redirects.ts`,
    find: 'authorization !== undefined && isOrigin',
    replace: 'authorization !== undefined',
    suite: [`${NET}/follow-redirects.test.ts`, ...GUARDED_FETCH],
  },
  {
    name: 'headers-of-a-caller-follow-a-redirect',
    file: `${NET}/follow-redirects.ts`,
    find: '(isOrigin ? ownHeaders : {})',
    replace: '(ownHeaders)',
    suite: [`${NET}/follow-redirects.test.ts`, ...GUARDED_FETCH],
  },
  {
    name: 'user-names-in-addresses-pass',
    file: `${NET}/check-url.ts`,
    find: "url.username !== '' || url.password !== ''",
    replace: "url.username !== '' && url.password !== ''",
    suite: [`${NET}/check-url.test.ts`],
  },
];
