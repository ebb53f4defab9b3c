/** Builds a request's address from a base address, a path under it and parameters; null parameters are left out. */
export function buildSourceAddress(
  baseUrl: string,
  path: string,
  parameters: Record<string, string | number | null>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) search.set(name, String(value));
  }
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}?${search}`;
}

/** The headers that every source receives. */
export function buildSourceHeaders(userAgent: string, accept = 'application/json'): Record<string, string> {
  return { 'user-agent': userAgent, accept };
}
