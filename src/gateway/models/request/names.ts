import { Problem } from "../../../core/problems/problem.ts";
import type { JsonMember } from "../json/parse-json.ts";

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
