import type { ProviderOperation } from "../../../core/artifact/models-schema.ts";
import type { Problem } from "../../../core/problems/problem.ts";
import type { JsonValue } from "../json/parse-json.ts";
import { badMember } from "./invalid-request.ts";

const both =
  "metadata model parallel_tool_calls prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier store stream stream_options temperature tool_choice tools top_logprobs top_p user";
const counted =
  "cache_control container context_management mcp_servers messages model output_config output_format speed system thinking tool_choice tools";

/**
 * The members that requests may have. Those of a provider that are not of the API, or are new, may select another model,
 * data of the operator or something that costs more: a provider's setting `members` permits them.
 */
const permitted: Record<ProviderOperation, ReadonlySet<string>> = {
  "chat/completions": namesIn(
    both,
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages modalities n prediction presence_penalty reasoning_effort response_format seed stop verbosity web_search_options",
  ),
  responses: namesIn(
    both,
    "background context_management conversation include input instructions max_output_tokens max_tool_calls previous_response_id prompt reasoning text truncation",
  ),
  embeddings: namesIn("dimensions encoding_format input model user"),
  messages: namesIn(
    counted,
    "inference_geo max_tokens metadata service_tier stop_sequences stream temperature top_k top_p",
  ),
  "messages/count_tokens": namesIn(counted),
};

function namesIn(...lists: string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(" ")));
}

/** The members of a body that only a provider's setting may permit. */
export function otherMembers({ members = [] }: JsonValue, operation: ProviderOperation): string[] {
  return members.map(({ name }) => name.text).filter((name) => !permitted[operation].has(name));
}

export function notPermitted(name: string): Problem {
  return badMember(name.slice(0, 100), "is not a member that this API permits for the model");
}
