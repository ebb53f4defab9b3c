/** The address of a cluster: its nodes, the prefix of its index names, and the credentials. */
type OpenSearchAddress = {
  /** Origins of the nodes. */
  nodes: string[];
  /** Prefix of the names of all indices, in lower case. */
  name: string;
  /** User name and password from the address; null: none. */
  login: { username: string; password: string } | null;
};

const NAME_DEFAULT = 'sanderling';
const NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/** Returns whether the text is the address of a cluster and not the path of a file. */
export const isClusterAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/**
 * Parses `https://name:password@one:9200/docs`; further nodes follow as addresses separated by commas. Throws an Error that says
 * what is wrong.
 */
export function readOpenSearchAddress(text: string): OpenSearchAddress {
  const urls = text.split(',').map((part) => {
    const url = URL.parse(part.trim());
    if (url === null || !isClusterAddress(url.href))
      throw new Error('must be an address such as https://search.example:9200, or several with commas');
    return url;
  });
  const [first] = urls;
  const name = first?.pathname.replace(/^\/|\/$/g, '') || NAME_DEFAULT;
  if (first === undefined || !NAME.test(name))
    throw new Error('may end in the name of the indices, of lower-case letters, digits, - and _');
  const { username, password } = first;
  return {
    nodes: urls.map(({ origin }) => origin),
    name,
    login:
      username === ''
        ? null
        : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}
