import type { ModelsRouteOptions, ProviderOperation } from "../../../core/artifact/models-schema.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { memberOf, presentValue, scalarOf, textOf } from "../json/edit-json.ts";
import {
  InvalidJson,
  type JsonMember,
  type JsonValue,
  type ParseListener,
  parseJson,
  type WalkedParts,
} from "../json/parse-json.ts";
import { checkContent, type InputContent } from "./content.ts";
import { badMember } from "./invalid-request.ts";
import { otherMembers } from "./members.ts";
import { checkStoredState } from "./stored-state.ts";
import { type PricedFeature, pricedFeatures } from "./tools.ts";

/** The body of a request to a provider's operation, as far as the rules read it. */
export interface ParsedRequest {
  operation: ProviderOperation;
  bytes: Buffer;
  root: JsonValue;
  /** The name of an alias. */
  model: string;
  isStream: boolean;
  /** Whether the caller asked for the event with the usage of a stream. */
  wantsUsage: boolean;
  /** The smallest output limit of the request. */
  outputLimit: number | undefined;
  /** `n` of a chat completion. */
  choices: number;
  thinkingBudget: number | undefined;
  asksReasoning: boolean;
  asksAudio: boolean;
  input: InputContent;
  /** The members that the provider of the target must permit. */
  otherMembers: string[];
  /** What the target must have a price for. */
  features: PricedFeature[];
}

/** The members that limit the output of an operation. */
export const outputLimits: Record<ProviderOperation, readonly string[]> = {
  "chat/completions": ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
  embeddings: [],
  messages: ["max_tokens"],
  "messages/count_tokens": [],
};

const walkedMembers = new Set([
  "stream_options",
  "thinking",
  "messages",
  "system",
  "tools",
  "input",
  "instructions",
  "prompt",
  "output_config",
]);

/** Below these, names are the caller's own. */
const free = new Set(["parameters", "input_schema", "schema", "input", "arguments", "metadata", "action"]);

const walked: WalkedParts = { members: walkedMembers, free };
/** The input of embeddings has no objects. */
const walkedOfEmbeddings: WalkedParts = { members: new Set(), free };

interface RequestReader {
  /** Called with the name of the model as soon as it is known. Throws if there is no such alias. */
  checkModel(name: string): void;
  /** Reserves memory for what is read of the body. Throws if there is none. */
  reserve(bytes: number): void;
}

/** Parses and checks a body. Throws a Problem for one that breaks a rule. */
export function* readRequest(
  bytes: Buffer,
  operation: ProviderOperation,
  options: ModelsRouteOptions,
  { checkModel, reserve }: RequestReader,
): Generator<void, ParsedRequest> {
  let isChecked = false;
  const root = yield* parsed(bytes, operation, {
    member: ({ name, value }) => {
      if (isChecked || name.text !== "model" || value.kind !== "string") return;
      isChecked = true;
      checkModel(modelIn(bytes, value));
    },
    object: checkNames,
    reserve,
  });
  const model = presentValue(root, "model");
  if (model?.kind !== "string" || model.end - model.start === 2)
    throw badMember("model", "must be the name of a model");
  const input = yield* checkContent(bytes, root, operation, options.allowStored);
  if (!options.allowStored) checkStoredState(bytes, root, operation);
  const isStream = flagOf(root, "stream");
  return {
    operation,
    bytes,
    root,
    model: modelIn(bytes, model),
    isStream,
    wantsUsage: wantsUsage(root),
    outputLimit: outputLimitOf(bytes, root, operation),
    choices: operation === "chat/completions" ? (numberOf(bytes, root, "n", 1) ?? 1) : 1,
    thinkingBudget: thinkingBudgetOf(bytes, root),
    asksReasoning: asksReasoning(bytes, root),
    asksAudio: presentValue(root, "audio") !== undefined,
    input,
    otherMembers: otherMembers(root, operation),
    features: pricedFeatures(bytes, root, options.allowStored),
  };
}

/** Names of aliases have at most 128 characters, so the begin of a longer one is none. */
const maxModelBytes = 1_024;

function modelIn(bytes: Buffer, model: JsonValue): string {
  const { start, end } = model;
  return end - start > maxModelBytes
    ? bytes.toString("latin1", start + 1, start + maxModelBytes)
    : (scalarOf(bytes, model) as string);
}

