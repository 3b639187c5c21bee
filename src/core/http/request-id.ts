import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { redactText } from "../../platform/telemetry/log.ts";

const saneRequestId = /^[\w.:/+=-]{1,128}$/;

export function requestIdOf(request: HttpRequest): string {
  const given = request.headers.get("x-request-id");
  const isSane = given !== null && saneRequestId.test(given) && redactText(given) === given;
  return isSane ? given : crypto.randomUUID();
}
