import * as z from 'zod';
import type { Operation, Parameter } from '../calls/operation.ts';
import { RECORD_PARAMETERS } from '../v1/records.ts';

const requestId = z.string().meta({ description: 'Identifies this call in the service log.' });
const whole = z.int().min(0);
const count = (description: string) => whole.meta({ description });
const instant = z.string().meta({ description: 'ISO 8601, in UTC.' });
const url = z.string().meta({ description: 'The page.' });

const recordFields = {
  id: z.string(),
  operation: z
    .enum(['search', 'contents', 'answer', 'research'])
    .meta({ description: 'The call that was recorded: POST /v1/ and this word.' }),
  title: z.string().meta({ description: 'What was asked, in one line.' }),
  madeAt: instant,
  forgottenPages: count('Pages that were taken out of the record because they were forgotten.'),
};

const citation = z.object({
  url,
  contentHash: z.string().meta({ description: 'Hash of the text that is cited.' }),
  start: count('Start offset in that text.'),
  end: whole,
  quote: z.string().nullable().meta({ description: 'The words there; null if the text is no longer kept.' }),
});

const record = z
  .object({
    ...recordFields,
    request: z.looseObject({}).meta({ description: 'The fields of the call, without the key.' }),
    answer: z.looseObject({}).meta({ description: 'The answer as it was, without its cost.' }),
    pages: z
      .array(
        z.object({
          url,
          title: z.string(),
          readAt: z.string().meta({ description: 'When the text was fetched.' }),
          contentHash: z.string().meta({ description: 'Hash of the text, as in citations.' }),
          characters: count('The length of the text.'),
          kept: z.boolean().meta({ description: 'Whether the text is still kept.' }),
          since: z
            .object({
              state: z.enum(['same', 'changed', 'gone', 'unknown']),
              seenAt: z.string().nullable().meta({ description: 'When the service last saw the page.' }),
            })
            .meta({
              description: 'The page by what the service has read since; unknown: nothing that it still has.',
            }),
          text: z.string().nullable().optional().meta({ description: 'The text, with `text=true`.' }),
        }),
      )
      .meta({ description: 'All pages that were read for the answer.' }),
    citations: z
      .array(
        citation.extend({
          verified: z.boolean().meta({ description: 'Whether the kept text has the hash and these words.' }),
          standsNow: z
            .boolean()
            .nullable()
            .meta({ description: 'Whether the page has the words where it was seen last; null: unknown.' }),
        }),
      )
      .meta({ description: 'Every place that the answer cites.' }),
  })
  .meta({ title: 'ResearchRecord', description: 'The record, replayed.' });

const RecordAnswer = z.object({ requestId, record }).meta({ title: 'ReplayedRecord' });

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  about: 'The `recordId` that the recorded call returned.',
  schema: z.string(),
};
const tag = 'research';
const price = 'Free.';

/** The operations on records, keyed like `OPERATIONS`. */
export const RECORD_OPERATIONS: Record<string, Operation> = {
  'GET /v1/records': {
    id: 'records',
    tag,
    summary: 'List recorded research',
    about: "The caller's records, the newest first: what calls with `record` have kept.",
    price,
    answer: z
      .object({
        requestId,
        records: z
          .array(
            z.object({
              ...recordFields,
              pages: count('Pages that were read.'),
              bytes: count('Size of request and answer as they are stored.'),
            }),
          )
          .meta({ description: 'The newest first, at most 1,000.' }),
      })
      .meta({ title: 'Records' }),
    errors: [],
  },
  'POST /v1/records/import': {
    id: 'importRecord',
    tag,
    summary: 'Import a record',
    about:
      'The body is the file that an export returned, here or elsewhere. It is read only if every byte is as it was exported; what differs is named. The record keeps its id.',
    price,
    answer: RecordAnswer,
    errors: ['validation_error', 'request_too_large'],
  },
  'GET /v1/records/:id': {
    id: 'record',
    path: '/v1/records/{id}',
    tag,
    summary: 'Replay a record',
    about: 'What was asked and answered, from which pages, and what has changed since. Nothing is fetched.',
    price,
    parameters: [ID, ...RECORD_PARAMETERS],
    answer: RecordAnswer,
    errors: ['not_found'],
  },
  'DELETE /v1/records/:id': {
    id: 'deleteRecord',
    path: '/v1/records/{id}',
    tag,
    summary: 'Delete a record',
    about: 'The texts of its pages are deleted with it.',
    price,
    parameters: [ID],
    answer: z
      .object({
        requestId,
        id: z.string(),
        deleted: z.boolean().meta({ description: 'Always true: what is not there is 404.' }),
      })
      .meta({ title: 'DeletedRecord' }),
    errors: ['not_found'],
  },
  'GET /v1/records/:id/export': {
    id: 'exportRecord',
    path: '/v1/records/{id}/export',
    tag,
    summary: 'Export a record',
    about:
      'One tar archive: `record.json`, the texts of the pages as `pages.warc`, and `SHA256SUMS` over both.',
    price,
    parameters: [ID],
    answer: 'application/x-tar',
    errors: ['not_found'],
  },
  'POST /v1/records/:id/rerun': {
    id: 'rerunRecord',
    path: '/v1/records/{id}/rerun',
    tag,
    summary: 'Run a record again',
    about:
      'Makes the recorded call again, keeps that as a record too, and says how results, pages and citations differ.',
    price: 'As much as the call that was recorded.',
    parameters: [ID],
    answer: z
      .object({
        requestId,
        id: z.string().meta({ description: 'The earlier record.' }),
        recordId: z.string().meta({ description: 'The record of this run.' }),
        changed: z.boolean().meta({ description: 'Whether anything below differs.' }),
        results: z
          .object({
            added: z.array(z.string()).meta({ description: 'Only in the new answer.' }),
            removed: z.array(z.string()).meta({ description: 'Only in the earlier answer.' }),
            kept: z.array(z.string()).meta({ description: 'In their order now.' }),
            reordered: z.boolean().meta({ description: 'Whether those in both changed places.' }),
          })
          .meta({ description: 'The addresses that the answers list.' }),
        pages: z
          .array(
            z.object({
              url,
              state: z.enum(['same', 'changed', 'added', 'removed']),
              changes: z
                .string()
                .nullable()
                .meta({ description: 'How the text differs, as Markdown; null where it does not.' }),
            }),
          )
          .meta({ description: 'The pages that one of the two runs read.' }),
        citations: z
          .object({
            added: z.array(citation).meta({ description: 'Only in the new answer.' }),
            removed: z.array(citation).meta({ description: 'Only in the earlier answer.' }),
            kept: count('In both answers.'),
          })
          .meta({ description: 'The words that were cited; the same words of a page are one citation.' }),
        costDollars: z.looseObject({}).optional().meta({ costs: true, description: 'What the run cost.' }),
      })
      .meta({ title: 'RecordComparison' }),
    errors: ['not_found', 'url_not_allowed', 'recall_unavailable'],
  },
};
