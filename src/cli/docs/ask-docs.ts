import { realpathSync } from 'node:fs';
import { styleText } from 'node:util';
import { createServices } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import { Failure } from '../../contract/errors.ts';
import { DOCS_TOKENS_DEFAULT, ROUTE_MS } from '../../contract/limits.ts';
import type { LibraryPageKind } from '../../libraries/library-types.ts';
import type { LibraryCatalog, LibraryViewer } from '../../libraries/search/library-catalog.ts';
import type { DocsAnswer, DocsPassage } from '../../libraries/search/search-docs.ts';

export type AskOptions = {
  library: string[];
  kind?: LibraryPageKind[];
  project?: string;
  tokens?: number;
  json?: boolean;
};

/** Whoever runs the command has the data folder. */
const OWNER: LibraryViewer = { kind: 'server' };

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** `sanderling docs ask`: resolves to the exit code, 1 if nothing was found or a name is unknown. */
export async function askDocs(config: Config, question: string, options: AskOptions): Promise<number> {
  const { library, kind = [], tokens = DOCS_TOKENS_DEFAULT, json = false } = options;
  const services = await createServices(config);
  try {
    const { libraries, searchDocs } = services.operations;
    const answer = await searchDocs({
      question,
      libraries: library,
      kinds: kind,
      project: await chooseProject(libraries, options),
      tokensMax: tokens,
      viewer: OWNER,
      signal: AbortSignal.timeout(ROUTE_MS.search),
    });
    if (json) print(JSON.stringify(describeAnswer(answer), null, 2));
    else printAnswer(answer);
    return answer.passages.length === 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    await services.close();
  }
}

/** Returns the project that was named, else the one of this folder if it was added. */
async function chooseProject(
  libraries: LibraryCatalog,
  { project }: Pick<AskOptions, 'project'>,
): Promise<string | null> {
  if (project !== undefined) return resolveFolder(project);
  const here = resolveFolder('.');
  return (await libraries.projects(OWNER)).includes(here) ? here : null;
}

/** Projects are held by their real path; a name that is no path stays. */
function resolveFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
}

const formatVersion = ({ ecosystem, name, version }: DocsPassage['place']): string =>
  `${ecosystem}:${name}@${version}`;

function describeAnswer({ passages, libraries, notes }: DocsAnswer): object {
  return {
    passages: passages.map(({ markdown, headingPath, title, place }) => ({
      library: formatVersion(place),
      kind: place.kind,
      licence: place.licence,
      url: place.url,
      title,
      headingPath,
      markdown,
    })),
    libraries,
    notes,
  };
}

function printAnswer({ passages, libraries, notes }: DocsAnswer): void {
  for (const note of notes) print(styleText('yellow', note));
  for (const { markdown, headingPath, title, place } of passages) {
    const section = headingPath.at(-1) ?? title;
    const name = section === title ? title : `${title}: ${section}`;
    print(styleText('bold', `${formatVersion(place)}  ${name}`));
    print(styleText('dim', `${place.kind}  ${place.url}`));
    print(`\n${markdown.trim()}\n`);
  }
  if (passages.length > 0) return;
  print(
    libraries.length === 0
      ? 'No library is held. Add those of a project: sanderling docs add .'
      : 'Nothing found. Try other words, or another library: sanderling docs list',
  );
}
