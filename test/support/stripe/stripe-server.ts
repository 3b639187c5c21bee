import { afterAll, beforeAll } from "bun:test";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Stripe } from "stripe";
import type { Clock } from "../../../src/lib/time/clock.ts";
import { FakeClock } from "../fake-clock.ts";
import { started, stopped } from "../left-running.ts";
import { Book } from "./book.ts";
import { checkoutRoutes } from "./checkout-routes.ts";
import { invalidRequest, parseForm, StripeProblem } from "./parameters.ts";
import { invoiceAndCustomerRoutes } from "./routes.ts";

const routes = [...invoiceAndCustomerRoutes, ...checkoutRoutes];

const keyMilliseconds = 24 * 60 * 60 * 1000;

/** What happens to a request. */
export type Fault =
  | "none"
  /** The connection is closed, and nothing was done. */
  | "lost-request"
  /** It was done, and the connection is closed. */
  | "lost-response"
  /** The connection is closed, and it is done when the next request arrives. */
  | "late"
  /** 500, and nothing was done. The response is saved for the idempotency key. */
  | "error"
  /** 500, although it was done. The response is saved for the idempotency key. */
  | "error-after"
  | "rate-limit"
  /** A request with the same idempotency key is in progress. */
  | "conflict";

interface Saved {
  content: string;
  status: number;
  body: string;
  at: number;
}

export interface Received {
  method: string;
  path: string;
  body: string;
  key: string | undefined;
  authorization: string | undefined;
}

/**
 * A local server with the part of Stripe's API that is used. Parameters and objects have the types of the package
 * `stripe`; unknown and missing parameters are rejected; idempotency keys work as Stripe documents them.
 */
export class StripeServer {
  readonly book: Book;
  readonly received: Received[] = [];
  /** Decides what happens to each request. */
  fault: (request: Received) => Fault | Promise<Fault> = () => "none";
  /** Called when a request was performed, before the response is sent. */
  beforeResponse: (request: Received) => void | Promise<void> = () => {};
  /** Whether a secret key is valid. */
  isKnownKey: (key: string) => boolean = () => true;
  readonly #saved = new Map<string, Saved>();
  #late: (() => void)[] = [];
  readonly #server: Server;

  constructor(private readonly clock: Clock = new FakeClock()) {
    this.book = new Book(() => clock.now(), Stripe.API_VERSION);
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    started(this, "a server with Stripe's API");
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    stopped(this);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Requests that were on their way arrive. */
  deliverLate(): void {
    const late = this.#late;
    this.#late = [];
    for (const perform of late) perform();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const received: Received = {
      method: request.method!,
      path: request.url!,
      body: Buffer.concat(pieces).toString(),
      key: request.headers["idempotency-key"] as string | undefined,
      authorization: request.headers.authorization,
    };
    this.deliverLate();
    this.received.push(received);
    const fault = await this.fault(received);
    if (fault === "late") this.#late.push(() => void this.#respond(received));
    if (fault === "lost-response") this.#respond(received);
    if (fault === "late" || fault === "lost-request" || fault === "lost-response") return void request.socket.destroy();
    const { status, body, isReplayed } = this.#respond(received, fault);
    await this.beforeResponse(received);
    response.writeHead(status, {
      "content-type": "application/json",
      "request-id": this.book.newId("req"),
      "stripe-version": Stripe.API_VERSION,
      ...(isReplayed ? { "idempotent-replayed": "true" } : {}),
    });
    response.end(body);
  }

  #respond(request: Received, fault: Fault = "none"): { status: number; body: string; isReplayed?: boolean } {
    if (fault === "rate-limit")
      return asResponse(new StripeProblem(429, { type: "rate_limit_error", message: "Slow" }));
    if (fault === "conflict")
      return asResponse(new StripeProblem(409, { type: "idempotency_error", message: "In progress" }));
    const { key, method, path, body } = request;
    const content = `${method} ${path} ${body}`;
    const saved = key === undefined || method !== "POST" ? undefined : this.#saved.get(key);
    if (saved && this.clock.now() - saved.at < keyMilliseconds) {
      if (saved.content !== content)
        return asResponse(
          new StripeProblem(400, { type: "idempotency_error", message: "Keys for idempotent requests differ" }),
        );
      return { status: saved.status, body: saved.body, isReplayed: true };
    }
    const response = fault === "error" ? failure() : this.#perform(request);
    const sent = fault === "error-after" ? failure() : response;
    // Parameters that are not valid are rejected before the key is used. A declined payment is a result.
    if (key !== undefined && (sent.status < 400 || sent.status === 402 || sent.status >= 500))
      this.#saved.set(key, { content, ...sent, at: this.clock.now() });
    return sent;
  }

  #perform({ method, path, body, authorization }: Received): { status: number; body: string } {
    const secret = /^Bearer (?:sk|rk)_(test|live)_\w+$/.exec(authorization ?? "");
    if (!secret || !this.isKnownKey(authorization!.slice("Bearer ".length)))
      return asResponse(new StripeProblem(401, { type: "invalid_request_error", message: "Invalid API Key provided" }));
    const [pathname = "", query = ""] = path.split("?");
    const route = routes.find((each) => each.method === method && each.path.test(pathname));
    try {
      if (!route) throw invalidRequest(`Unrecognized request URL (${method}: ${pathname})`);
      const tree = parseForm(method === "POST" ? body : query);
      const ids = route.path.exec(pathname)!.slice(1);
      const object = route.handle({ book: this.book, tree, ids, livemode: secret[1] === "live" });
      return { status: 200, body: JSON.stringify(object) };
    } catch (error) {
      if (error instanceof StripeProblem) return asResponse(error);
      throw error;
    }
  }
}

function asResponse({ status, body }: StripeProblem): { status: number; body: string } {
  return { status, body: JSON.stringify({ error: body }) };
}

function failure() {
  return asResponse(new StripeProblem(500, { type: "api_error", message: "Something went wrong" }));
}

/** One for all tests of the surrounding `describe`. Declare it before the server that uses it. */
export function useStripe(clock?: Clock): StripeServer {
  const server = new StripeServer(clock);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
