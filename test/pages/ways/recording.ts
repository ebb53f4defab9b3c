/** Answers in the shapes that the documentation of each interface describes, shortened. */
export type Recording = {
  page: string;
  /** What the page's own address answers; absent: it is not asked. */
  own?: { status?: number; type?: string; body: string };
  answers: Record<string, { type?: string; body: unknown }>;
  title: string;
  author: string | null;
  published: string | null;
  /** What the Markdown holds, in this order. */
  lines: string[];
};

/** What a page shows before its scripts run. */
export const SHELL =
  '<html><head><title>Loading</title></head><body><div id="app"></div><script src="/app.js"></script></body></html>';
/** What a bot check shows. */
export const BOT_CHECK =
  '<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt = {}</script>Checking your browser</body></html>';
