import { TollgateError } from "../transport/errors.ts";
import type { RequestOptions } from "../transport/options.ts";
import { type ConnectionOptions, isOutage, openedOn, reopen } from "../transport/reopen.ts";
import type { Request, RequestFeed } from "../transport/schema.gen.ts";
import { serverSentEvents } from "../transport/server-sent-events.ts";
import type { Transport } from "../transport/transport.ts";

/** All filters must match. */
export interface RequestFilter {
  /** Only the requests to this deployment. */
  deployment?: string | undefined;
  /** A status such as `429`, or a class such as `4xx`. */
  status?: string | undefined;
  method?: string | undefined;
  /** The path template of the route, such as `/orders/{id}`, or `unknown` for paths without a route. */
  route?: string | undefined;
  /** The name of the consumer; empty for requests without one. */
  consumer?: string | undefined;
  /** The id of the consumer: consumers of different key buckets may have the same name. */
  consumerId?: string | undefined;
  /** The `x-request-id` header, which callers can choose. */
  requestId?: string | undefined;
  /** Text in the path. */
  q?: string | undefined;
  /** Only what policies in `observe` would have rejected: `true`, or one policy by name. */
  observed?: string | undefined;
  /** RFC 3339: only requests since this time. */
  from?: string | undefined;
  /** RFC 3339: only requests before this time. */
  to?: string | undefined;
}

export interface FollowOptions extends RequestOptions, ConnectionOptions {
  /** Called with the number of requests omitted since the last call, because the rate was too high. */
  onOmitted?: ((omitted: RequestFeed["omitted"]) => void) | undefined;
}

const maxCached = 2000;

/** Requests are listed by their start and streamed at their end: missed ones may have started this much earlier. */
const maxDurationMs = 60_000;

/** New requests. After a lost connection it reads the missed ones and skips those already yielded. */
export async function* followRequests(
  transport: Transport,
  { deployment, signal, timeoutMs, onOpen, onLost, onOmitted, ...filter }: RequestFilter & FollowOptions,
): AsyncGenerator<Request, void, undefined> {
  const options = { signal, timeoutMs };
  const seen = new Set<string>();
  /** No request before this time was missed. */
  let since: number | undefined;

  for (let response = await open(); ; response = await reopen(transport, open, signal, onLost)) {
    onOpen?.();
    try {
      for await (const request of requestsOf(response, await missed(), onOmitted)) {
        if (seen.has(request.id)) continue;
        remember(request);
        yield request;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof TollgateError && !isOutage(error)) throw error;
      // The connection was lost; the loop opens a new one.
    } finally {
      since ??= openedOn(response);
      await response.body?.cancel();
    }
  }

  function open(): Promise<Response> {
    const query = { ...filter, follow: true };
    if (deployment === undefined) return transport.open("listRequests", { query, options });
    return transport.open("listDeploymentRequests", { params: { deploymentName: deployment }, query, options });
  }

  async function missed(): Promise<Request[]> {
    if (since === undefined) return [];
    const end = since;
    const begin = Math.max(end - maxDurationMs, filter.from === undefined ? 0 : Date.parse(filter.from));
    const query = { ...filter, from: new Date(begin).toISOString(), limit: 1000 };
    const feed =
      deployment === undefined
        ? await transport.call("listRequests", { query, options })
        : await transport.call("listDeploymentRequests", { params: { deploymentName: deployment }, query, options });
    return feed.data.reverse().filter((request) => endOf(request) >= end);
  }

  function remember(request: Request): void {
    since = Math.max(since ?? 0, endOf(request));
    seen.add(request.id);
    if (seen.size > maxCached) seen.delete(seen.values().next().value!);
  }
}

function endOf({ time, durationMs }: Request): number {
  return Date.parse(time) + durationMs;
}

async function* requestsOf(
  response: Response,
  before: Request[],
  onOmitted: FollowOptions["onOmitted"],
): AsyncGenerator<Request> {
  yield* before;
  for await (const { event, data } of serverSentEvents(response.body!)) {
    if (event === "request") yield JSON.parse(data);
    if (event === "omitted") onOmitted?.(JSON.parse(data));
  }
}
