import { readdirSync, readFileSync } from 'node:fs';

/** The others are found beside it. */
const PRIVACY_FILE = new URL('../../../docs/privacy.md', import.meta.url);

/** The text of a document of docs/, such as `quality.md`, so that pages repeat nothing that is written there. */
export function readProjectDocument(path: string): string {
  return readFileSync(new URL(path, PRIVACY_FILE), 'utf8');
}

/** The names of the documents in a folder of docs/, without their ending. */
export function listDocumentNames(folder: string): string[] {
  return readdirSync(new URL(folder, PRIVACY_FILE)).map((file) => file.replace(/\.md$/, ''));
}
