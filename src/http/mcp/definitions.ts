import type { FreeRoute, JsonObject } from '../calls/call.ts';
import { createConstantHandler } from '../calls/constant-answer.ts';
import type { Terms } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import type { Tool, ToolArgument } from './tool.ts';
import { selectTools } from './tools.ts';

const TYPES: Record<ToolArgument['kind'], JsonObject> = {
  text: { type: 'string' },
  count: { type: 'integer' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' } },
};

/** Builds the description of a tool for `tools/list`. Agents keep it in context all the time, so it is short. */
export function buildDefinition(
  tool: Tool,
  { brand, isMetered }: { brand: string; isMetered: boolean },
): JsonObject & { name: string } {
  const fields = Object.entries(tool.fields);
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    name: tool.isForeign ? tool.name : `${brand}_${tool.name}`,
    title: tool.title,
    description: isMetered ? `${tool.description} ${tool.price}` : tool.description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, buildArgumentSchema(field)])),
      ...(required.length > 0 ? { required } : {}),
    },
    ...(tool.output === undefined ? {} : { outputSchema: tool.output }),
    annotations: tool.annotations,
  };
}

type ToolsRouteDeps = { brand: string; terms: Terms | null; writer: object | null };

/** GET /tools.json: the tools as function definitions for OpenAI-style chat APIs. */
export function buildToolsRoute({ brand, terms, writer }: ToolsRouteDeps): FreeRoute {
  const isMetered = terms !== null;
  const functions = selectTools(null, { isMetered, hasModel: writer !== null }).map((tool) =>
    buildFunctionDefinition(tool, { brand, isMetered }),
  );
  return {
    method: 'GET',
    paths: ['/tools.json'],
    callers: 'anybody',
    limit: LIMITS.prompt,
    forAnyPage: true,
    compress: true,
    handle: createConstantHandler(() => ({
      body: JSON.stringify(functions),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
      },
    })),
  };
}

/** Builds the definition of a tool as a function for the `tools` of OpenAI-style chat APIs. */
function buildFunctionDefinition(
  tool: Tool,
  surroundings: Parameters<typeof buildDefinition>[1],
): JsonObject {
  const { name, description, inputSchema } = buildDefinition(tool, surroundings);
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

function buildArgumentSchema({ kind, about }: ToolArgument): JsonObject {
  return about === undefined ? { ...TYPES[kind] } : { ...TYPES[kind], description: about };
}
