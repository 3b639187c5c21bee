import { TollgateError } from "../transport/errors.ts";
import type { RequestOptions } from "../transport/options.ts";
import type { Request, RequestFeed } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import { type FollowOptions, followRequests, type RequestFilter } from "./follow-requests.ts";

/** Which requests to list, and the options of the call itself. */
export interface ListRequestsOptions extends RequestFilter, RequestOptions {
  /** Returns this many requests, the newest ones; 100 by default, at most 1000. */
  limit?: number | undefined;
  /** The id of a request: returns only requests before it. For the next page, pass the id of the last request. */
  before?: string | undefined;
}

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
  follow(options: RequestFilter & FollowOptions = {}): AsyncGenerator<Request, void, undefined> {
    return followRequests(this.#transport, options);
  }
}
