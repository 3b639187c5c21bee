import { TollgateError } from "../transport/errors.ts";
import { type ConnectionOptions, follow } from "../transport/follow.ts";
import type { RequestOptions } from "../transport/options.ts";
import type { Request, RequestFeed } from "../transport/schema.gen.ts";
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

/** Which requests to list, and the options of the call itself. */
export interface ListRequestsOptions extends RequestFilter, RequestOptions {
  /** Returns this many requests, the newest ones; 100 by default, at most 1000. */
  limit?: number | undefined;
  /** The id of a request: returns only requests before it. For the next page, pass the id of the last request. */
  before?: string | undefined;
}

/** Requests are listed by their start and streamed at their end: missed ones may have started this much earlier. */
const maxDurationMs = 60_000;

/** Requests to deployments, with the reason of each outcome. */
export class Requests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The newest requests, newest first. A deployment records at most 400 successes and 200 failures per second; `omitted`
   * counts those that were not recorded in the minutes of the list.
   *
   * @example
   * ```ts
   * const { data, omitted } = await client.requests.list({ consumer: "acme", status: "4xx" });
   * const next = await client.requests.list({ consumer: "acme", status: "4xx", before: data.at(-1)?.id });
   * ```
   */
  list({ deployment, signal, timeoutMs, ...query }: ListRequestsOptions = {}): Promise<RequestFeed> {
    const options = { signal, timeoutMs };
    if (deployment === undefined) return this.#transport.call("listRequests", { query, options });
    return this.#transport.call("listDeploymentRequests", { params: { deploymentName: deployment }, query, options });
  }

  /**
   * One request, by its Tollgate id.
   *
   * @example
   * ```ts
   * const { status, decisions } = await client.requests.get("req_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Request> {
    return this.#transport.call("getRequest", { params: { requestId: id }, options });
  }

  /**
   * One request by its Tollgate id, or the newest with this `x-request-id`; undefined if there is none.
   *
   * @example
   * ```ts
   * const request = await client.requests.find("7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e");
   * if (request) console.log(explainRequest(request));
   * ```
   */
  async find(id: string, options?: RequestOptions): Promise<Request | undefined> {
    if (/^req_[0-9A-Za-z]{24}$/.test(id)) {
      try {
        return await this.get(id, options);
      } catch (error) {
        // A caller may have chosen an x-request-id with the format of our ids.
        if (!(error instanceof TollgateError && error.status === 404)) throw error;
      }
    }
    const [found] = (await this.list({ ...options, requestId: id, limit: 1 })).data;
    return found && this.get(found.id, options);
  }

  /**
   * Streams new requests until you leave the loop or the signal aborts. Survives a lost connection.
   *
   * @example
   * ```ts
   * for await (const request of client.requests.follow({ status: "5xx" })) console.log(explainRequest(request));
   * ```
   */
  follow({
    deployment,
    signal,
    timeoutMs,
    onOpen,
    onLost,
    onOmitted,
    ...filter
  }: RequestFilter & FollowOptions = {}): AsyncGenerator<Request, void, undefined> {
    const options = { signal, timeoutMs };
    const open = () => {
      const query = { ...filter, follow: true };
      if (deployment === undefined) return this.#transport.open("listRequests", { query, options });
      const params = { deploymentName: deployment };
      return this.#transport.open("listDeploymentRequests", { params, query, options });
    };
    const missed = async (since: number) => {
      const begin = Math.max(since - maxDurationMs, filter.from === undefined ? 0 : Date.parse(filter.from));
      const from = new Date(begin).toISOString();
      const { data } = await this.list({ ...filter, deployment, from, limit: 1000, ...options });
      return data.reverse().filter((request) => endOf(request) >= since);
    };
    return follow(
      this.#transport,
      {
        open,
        event: "request",
        missed,
        sinceAfter: (request: Request, since) => Math.max(since, endOf(request)),
        onOtherEvent({ event, data }) {
          if (event === "omitted") onOmitted?.(JSON.parse(data));
        },
      },
      { signal, onOpen, onLost },
    );
  }
}

function endOf({ time, durationMs }: Request): number {
  return Date.parse(time) + durationMs;
}
