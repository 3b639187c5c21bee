import { createHash } from "node:crypto";
import {
  applyEdits,
  type JsonEdit,
  memberOf,
  presentValue,
  removeMember,
  scalarOf,
  setMember,
} from "../json/edit-json.ts";
import { outputLimits, type ParsedRequest } from "./read-request.ts";

/** The values of one attempt that the body gets. */
interface RequestEdits {
  /** The model of the target, as JSON. */
  modelJson: string;
  outputLimit: number | undefined;
  /** The member for the output limit that the provider reads. */
  limitMember: string;
  allowStored: boolean;
  /** Identifies the customer. The provider gets a hash of it. */
  customer: string;
  /** Whether the provider knows `prompt_cache_key`. */
  addsCacheKey: boolean;
}

/** The body for a target: that of the caller with other values of a few members. All other bytes stay. */
export function editedBody(request: ParsedRequest, values: RequestEdits): Buffer {
  const { bytes, root, operation, isStream, wantsUsage } = request;
  const edits: JsonEdit[] = [setMember(root, "model", values.modelJson)];
  if (operation === "chat/completions" && isStream && !wantsUsage) edits.push(usageOfStream(request));
  if (!values.allowStored) addStore(request, edits);
  addCustomer(request, values, edits);
  if (values.outputLimit !== undefined) addLimit(request, values.outputLimit, values.limitMember, edits);
  return applyEdits(bytes, edits);
}

function usageOfStream({ root }: ParsedRequest): JsonEdit {
  const options = presentValue(root, "stream_options");
  return options
    ? setMember(options, "include_usage", "true")
    : setMember(root, "stream_options", '{"include_usage":true}');
}

/** Responses are stored by default, completions are not. */
function addStore({ root, operation }: ParsedRequest, edits: JsonEdit[]): void {
  const store = memberOf(root, "store");
  const isNeeded = store ? store.value.kind !== "false" : operation === "responses";
  const hasStore = operation === "responses" || operation === "chat/completions";
  if (hasStore && isNeeded) edits.push(setMember(root, "store", "false"));
}

/** Providers permit keys of 64 characters. */
const maxKeyBytes = 1_024;

/**
 * Replaces what identifies a user at the provider: a customer must not use a value of another one. Each key for the cache of
 * prompts that a customer chooses remains a key of its own.
 */
function addCustomer({ bytes, root, operation }: ParsedRequest, values: RequestEdits, edits: JsonEdit[]): void {
  if (operation.startsWith("messages")) return;
  const set = (name: string, text: string) =>
    edits.push(setMember(root, name, JSON.stringify(createHash("sha256").update(text).digest("base64url"))));
  for (const name of ["user", "safety_identifier"]) if (presentValue(root, name)) set(name, values.customer);
  const key = presentValue(root, "prompt_cache_key");
  if (key)
    set(
      "prompt_cache_key",
      `${values.customer}\n${bytes.toString("utf8", key.start, Math.min(key.end, key.start + maxKeyBytes))}`,
    );
  else if (values.addsCacheKey && operation !== "embeddings") set("prompt_cache_key", values.customer);
}

/** A provider may ignore a member that it does not know, or reject two of them: it gets one. */
function addLimit(
  { bytes, root, operation }: ParsedRequest,
  limit: number,
  limitMember: string,
  edits: JsonEdit[],
): void {
  for (const name of outputLimits[operation]) {
    if (name !== limitMember) edits.push(...removeMember(root, name));
    else {
      const value = presentValue(root, name);
      if (!value || scalarOf(bytes, value) !== limit) edits.push(setMember(root, name, String(limit)));
    }
  }
}
