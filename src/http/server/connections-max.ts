/** Connections at most, however many descriptors there are. */
const CONNECTIONS_MAX = 2_000;
/** Descriptors kept for files, worker threads, the database and the sockets of fetches. */
const DESCRIPTORS_RESERVED = 400;
/** Where the limit is so low that the reserve would leave next to nothing, connections get this share. */
const CONNECTIONS_SHARE_MIN = 1 / 3;

/** Connections that a process with so many descriptors may take; one more is closed at once. */
export function connectionsMax(descriptors: number | null): number {
  if (descriptors === null) return CONNECTIONS_MAX;
  const spare = Math.max(descriptors - DESCRIPTORS_RESERVED, descriptors * CONNECTIONS_SHARE_MIN);
  return Math.min(CONNECTIONS_MAX, Math.floor(spare));
}
