import { afterAll, beforeAll } from "bun:test";
import { Webhook } from "standardwebhooks";
import { started, stopped } from "./left-running.ts";
import { until } from "./until.ts";

/** A received request. */
export interface Received {
  path: string;
  id: string;
  timestamp: string;
  signature: string;
  headers: Headers;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the members that they expect.
  message: any;
}

type Respond = (received: Received) => Response | Promise<Response>;

/** A real HTTP server on loopback that receives webhooks. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The response to requests from now on. */
  respond: Respond = () => new Response(null, { status: 204 });
  #server: Bun.Server<undefined> | undefined;

  start(): void {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const received = await read(request);
        this.received.push(received);
        return this.respond(received);
      },
    });
    started(this, "a webhook receiver");
  }

  url(path = "/hook"): string {
    return `http://127.0.0.1:${this.#server!.port}${path}`;
  }

  ofType(type: string): Received[] {
    return this.received.filter(({ message }) => message.type === type);
  }

  /** Waits for a total number of requests. */
  async wait(count: number, withinMs?: number): Promise<Received[]> {
    const what = () => `${count} webhook requests, of which ${this.received.length} came`;
    await until(() => this.received.length >= count, { ...(withinMs && { withinMs }), what });
    return this.received;
  }

  async waitForType(type: string, count = 1, withinMs?: number): Promise<Received[]> {
    const what = () => `${count} ${type}, among ${this.received.map(({ message }) => message.type).join(", ")}`;
    await until(() => this.ofType(type).length >= count, { ...(withinMs && { withinMs }), what });
    return this.ofType(type);
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.#server!.stop(true);
  }
}

/** One for all tests of the surrounding `describe`. */
export function useWebhookReceiver(): WebhookReceiver {
  const receiver = new WebhookReceiver();
  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());
  return receiver;
}

async function read(request: Request): Promise<Received> {
  const body = await request.text();
  const { headers } = request;
  const { pathname, search } = new URL(request.url);
  return {
    path: pathname + search,
    id: headers.get("webhook-id") ?? "",
    timestamp: headers.get("webhook-timestamp") ?? "",
    signature: headers.get("webhook-signature") ?? "",
    headers,
    body,
    message: JSON.parse(body),
  };
}

/**
 * Throws if no signature matches. The library compares timestamps with the real clock; signatures with a fake clock are
 * checked separately.
 */
export function verifySignature(secret: string, { id, timestamp, signature, body }: Received): void {
  const expected = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body);
  if (!signature.split(" ").includes(expected)) throw new Error(`No signature of ${signature} fits`);
}
