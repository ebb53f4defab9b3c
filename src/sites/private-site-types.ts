import type { FetchedResponse } from '../platform/net/fetch-types.ts';

/** A cookie of a `cookies.txt`. */
export type Cookie = {
  name: string;
  value: string;
  domain: string;
  /** Hosts below the domain get it too. */
  coversSubdomains: boolean;
  path: string;
  isSecure: boolean;
  /** Seconds since the epoch; 0: it ends with the session. */
  expires: number;
};

/** Sites whose pages are read by their public interfaces. */
export const INTERFACE_METHODS = ['confluence', 'github', 'gitlab'] as const;
export type InterfaceMethod = (typeof INTERFACE_METHODS)[number];

/** How to sign in. Everything in it is secret. */
export type Credentials =
  | { method: 'headers'; headers: Record<string, string> }
  | { method: 'cookies'; cookies: Cookie[] }
  /** One POST of the form at `url` with `fields`, and with the hidden fields that the form has by then. */
  | { method: 'form'; url: string; fields: Record<string, string> }
  /** `user`: only for services that want a name beside the token. */
  | { method: InterfaceMethod; token: string; user: string | null };

/** A sign-in profile without its credentials, as its owner sees it. */
export type SignInProfile = {
  id: string;
  owner: string;
  name: string;
  origins: string[];
  method: Credentials['method'];
  /** The name of the collection in which pages that were read are filed. */
  collection: string;
  createdAt: number;
};

/** A collection as its owner sees it. */
export type PageCollection = {
  id: string;
  owner: string;
  name: string;
  /** The ids of the keys that may search it besides its owner. */
  readers: string[];
  pages: number;
  bytes: number;
  createdAt: number;
};

/** The request of a public interface for a page, and what makes a page of its response. */
export type InterfaceRequest = {
  url: string;
  headers: Record<string, string>;
  read(response: FetchedResponse): Pick<FetchedResponse, 'body'> & { contentType: string };
};
