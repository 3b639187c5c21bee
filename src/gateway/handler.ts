import { HttpResponse } from "../platform/http1/http-response.ts";
import { ProtocolError } from "../platform/http1/protocol-error.ts";
import type { Exchange } from "./exchange.ts";
import { prepareForClient } from "./forwarded-headers.ts";
import { clientGoneStatus } from "./proxy.ts";
import { refuse } from "./refusal.ts";
import { type Sandbox, SandboxFailure } from "./sandbox/protocol.ts";

/** Has the project's own code answer. */
export async function runHandler(
  exchange: Exchange,
  sandbox: Sandbox,
  module: string,
  protocol: string,
): Promise<HttpResponse> {
  const { request, method, headers, route, arrival, address: target } = exchange;
  const body = exchange.body ?? request.body;
  try {
    const answer = await sandbox.handle(
      module,
      { method, protocol, host: arrival.host, target, headers, body },
      exchange.codeContext(),
      { timeoutSeconds: route.timeoutSeconds, sender: request },
    );
    prepareForClient(answer);
    return answer;
  } catch (error) {
    if (request.isAborted) return new HttpResponse(clientGoneStatus);
    if (request.body?.failure instanceof ProtocolError) return refuse(exchange, "malformed_request");
    return refuseForCode(exchange, error);
  }
}

/** The world learns that code failed, its owner what it said. */
export function refuseForCode(exchange: Exchange, error: unknown): HttpResponse {
  if (!(error instanceof SandboxFailure)) throw error;
  exchange.failure = error;
  switch (error.reason) {
    case "threw":
      return refuse(exchange, "handler_failed");
    case "timeout":
      return refuse(exchange, "handler_timeout");
    case "busy":
      return refuse(exchange, "deployment_unavailable", { retryAfterSeconds: 1 });
    default:
      return refuse(exchange, "handler_crashed");
  }
}
