import type { ProviderOperation } from "../../../core/artifact/models-schema.ts";
import type { Problem } from "../../../core/problems/problem.ts";
import { presentValue } from "../json/edit-json.ts";
import type { JsonValue } from "../json/parse-json.ts";
import { badMember } from "./invalid-request.ts";

/** Members that refer to state at the provider, by operation. */
const references: Partial<Record<ProviderOperation, readonly string[]>> = {
  "chat/completions": ["previous_response_id", "conversation", "container", "vector_store_ids"],
  responses: ["previous_response_id", "conversation", "prompt", "container", "vector_store_ids"],
  messages: ["container"],
  "messages/count_tokens": ["container"],
};

/**
 * Rejects requests that refer to state at the provider: all customers use the same credential, so one could read
 * what another has stored.
 */
export function checkStoredState(_: Buffer, root: JsonValue, operation: ProviderOperation): void {
  for (const name of references[operation] ?? []) if (presentValue(root, name)) throw notStored(name);
  const background = presentValue(root, "background");
  if (background && background.kind !== "false") throw notStored("background");
}

export function notStored(name: string): Problem {
  return badMember(name, "refers to state at the provider, which this API does not keep");
}
