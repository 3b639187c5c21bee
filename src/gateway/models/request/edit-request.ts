import { applyEdits, type JsonEdit, memberOf, presentValue, scalarOf, setMember } from "../json/edit-json.ts";
import { outputLimits, type ParsedRequest } from "./read-request.ts";

/** The values of one attempt that the body gets. */
interface RequestEdits {
  /** The model of the target, as JSON. */
  modelJson: string;
  outputLimit: number | undefined;
  /** The member for an output limit that the request does not have. */
  limitMember: string | undefined;
  allowStored: boolean;
}

/** The body for a target: that of the caller with other values of a few members. All other bytes stay. */
export function editedBody(request: ParsedRequest, values: RequestEdits): Buffer {
  const { bytes, root, operation, isStream, wantsUsage } = request;
  const edits: JsonEdit[] = [setMember(root, "model", values.modelJson)];
  if (operation === "chat/completions" && isStream && !wantsUsage) edits.push(usageOfStream(request));
  if (!values.allowStored) addStore(request, edits);
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

function addLimit(
  { bytes, root, operation }: ParsedRequest,
  limit: number,
  limitMember: string | undefined,
  edits: JsonEdit[],
): void {
  let hasLimit = false;
  for (const name of outputLimits[operation]) {
    const value = presentValue(root, name);
    if (!value) continue;
    hasLimit = true;
    if ((scalarOf(bytes, value) as number) > limit) edits.push(setMember(root, name, String(limit)));
  }
  if (!hasLimit && limitMember !== undefined) edits.push(setMember(root, limitMember, String(limit)));
}

/**
 * The member for an output limit. OpenAI's newest models know only `max_completion_tokens`, and many that imitate its
 * API only `max_tokens`.
 */
export function limitMemberOf(operation: ParsedRequest["operation"], host: string): string | undefined {
  if (operation !== "chat/completions") return outputLimits[operation][0];
  return /(?:^|\.)(?:openai\.com|azure\.com)(?::\d+)?$/.test(host) ? "max_completion_tokens" : "max_tokens";
}
