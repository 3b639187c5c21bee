import { Slice } from "../../../lib/tasks/slices.ts";
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
  /** Of all operations, also those that the caller may not use. */
  index: SearchIndex;
  /** The operations that the caller may use, by id, in their order. */
  offered(request: McpRequest): ReadonlySet<string> | Promise<ReadonlySet<string>>;
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
  const { info, instructions, index, offered, call, isReadOnly = false } = options;
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
      if (tool === searchTool) return searchResult(index, await offered(given.request), given.arguments);
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

async function searchResult(index: SearchIndex, offered: ReadonlySet<string>, given: JsonObject): Promise<ToolResult> {
  const { query, limit = defaultResults } = given as { query: string; limit?: number };
  const found = await index.find(query, offered);
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
  if (found.length === 0) result.operationIds = [...offered].slice(0, maxNames);
  // Without structuredContent, which would be the same once more.
  return { content: [{ type: "text", text: JSON.stringify(result) }] };
}

/** Words of a query. More are ignored: a model asks with a few. */
const maxWords = 32;

/** An operation that has a word, by its number, and the weight of the place. */
type Places = Map<number, number>;

/** The words of the operations of a document. They are split with the first search, in slices: that takes long for large documents. */
export class SearchIndex {
  #words: Promise<ReadonlyMap<string, Places>> | undefined;
  /** The number of words of each operation's id. */
  readonly #idWords: number[] = [];

  constructor(private readonly operations: readonly Searchable[]) {}

  /** The offered operations that have a word of the query, the best first. Equal ones stay in their order. */
  async find(query: string, offered: ReadonlySet<string>): Promise<Searchable[]> {
    const isOffered = ({ operationId }: Searchable) => offered.has(operationId);
    const words = [...new Set(wordsOf(query))].slice(0, maxWords);
    if (words.length === 0) return this.operations.filter(isOffered);
    this.#words ??= this.#split();
    const known = await this.#words;
    const found = new Map<number, { score: number; matched: number }>();
    for (const word of words)
      for (const [operation, weight] of placesOf(known, word)) {
        const { score, matched } = found.get(operation) ?? { score: 0, matched: 0 };
        found.set(operation, { score: score + weight, matched: matched + 1 });
      }
    // Of equal ones, that whose id has the fewest other words.
    const rank = (operation: number, score: number, matched: number) =>
      this.operations[operation]!.operationId === query.trim()
        ? Number.MAX_SAFE_INTEGER
        : score * matched - this.#idWords[operation]! / 1000;
    return [...found]
      .map(([operation, { score, matched }]) => ({ operation, rank: rank(operation, score, matched) }))
      .sort((one, other) => other.rank - one.rank || one.operation - other.operation)
      .map(({ operation }) => this.operations[operation]!)
      .filter(isOffered);
  }

  async #split(): Promise<ReadonlyMap<string, Places>> {
    const words = new Map<string, Places>();
    const slice = new Slice();
    for (const [operation, { operationId, method, path, tool, tags }] of this.operations.entries()) {
      const { properties } = tool.inputSchema;
      const named = wordsOf(operationId);
      this.#idWords[operation] = new Set(named).size;
      // The first place of a word has its largest weight.
      const fields: [weight: number, words: string[]][] = [
        [8, named],
        [6, wordsOf(tool.title ?? "")],
        [5, wordsOf(path)],
        [4, wordsOf((tags ?? []).join(" "))],
        [2, [method.toLowerCase(), ...wordsOf(isJsonObject(properties) ? Object.keys(properties).join(" ") : "")]],
        [1, wordsOf(tool.description ?? "")],
      ];
      for (const [weight, found] of fields)
        for (const word of found) {
          const places = words.get(word) ?? new Map<number, number>();
          if (!places.has(operation)) places.set(operation, weight);
          words.set(word, places);
        }
      if (slice.isOver) await slice.next();
    }
    return words;
  }
}

/** A word that begins with the searched one, or the other way around, counts half: "keys" finds "key". */
function placesOf(known: ReadonlyMap<string, Places>, word: string): Places {
  const found = new Map(known.get(word));
  if (word.length < 3) return found;
  for (const [each, places] of known)
    if (each !== word && each.length >= 3 && (each.startsWith(word) || word.startsWith(each)))
      for (const [operation, weight] of places)
        if (weight / 2 > (found.get(operation) ?? 0)) found.set(operation, weight / 2);
  return found;
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
