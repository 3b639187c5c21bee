import { type Egress, EgressDenied } from "../../../../platform/egress/egress.ts";
import { HttpClient } from "../../../../platform/http1/client/http-client.ts";
import { Body } from "../../../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../../../platform/http1/message/http-response.ts";

const timeoutMilliseconds = 15_000;
const keptResponseBytes = 4096;

interface SignedMessage {
  url: string;
  id: string;
  timestampSeconds: number;
  signature: string;
  body: string;
}

/** The result of one attempt: a status, or an error if there was no response. */
export interface AttemptResult {
  status?: number;
  error?: string;
  /** The beginning of the response's body, as text. */
  response?: string;
  durationMs: number;
}

/** The headers of every attempt for a message. Timestamp and signature are added for each attempt. */
export function requestHeaders(messageId: string): [name: string, value: string][] {
  return [
    ["content-type", "application/json"],
    ["user-agent", "Tollgate-Webhooks/1"],
    ["accept", "*/*"],
    ["webhook-id", messageId],
  ];
}

class TimedOut extends Error {}

/** Makes attempts. It never throws: an error is part of the result. */
export class WebhookSender {
  constructor(
    private readonly egress: Egress,
    private readonly timeout = timeoutMilliseconds,
  ) {}

  async send(message: SignedMessage, signal: AbortSignal): Promise<AttemptResult> {
    const started = performance.now();
    const { promise: late, reject: expire } = Promise.withResolvers<never>();
    late.catch(() => {});
    const timer = setTimeout(() => expire(new TimedOut()), this.timeout);
    const stop = () => expire(new Error("the server was stopped"));
    signal.addEventListener("abort", stop);
    // One connection per attempt: the receiver may have closed an idle one, and a POST is not retried.
    const client = new HttpClient();
    try {
      const response = await this.#respond(client, message, late);
      return { status: response.status, response: await beginningOf(response, late), durationMs: since(started) };
    } catch (error) {
      return { error: this.#describe(error), durationMs: since(started) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      client.close();
    }
  }

  async #respond(client: HttpClient, message: SignedMessage, late: Promise<never>): Promise<HttpResponse> {
    const { url, id, timestampSeconds, signature, body } = message;
    const { origin } = await Promise.race([this.egress.locate(url), late]);
    const { pathname, search } = new URL(url);
    const headers = new HttpHeaders([
      ...requestHeaders(id),
      ["webhook-timestamp", String(timestampSeconds)],
      ["webhook-signature", signature],
    ]);
    const target = pathname + search;
    const { response, pending } = client.request({ origin, method: "POST", target, headers, body: Buffer.from(body) });
    response.catch(() => {});
    try {
      return await Promise.race([response, late]);
    } catch (error) {
      pending.cancel(error as Error);
      throw error;
    }
  }

  #describe(error: unknown): string {
    if (error instanceof TimedOut) return `no response within ${this.timeout / 1000} s`;
    if (error instanceof EgressDenied) return "the address is one that this server may not reach (TOLLGATE_EGRESS)";
    return storable(error instanceof Error ? error.message : String(error)).slice(0, 500);
  }
}

/** A body that does not end in time is truncated, because the status determines the result. */
async function beginningOf(response: HttpResponse, late: Promise<never>): Promise<string> {
  const { body } = response;
  if (body === undefined || typeof body === "string") return storable((body ?? "").slice(0, keptResponseBytes));
  if (!(body instanceof Body)) return decoded(Buffer.from(body));
  const pieces: Buffer[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]();
  try {
    while (size < keptResponseBytes) {
      const { value, done } = await Promise.race([iterator.next(), late]);
      if (done) break;
      pieces.push(value);
      size += value.length;
    }
  } catch {
    // The part that was received until then is kept.
  }
  body.cancel();
  return decoded(Buffer.concat(pieces));
}

function decoded(bytes: Buffer): string {
  return storable(bytes.subarray(0, keptResponseBytes).toString());
}

/** Both engines store any text without NUL. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}
