/** How many file descriptors, sockets among them, this process may have open; null where the system does not say or sets no limit. */
export function descriptorLimit(): number | null {
  // Types of Node lack both fields; they are documented at https://nodejs.org/docs/latest-v24.x/api/report.html.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  // Else the report would look up the names of all peers.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}
