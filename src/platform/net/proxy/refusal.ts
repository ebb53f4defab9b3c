/** Header that the proxy sets on its own answers; its value is the reason for the refusal. */
export const REFUSAL_HEADER = 'x-sanderling-proxy';
