import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * Parameters that do not change the page, such as a session id that a site puts into every link. They are learned from the
 * pages: the same text under two addresses that differ in one parameter is evidence that it is noise; different texts prove
 * for good that it is not.
 */
export type NoiseParameters = {
  /** Returns the address without the parameters that are known to be noise on its host. */
  strip(url: string): string;
  /** Records the text of a page; returns true if an earlier page of the same path had it under other parameters. */
  note(url: string, text: string): boolean;
};

/** Minimum pairs of addresses with the same text for a parameter to count as noise. */
const PAIRS_MIN = 2;
const NOTED_PER_PATH_MAX = 20;
/** Maximum paths and host parameters in memory; the least recently seen are evicted. */
const PATHS_MAX = 20_000;
const PARAMETERS_MAX = 20_000;
const DIGEST_CHARS = 22;

type NotedPage = { parameters: Map<string, string>; text: string };

export function createNoiseParameters(): NoiseParameters {
  const noted = new LRUCache<string, NotedPage[]>({ max: PATHS_MAX });
  const evidence = new LRUCache<string, number>({ max: PARAMETERS_MAX });
  const isNoise = (host: string, name: string): boolean =>
    (evidence.get(`${host} ${name}`) ?? 0) >= PAIRS_MIN;
  const learn = (host: string, name: string, isSame: boolean): void => {
    const key = `${host} ${name}`;
    evidence.set(key, isSame ? (evidence.get(key) ?? 0) + 1 : Number.NEGATIVE_INFINITY);
  };
  return {
    strip(url) {
      const query = url.indexOf('?');
      if (query === -1) return url;
      const { host } = new URL(url);
      const pairs = url.slice(query + 1).split('&');
      const kept = pairs.filter((pair) => !isNoise(host, parseParameterName(pair)));
      if (kept.length === pairs.length) return url;
      return url.slice(0, query) + (kept.length === 0 ? '' : `?${kept.join('&')}`);
    },
    note(url, markdown) {
      const text = computeDigest(markdown);
      const { host, pathname, search } = new URL(url);
      const parameters = new Map(
        search
          .slice(1)
          .split('&')
          .map((pair) => [parseParameterName(pair), pair]),
      );
      parameters.delete('');
      const path = host + pathname;
      const others = noted.get(path) ?? [];
      if (others.length < NOTED_PER_PATH_MAX) noted.set(path, [...others, { parameters, text }]);
      let isRepeated = false;
      for (const other of others) {
        const [only, ...more] = findDifferingNames(parameters, other.parameters);
        if (only === undefined) continue;
        if (more.length === 0) learn(host, only, other.text === text);
        isRepeated ||= other.text === text;
      }
      return isRepeated;
    },
  };
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARS);
}

const parseParameterName = (pair: string): string => pair.split('=', 1)[0] ?? '';

function findDifferingNames(left: Map<string, string>, right: Map<string, string>): string[] {
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => left.get(name) !== right.get(name));
}
