/** Roles that a column of a table can have. */
const COLUMN_ROLES = [
  ...([
    'url',
    'title',
    'text',
    'html',
    'date',
    'fetched',
    'language',
    'site',
    'author',
    'source',
    'licence',
  ] as const),
] as const;
type ColumnRole = (typeof COLUMN_ROLES)[number];

/** Columns by role; several columns of one role are joined. */
export type ColumnMap = Partial<Record<ColumnRole, string[]>>;

/** Parses `url=link,title=name,text=abstract+body`. Throws an error that says what to change. */
export function parseColumnMap(written: string): ColumnMap {
  const map: ColumnMap = {};
  for (const pair of written.split(',')) {
    const [role = '', columns = ''] = pair.split('=').map((part) => part.trim());
    if (!isRole(role)) throw new Error(`--map: "${role}" is none of ${COLUMN_ROLES.join(', ')}`);
    if (columns === '') throw new Error(`--map: ${role} names no column, as in ${role}=column`);
    map[role] = columns.split('+').map((column) => column.trim());
  }
  return map;
}

const isRole = (role: string): role is ColumnRole => COLUMN_ROLES.some((known) => known === role);

/** Column names of published tables (Markdown of the web by shards, FineWeb-2, Wikipedia and others); the first one present is used. */
const USUAL_NAMES: Record<ColumnRole, readonly string[]> = {
  url: ['url', 'source_url', 'page_url', 'link', 'uri', 'target_uri', 'warc_target_uri'],
  title: ['title', 'name', 'page_title', 'headline'],
  text: ['markdown', 'text', 'content', 'body', 'article', 'page_content', 'document'],
  html: ['html', 'raw_html'],
  date: ['published', 'published_date', 'publish_date', 'date_published', 'published_at', 'publishedDate'],
  fetched: [
    'crawl_date',
    'fetched_at',
    'crawled_at',
    'date_modified',
    'date',
    'crawl_timestamp',
    'timestamp',
  ],
  language: ['language', 'lang', 'in_language', 'language_code'],
  site: ['site', 'site_name'],
  author: ['author', 'authors'],
  // No usual name: published tables give this column many meanings.
  source: [],
  licence: ['license', 'licence'],
};

/**
 * Chooses the columns to read from a table with these columns. Wikipedia's structured dumps keep the text in `abstract` and `sections`.
 * Throws an error that lists the columns if none holds the address or the text.
 */
export function resolveColumns(names: readonly string[], wanted: ColumnMap | null): ColumnMap {
  const missing = Object.values(wanted ?? {})
    .flat()
    .filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new Error(`there is no column ${missing.join(', ')}; the columns are ${names.join(', ')}`);
  const usual = Object.fromEntries(
    COLUMN_ROLES.flatMap((role) => {
      const name = USUAL_NAMES[role].find((known) => names.includes(known));
      return name === undefined ? [] : [[role, [name]]];
    }),
  ) as ColumnMap;
  const structured = names.includes('sections')
    ? { text: ['abstract', 'sections'].filter((name) => names.includes(name)) }
    : {};
  const map = { ...usual, ...structured, ...wanted };
  if (map.url === undefined || (map.text === undefined && map.html === undefined))
    throw new Error(
      `no column is known to hold the address or the text; name them, such as --map url=link,text=body. The columns are ${names.join(', ')}`,
    );
  if (map.text !== undefined) delete map.html;
  return map;
}
