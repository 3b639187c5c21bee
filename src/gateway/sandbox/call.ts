import { asciiJson } from "../../lib/text/ascii-json.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { type BodyMode, type CodeContext, SandboxFailure } from "./protocol.ts";
import type { SourceLines } from "./source-lines.ts";

/** The header with a Call. workerd removes it, so that code never sees it. */
export const callHeader = "x-tollgate-call";

/** The scheme of the client; the connection to workerd has none. Also removed. */
export const publicSchemeHeader = "x-tollgate-public-scheme";

/** A call to the runtime in workerd. */
export type SandboxCall =
  | { run: "ping" }
  /** The environment is in the body. Calls that name its id get it; those without an id get the last one. */
  | { run: "environment"; environment: string | undefined }
  | ({ run: "handler"; module: string; context: CodeContext } & CallOptions)
  /**
   * The context is in the body, together with the head, because options may be large. `keepsState` means that there is
   * an `onResponse`.
   */
  | ({ run: "policy"; module: string; body: BodyMode; keepsState: boolean } & CallOptions)
  /** `onResponse` of a policy. */
  | ({ run: "response"; module: string; body: BodyMode } & CallOptions);

interface CallOptions {
  requestId: string;
  /** The id of the environment, if several processes send requests to the code. */
  environment: string | undefined;
}

/** Responses with this status and header come from the runtime itself. See runtime/runtime.js. */
const outcomeStatus = 599;
const outcomeHeader = "x-tollgate-outcome";
const messageHeader = "x-tollgate-message";

/**
 * The call as a header: JSON in ASCII. The call is a string in it, which the runtime parses itself: workerd would
 * freeze every object in it, which takes longer than parsing.
 */
export function encodeCall(call: SandboxCall): string {
  return asciiJson({ call: JSON.stringify(call) });
}

/**
 * Whether the runtime responded instead of the code: the request proceeds, or a frame follows. Undefined for a response
 * of the code. Throws the code's exception.
 */
export function outcomeOf(response: HttpResponse, sources: SourceLines): "proceed" | "framed" | undefined {
  if (isOfWorkerd(response)) {
    throw new SandboxFailure("threw", "The code can never respond: it awaits a promise that cannot resolve");
  }
  if (response.status !== outcomeStatus) return undefined;
  const outcome = response.headers.get(outcomeHeader);
  switch (outcome) {
    case "proceed":
    case "framed":
      return outcome;
    case "threw":
      throw new SandboxFailure(
        "threw",
        sources.translate(decodeURIComponent(response.headers.get(messageHeader) ?? "")),
      );
    default:
      return undefined;
  }
}

/** workerd itself aborts code that can never continue. A text response of code has a content type. */
function isOfWorkerd(response: HttpResponse): boolean {
  if (response.status !== 500) return false;
  const { headers } = response;
  return !headers.has("content-type") && headers.get("content-length") === String("Internal Server Error".length);
}