function* parsed(bytes: Buffer, operation: ProviderOperation, listener: ParseListener): Generator<void, JsonValue> {
  let root: JsonValue;
  try {
    root = yield* parseJson(bytes, operation === "embeddings" ? walkedOfEmbeddings : walked, listener);
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new Problem("invalid_json", { detail: `The body ${error.message}.` });
  }
  if (root.kind !== "object") throw new Problem("request_invalid", { detail: "The body must be a JSON object." });
  return root;
}

/** A text such as "true" is rejected: some providers would read it as true. */
function flagOf(root: JsonValue, name: string): boolean {
  const value = presentValue(root, name);
  if (value === undefined || value.kind === "false") return false;
  if (value.kind !== "true") throw badMember(name, "must be true or false");
  return true;
}

function wantsUsage(root: JsonValue): boolean {
  const options = presentValue(root, "stream_options");
  if (options === undefined) return false;
  if (options.kind !== "object") throw badMember("stream_options", "must be an object");
  return flagOf(options, "include_usage");
}

function outputLimitOf(bytes: Buffer, root: JsonValue, operation: ProviderOperation): number | undefined {
  let smallest: number | undefined;
  for (const name of outputLimits[operation]) {
    const limit = numberOf(bytes, root, name, name === "max_tokens" && operation === "messages" ? 0 : 1);
    if (limit !== undefined && (smallest === undefined || limit < smallest)) smallest = limit;
  }
  return smallest;
}

function numberOf(bytes: Buffer, object: JsonValue, name: string, minimum: number): number | undefined {
  const value = presentValue(object, name);
  if (value === undefined) return undefined;
  const number = value.kind === "number" ? scalarOf(bytes, value) : undefined;
  if (!Number.isSafeInteger(number) || (number as number) < minimum)
    throw badMember(name, `must be a whole number of at least ${minimum}`);
  return number as number;
}

function asksReasoning(bytes: Buffer, root: JsonValue): boolean {
  if (presentValue(root, "reasoning") ?? presentValue(root, "reasoning_effort")) return true;
  const thinking = presentValue(root, "thinking");
  return thinking !== undefined && textOf(bytes, thinking, "type") !== "disabled";
}

function thinkingBudgetOf(bytes: Buffer, root: JsonValue): number | undefined {
  const thinking = presentValue(root, "thinking");
  if (thinking?.kind !== "object" || textOf(bytes, thinking, "type") === "disabled") return undefined;
  return memberOf(thinking, "budget_tokens") && numberOf(bytes, thinking, "budget_tokens", 0);
}

/** The names that a rule reads, in any object that is walked. */
const readNames = new Set([
  "model",
  "stream",
  "stream_options",
  "include_usage",
  "store",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "n",
  "thinking",
  "budget_tokens",
  "messages",
  "system",
  "input",
  "tools",
  "type",
  "role",
  "id",
  "content",
  "output",
  "source",
  "file",
  "file_id",
  "file_ids",
  "file_url",
  "image_url",
  "audio",
  "container",
  "container_id",
  "vector_store_ids",
  "previous_response_id",
  "conversation",
  "prompt",
  "background",
  "web_search_options",
  "mcp_servers",
  "speed",
  "service_tier",
  "inference_geo",
]);

/** Up to this number of members, comparing each pair is faster than a set. */
const fewMembers = 12;

/**
 * Rejects objects with two names that a parser may take for one, and names that a rule reads in another case: a parser
 * that ignores case would read them, and the rule would not.
 */
export function checkNames(members: readonly JsonMember[]): void {
  for (const { name } of members)
    if (name.text !== name.folded && readNames.has(name.folded))
      throw rejected(
        `The body has the member ${JSON.stringify(name.text.slice(0, 100))}; its name is \`${name.folded}\`.`,
      );
  if (members.length > fewMembers) {
    const seen = new Set<string>();
    for (const { name } of members) {
      if (seen.has(name.folded)) throw twice(name.text);
      seen.add(name.folded);
    }
    return;
  }
  for (let at = 1; at < members.length; at++) {
    const { folded, text } = members[at]!.name;
    for (let before = 0; before < at; before++) if (members[before]!.name.folded === folded) throw twice(text);
  }
}

function twice(name: string): Problem {
  return rejected(
    `An object of the body has the member ${JSON.stringify(name.slice(0, 100))} twice, or with names that differ only by case.`,
  );
}

function rejected(detail: string): Problem {
  return new Problem("request_invalid", { detail });
}
