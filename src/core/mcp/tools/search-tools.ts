import type { JsonObject } from "../../../lib/text/json-object.ts";
import { isJsonObject } from "../../../lib/text/json-object.ts";
import type { Tool, ToolCall, ToolOutcome, ToolResult } from "../types.ts";
import { errorCodes, type Implementation, McpError, type McpRequest, type McpServer } from "../types.ts";
import { argumentErrors, argumentsResult } from "./arguments.ts";

/** An operation that `search` finds. */
export interface Searchable {
  operationId: string;
  method: string;
  path: string;
  tool: Tool;
  tags?: readonly string[];
}

interface SearchServerOptions {
  info: Implementation;
  instructions?: string | undefined;
  /** The operations that the caller may use. */
  operations(request: McpRequest): readonly Searchable[] | Promise<readonly Searchable[]>;
  /** Gets the operationId as the name, and the operation's arguments. */
  call(call: ToolCall): ToolOutcome | Promise<ToolOutcome>;
  /** Whether no operation changes anything. */
  isReadOnly?: boolean;
}

const defaultResults = 5;
const maxResults = 20;
/** The schemas of all results but the first, which always has its own; the rest have names and descriptions only. */
const maxSchemaBytes = 6 * 1024;
const maxDescription = 300;
/** Operations without a schema that a search without a match lists. */
const maxNames = 200;

const searchTool: Tool = {
  name: "search",
  title: "Search operations",
  description:
    "Finds operations of this API by words, such as a resource and what to do with it. Returns their ids, descriptions and the schemas of their arguments for the tool `call`.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words of the operation's name, path or description.", maxLength: 1000 },
      limit: { type: "integer", minimum: 1, maximum: maxResults, description: `${defaultResults} by default.` },
    },
    required: ["query"],
  },
  annotations: { readOnlyHint: true },
};

function callTool(isReadOnly: boolean): Tool {
  return {
    name: "call",
    title: "Call an operation",
    description: "Calls an operation that `search` has found, with arguments that match its schema.",
    inputSchema: {
      type: "object",
      properties: {
        operationId: { type: "string", description: "The operationId of a result of `search`." },
        arguments: { type: "object", description: "The arguments of the operation." },
      },
      required: ["operationId"],
    },
    annotations: isReadOnly ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: true },
  };
}

/** A server with two tools, for APIs with more operations than a model should read at once. */
export function searchServer(options: SearchServerOptions): McpServer {
  const { info, instructions, operations, call, isReadOnly = false } = options;
  const tools = [searchTool, callTool(isReadOnly)];
  return {
    info,
    instructions,
    listTools: () => tools,
    async callTool(given) {
      const tool = tools.find(({ name }) => name === given.name);
      if (!tool) return undefined;
      const errors = argumentErrors(tool, given.arguments);
      if (errors.length > 0) return argumentsResult(errors);
      if (tool === searchTool) return searchResult(await operations(given.request), given.arguments);
      return call(operationCall(given));
    },
  };
}

/** The call of an operation inside of a call of `call`. Throws an McpError. */
function operationCall({ arguments: given, ...rest }: ToolCall): ToolCall {
  const { operationId, arguments: inner = {} } = given;
  if (typeof operationId !== "string" || !isJsonObject(inner))
    throw new McpError(errorCodes.invalidParams, "operationId must be a text and arguments an object.");
  return { ...rest, name: operationId, arguments: inner };
}

function searchResult(operations: readonly Searchable[], given: JsonObject): ToolResult {
  const { query, limit = defaultResults } = given as { query: string; limit?: number };
  const found = searchOperations(operations, query);
  let bytes = 0;
  const described = found.slice(0, limit).map(({ operationId, method, path, tool }, index) => {
    const { title, description = "", inputSchema } = tool;
    const isFirst = index === 0;
    const isLong = !isFirst && description.length > maxDescription;
    const text = isLong ? `${description.slice(0, maxDescription)}…` : description;
    const entry = { operationId, method, path, ...(title !== undefined && { title }), description: text };
    const size = Buffer.byteLength(JSON.stringify(inputSchema));
    const hasSchema = isFirst || bytes + size <= maxSchemaBytes;
    if (hasSchema) bytes += size;
    return { ...entry, ...(hasSchema ? { inputSchema } : { note: "Search for its operationId to get its schema." }) };
  });
  const result: JsonObject = { operations: described, total: found.length };
  if (found.length === 0) result.operationIds = operations.slice(0, maxNames).map(({ operationId }) => operationId);
  // Without structuredContent, which would be the same once more.
  return { content: [{ type: "text", text: JSON.stringify(result) }] };
}

/** The operations that have a word of the query, the best first. Equal ones stay in their order. */
export function searchOperations(operations: readonly Searchable[], query: string): Searchable[] {
  const words = [...new Set(wordsOf(query))];
  if (words.length === 0) return [...operations];
  return operations
    .map((operation) => ({ operation, score: scoreOf(operation, words, query) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ operation }) => operation);
}

function scoreOf({ operationId, method, path, tool, tags }: Searchable, words: string[], query: string): number {
  if (operationId === query.trim()) return Number.MAX_SAFE_INTEGER;
  const { properties } = tool.inputSchema;
  const named = new Set(wordsOf(operationId));
  const fields: [weight: number, words: Set<string>][] = [
    [8, named],
    [6, new Set(wordsOf(tool.title ?? ""))],
    [5, new Set(wordsOf(path))],
    [4, new Set(wordsOf((tags ?? []).join(" ")))],
    [2, new Set([method.toLowerCase(), ...wordsOf(isJsonObject(properties) ? Object.keys(properties).join(" ") : "")])],
    [1, new Set(wordsOf(tool.description ?? ""))],
  ];
  let score = 0;
  let matched = 0;
  for (const word of words) {
    const best = Math.max(
      0,
      ...fields.map(([weight, known]) => (known.has(word) ? weight : hasStart(known, word) ? weight / 2 : 0)),
    );
    score += best;
    if (best > 0) matched += 1;
  }
  // Of equal ones, that whose id has the fewest other words.
  return score * matched - (score > 0 ? named.size / 1000 : 0);
}

/** Whether one of the words begins with the searched one, or the other way around: "keys" finds "key". */
function hasStart(known: ReadonlySet<string>, word: string): boolean {
  if (word.length < 3) return false;
  for (const each of known) if (each.length >= 3 && (each.startsWith(word) || word.startsWith(each))) return true;
  return false;
}

/** Words in lower case and without a plural's s; `listUsers` and `ListAPIKeys` have two and three. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !stopWords.has(word))
    .map((word) => (/[^su]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word));
}

const stopWords = new Set([
  "a",
  "an",
  "the",
  "of",
  "for",
  "to",
  "in",
  "on",
  "and",
  "or",
  "by",
  "with",
  "is",
  "i",
  "me",
]);
