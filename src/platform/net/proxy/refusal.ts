/** Set by the proxy on answers of its own; its value says why there is no other. */
export const REFUSAL_HEADER = 'x-sanderling-proxy';
