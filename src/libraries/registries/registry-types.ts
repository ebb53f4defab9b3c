import type { Ecosystem } from '../library-types.ts';

/** A file of a release. `package`: what is published; `javadoc`: rendered documentation; `sources`: the source code. */
export type ReleaseArchive = {
  kind: 'package' | 'javadoc' | 'sources';
  url: string;
  authorization: string | null;
};

/** One version of a package as its registry describes it. Addresses are web addresses or null. */
export type Release = {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  licence: string | null;
  homepage: string | null;
  repository: string | null;
  /** The folder of the package in its repository. */
  repositoryFolder: string | null;
  documentation: string | null;
  archives: ReleaseArchive[];
  /** The description that the registry shows, where it is a text of its own. */
  description: { text: string; contentType: string } | null;
  /** True if it came from a registry other than the public ones. */
  isPrivate: boolean;
};

/** What is known about a library whatever it comes from. */
export type ReleaseFacts = Pick<Release, 'licence' | 'homepage' | 'repository' | 'isPrivate'>;

export type ReleaseQuery = {
  name: string;
  /** An exact version, a range, or null for the newest. */
  range: string | null;
  /** For Maven: POMs that decide on the version, if there is no range. */
  poms?: { name: string; version: string }[];
};

export type Registry = {
  /** Rejects with LibraryMissing if there is no such package or version. */
  resolve(query: ReleaseQuery, signal: AbortSignal): Promise<Release>;
};

/** There is no such package or version; the message says what was asked for. */
export class LibraryMissing extends Error {
  override name = 'LibraryMissing';
}

/** Where a registry is. */
export type RegistryPlace = {
  /** Without a slash at its end. */
  base: string;
  authorization: string | null;
  /** True for the registry that everybody uses. */
  isPublic: boolean;
};

type RegistryAnswer = { status: number; body: Buffer; headers: Record<string, string> };

/** Requests to registries, archives and documentation. */
export type RegistryRequests = {
  /** Resolves to any final answer below 500; rejects if there was none. */
  get(request: RegistryRequest): Promise<RegistryAnswer>;
  /** Returns whether the operator named the host of an address: what it serves is theirs. */
  isNamed(url: string): boolean;
};

export type RegistryRequest = {
  url: string;
  authorization?: string | null;
  accept?: string;
  bytesMax?: number;
  signal: AbortSignal;
};

/** Statuses of a package that is not there, or not for this caller. */
const ABSENT = new Set([401, 403, 404, 405, 410]);

/** Gets a body as text; null if it is absent. Rejects for any other answer than 200. */
export async function getText(requests: RegistryRequests, request: RegistryRequest): Promise<string | null> {
  const { status, body } = await requests.get(request);
  if (ABSENT.has(status)) return null;
  if (status !== 200) throw new Error(`${new URL(request.url).host} answered ${status}`);
  return body.toString('utf8');
}

/** Gets JSON; null if it is absent. */
export async function getJson(requests: RegistryRequests, request: RegistryRequest): Promise<unknown> {
  const text = await getText(requests, request);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${new URL(request.url).host} answered something that is not JSON`, { cause: error });
  }
}

/** Returns the credentials for an address that a registry named: those of the registry for its own host, none for any other. */
export function chooseAuthorization(url: string, { base, authorization }: RegistryPlace): string | null {
  return URL.parse(url)?.host === URL.parse(base)?.host ? authorization : null;
}
