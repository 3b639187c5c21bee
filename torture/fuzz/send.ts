import type { ClientResponse, ServerAddress } from "../../test/support/client.ts";
import { contractOf } from "../../test/support/contract.ts";
import type { FuzzRequest } from "./requests.ts";

/** On a busy machine; a request that hangs would never end. */
const respondsWithinMs = 10_000;

/** Fails if there is no response in time, or if it is a server fault or not described. */
export async function send(server: ServerAddress, request: FuzzRequest): Promise<ClientResponse> {
  const { method, path, headers, body } = request;
  const contract = await contractOf(server);
  const { url } = server;
  const response = await fetch(url + path, {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(respondsWithinMs),
    ...(body === undefined ? {} : { body: new Blob([body]) }),
  });
  const isEndless = response.headers.get("content-type") === "text/event-stream";
  const text = isEndless ? "" : await response.text();
  if (isEndless) await response.body?.cancel();
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  const received: ClientResponse = {
    method,
    // As fetch sends it, without `.` and `..`. `$bulk` may be written in two ways; the contract knows one.
    path: new URL(url + path).pathname.replaceAll("%24", "$"),
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
    text,
  };
  if (received.status >= 500) throw new Error(`a fault of the server: ${received.status} ${text}`);
  contract.check(received);
  return received;
}
