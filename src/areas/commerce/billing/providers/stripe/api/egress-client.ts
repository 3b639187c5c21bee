import type { Stripe } from "stripe";
import type { Egress } from "../../../../../../platform/egress/egress.ts";
import { HttpClient } from "../../../../../../platform/http1/client/http-client.ts";
import { Body } from "../../../../../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../../../../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../../../../../platform/http1/message/http-response.ts";

const maxBodyBytes = 4 * 1024 * 1024;

type StripeHttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>["httpClient"]>;
type StripeHttpResponse = Awaited<ReturnType<StripeHttpClient["makeRequest"]>>;

/**
 * The transport of the package `stripe`, through the egress rules. It makes one request for each call: when to try again
 * is decided by InvoiceSync. Follows no redirects.
 */
export class EgressClient implements StripeHttpClient {
  constructor(
    private readonly egress: Egress,
    /** The address of the API, without a trailing slash. */
    private readonly url: string,
    private readonly stopping?: AbortSignal | undefined,
  ) {}

  getClientName(): string {
    return "tollgate";
  }

  async makeRequest(
    _host: string,
    _port: string,
    path: string,
    method: string,
    headers: Record<string, unknown>,
    requestData: string,
    _protocol: string,
    timeout: number,
  ): Promise<StripeHttpResponse> {
    const { promise: late, reject: expire } = Promise.withResolvers<never>();
    late.catch(() => {});
    const timer = setTimeout(() => expire(new Error(`Stripe did not respond within ${timeout / 1000} s`)), timeout);
    const stop = () => expire(new Error("the server was stopped"));
    this.stopping?.addEventListener("abort", stop);
    const client = new HttpClient();
    let cancel: ((reason: Error) => void) | undefined;
    try {
      const { origin } = await Promise.race([this.egress.locate(this.url), late]);
      const sent = client.request({
        origin,
        method,
        target: path,
        headers: requestHeaders(headers),
        body: requestData ? Buffer.from(requestData) : undefined,
      });
      sent.response.catch(() => {});
      cancel = (reason) => sent.pending.cancel(reason);
      const response = await Promise.race([sent.response, late]);
      const { body } = response;
      if (body instanceof Body) cancel = () => body.cancel();
      return new Received(response, await Promise.race([textOf(body), late]));
    } catch (error) {
      cancel?.(error as Error);
      // Without a code: the package would repeat a request whose connection was closed.
      throw new Error(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
      this.stopping?.removeEventListener("abort", stop);
      client.close();
    }
  }
}

/** The length is that of the bytes sent, which our client states itself. */
const ownHeaders = new Set(["content-length", "host", "connection", "accept-encoding"]);

function requestHeaders(headers: Record<string, unknown>): HttpHeaders {
  const sent: [name: string, value: string][] = [["accept-encoding", "identity"]];
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && value !== null && !ownHeaders.has(name.toLowerCase()))
      sent.push([name.toLowerCase(), String(value)]);
  return new HttpHeaders(sent);
}

async function textOf(body: HttpResponse["body"]): Promise<string> {
  const bytes = body instanceof Body ? await body.bytes(maxBodyBytes) : (body ?? "");
  if (bytes === undefined) throw new Error(`Stripe responded with more than ${maxBodyBytes} bytes`);
  return typeof bytes === "string" ? bytes : Buffer.from(bytes).toString();
}

class Received implements StripeHttpResponse {
  constructor(
    private readonly response: HttpResponse,
    private readonly text: string,
  ) {}

  getStatusCode(): number {
    return this.response.status;
  }

  getHeaders(): Record<string, string> {
    return Object.fromEntries([...this.response.headers].map(([name, value]) => [name.toLowerCase(), value]));
  }

  getRawResponse(): unknown {
    return { headers: this.getHeaders() };
  }

  toStream(): never {
    throw new Error("Streams are not used");
  }

  async toJSON(): Promise<unknown> {
    return JSON.parse(this.text);
  }
}
