import type { ClientRequest } from "../../platform/http1/client/client-request.ts";
import type { HttpClient } from "../../platform/http1/client/http-client.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { callHeader, encodeCall } from "./call.ts";

/** A request to the code in a process; `host` is the host for the code. */
export type ProcessRequest = Omit<ClientRequest, "origin"> & { host: string };

/** Returns the id of an environment that several processes may set. */
type EnvironmentId = (environment: Record<string, string>) => string | undefined;

/** Sends requests to the code in a workerd, over its Unix socket. */
export class CodeConnection {
  #changing: { environment: Record<string, string>; done: Promise<void> } | undefined;

  constructor(
    private readonly client: HttpClient,
    readonly socket: string,
    /** The environment that this connection has set. */
    public environment: Record<string, string> | undefined,
    private readonly environmentId: EnvironmentId = () => undefined,
  ) {}

  send({ host, ...request }: ProcessRequest): ReturnType<HttpClient["request"]> {
    const origin = { key: this.socket, host, connect: { unix: this.socket } };
    // Not retried: a request that crashed one process must not be sent to the next.
    return this.client.request({ ...request, origin, noRetry: true });
  }

  /** Resolves when the code's event loop responds. */
  async ping(): Promise<void> {
    const headers = new HttpHeaders({ [callHeader]: encodeCall({ run: "ping" }) });
    const { response } = this.send({ method: "GET", host: "sandbox", target: "/", headers, body: undefined });
    (await response).discard();
  }

  /** Resolves when all later requests get it. Concurrent changes are combined. */
  setEnvironment(environment: Record<string, string>): Promise<void> {
    if (this.#changing?.environment === environment) return this.#changing.done;
    const before = this.#changing?.done.catch(() => {}) ?? Promise.resolve();
    const done = before.then(() => this.#sendEnvironment(environment));
    this.#changing = { environment, done };
    return done.finally(() => {
      if (this.#changing?.environment === environment) this.#changing = undefined;
    });
  }

  async #sendEnvironment(environment: Record<string, string>): Promise<void> {
    const call = { run: "environment", environment: this.environmentId(environment) } as const;
    const headers = new HttpHeaders({ [callHeader]: encodeCall(call) });
    const body = JSON.stringify(environment);
    const { response: responding } = this.send({ method: "POST", host: "sandbox", target: "/", headers, body });
    const response = await responding;
    response.discard();
    if (response.status !== 204) throw new Error(`The environment was rejected with ${response.status}`);
    this.environment = environment;
  }
}
