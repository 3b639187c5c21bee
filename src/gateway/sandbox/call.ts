import { asciiJson } from "../../lib/ascii-json.ts";
import type { HttpResponse } from "../../platform/http1/http-response.ts";
import { type CodeContext, SandboxFailure } from "./protocol.ts";
import type { SourceLines } from "./source-lines.ts";

/** Carries a Call. workerd takes it away, so that code never sees it. */
export const callHeader = "x-tollgate-call";

/** Says with which scheme the client came; the connection to workerd has none. Also taken away. */
export const publicSchemeHeader = "x-tollgate-public-scheme";

/** What the runtime in workerd is asked to do. */
export type Call =
  | { run: "ping" }
  | { run: "handler"; module: string; requestId: string; context: CodeContext }
  /** The context is in the body, together with the head: options may be large. */
  | { run: "policy"; module: string; requestId: string };

/** Answers with this status may be of the runtime itself, and are if they have the header. See runtime/runtime.js. */
const outcomeStatus = 599;
const outcomeHeader = "x-tollgate-outcome";
const messageHeader = "x-tollgate-message";

/**
 * As a header: JSON in ASCII. The call is a text in it, which the runtime reads by itself: workerd would freeze every
 * object in it, which takes longer than all of the reading.
 */
export function encodeCall(call: Call): string {
  return asciiJson({ call: JSON.stringify(call) });
}

/** Whether the runtime answered instead of code, to let a request proceed. Throws what code threw. */
export function saysProceed(answer: HttpResponse, sources: SourceLines): boolean {
  if (isOfWorkerd(answer)) {
    throw new SandboxFailure("threw", "The code can never answer: it waits for nothing that could still happen");
  }
  if (answer.status !== outcomeStatus) return false;
  switch (answer.headers.get(outcomeHeader)) {
    case "proceed":
      return true;
    case "threw":
      throw new SandboxFailure("threw", sources.translate(decodeURIComponent(answer.headers.get(messageHeader) ?? "")));
    default:
      return false;
  }
}

/** workerd itself gives up on code that waits in vain. Code that answers with a text gets a content type from workerd. */
function isOfWorkerd(answer: HttpResponse): boolean {
  if (answer.status !== 500) return false;
  const { headers } = answer;
  return !headers.has("content-type") && headers.get("content-length") === String("Internal Server Error".length);
}
