declare module 'html-encoding-sniffer' {
  /** Returns the name of the encoding that a byte order mark, a meta tag or an XML declaration states, else `defaultEncoding` as given. */
  function sniffEncoding(
    bytes: Uint8Array,
    options: { defaultEncoding: string; maxPrescanBytes?: number },
  ): string;
  export = sniffEncoding;
}
