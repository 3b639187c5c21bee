import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { ProtocolError } from "../../platform/http1/message/protocol-error.ts";
import { continuesAfterDisconnect, isClientGone } from "../exchange/detached-response.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { prepareForClient } from "../exchange/forwarded-headers.ts";
import { clientGoneStatus, reject, rejectBody } from "../exchange/rejection.ts";
import { type Sandbox, SandboxFailure } from "../sandbox/protocol.ts";

/** Runs the project's handler. */
export async function runHandler(
  exchange: Exchange,
  sandbox: Sandbox,
  module: string,
  protocol: string,
): Promise<HttpResponse> {
  const { request, method, headers, route, incoming, address: target } = exchange;
  const body = exchange.body ?? request.body;
  try {
    const response = await sandbox.handle(
      module,
      { method, protocol, host: incoming.host, target, headers, body },
      exchange.codeContext(),
      {
        timeoutSeconds: route.timeoutSeconds,
        sender: request,
        outlivesSender: (cancel) => continuesAfterDisconnect(exchange, cancel),
      },
    );
    prepareForClient(response);
    return response;
  } catch (error) {
    if (isClientGone(exchange)) return new HttpResponse(clientGoneStatus);
    const bodyFailure = request.body?.failure;
    if (bodyFailure instanceof ProtocolError) return rejectBody(exchange, bodyFailure);
    return rejectForCode(exchange, error);
  }
}

/** Rejects a request because code failed. The message is only for the log. */
export function rejectForCode(exchange: Exchange, error: unknown): HttpResponse {
  if (!(error instanceof SandboxFailure)) throw error;
  exchange.failure = error;
  switch (error.reason) {
    case "threw":
      return reject(exchange, "handler_failed");
    case "timeout":
      return reject(exchange, "handler_timeout");
    case "busy":
      return reject(exchange, "deployment_unavailable", { retryAfterSeconds: 1 });
    default:
      return reject(exchange, "handler_crashed");
  }
}
