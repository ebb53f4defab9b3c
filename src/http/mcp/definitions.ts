import type { JsonObject } from '../calls/call.ts';
import type { Field, Tool } from './tool.ts';

const TYPES: Record<Field['kind'], JsonObject> = {
  text: { type: 'string' },
  count: { type: 'integer' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' } },
};

/** What `tools/list` tells of a tool. Every agent carries it in its context all the time, so that it is kept short. */
export function definitionOf(tool: Tool, brand: string): JsonObject & { name: string } {
  const fields = Object.entries(tool.fields);
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    name: `${brand}_${tool.name}`,
    description: tool.description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
      ...(required.length > 0 ? { required } : {}),
    },
    annotations: tool.annotations,
  };
}

function schemaOf({ kind, about }: Field): JsonObject {
  return about === undefined ? { ...TYPES[kind] } : { ...TYPES[kind], description: about };
}
