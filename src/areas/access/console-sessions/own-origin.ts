import { Problem } from "../../../core/problems/problem.ts";
import { hostnameOf, isLoopbackHost } from "../../../lib/network/hosts.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";

/** The origin whose pages may use a session. There is one, compared as a whole. */
export class OwnOrigin {
  readonly #public: string | undefined;

  /** Without a public URL it is the request's own host, with TLS or without. */
  constructor(
    publicUrl: string | undefined,
    private readonly hasTls = false,
  ) {
    this.#public = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  }

  /** Whether browsers reach this server over https. */
  get isSecure(): boolean {
    return this.#public?.startsWith("https:") ?? this.hasTls;
  }

  /** Throws unless a page of this server sent the request, with JSON if it has a body. */
  check(request: HttpRequest): void {
    const own = this.#of(request);
    const origin = request.headers.get("origin");
    if (own === undefined || origin !== own)
      throw new Problem("origin_mismatch", {
        detail:
          `The request must come from a page of ${own ?? "this server"}; its Origin is ${origin ?? "missing"}. ${this.#hint(origin, own)}`.trim(),
      });
    // Forms of other sites can send text and form data without a preflight, but not JSON.
    if (hasBody(request) && !/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
      throw new Problem("unsupported_media_type", { detail: "Bodies sent with a session must be application/json." });
  }

  /** Throws if browsers would not store the cookie, or would send it unencrypted. */
  checkSecure(request: HttpRequest): void {
    if (!this.isSecure && !isLoopbackHost(hostnameOf(new URL(this.#of(request)!).host)))
      throw new Problem("insecure_origin");
  }

  #of(request: HttpRequest): string | undefined {
    if (this.#public !== undefined) return this.#public;
    const host = request.headers.get("host");
    return host === null ? undefined : `${this.hasTls ? "https" : "http"}://${host.toLowerCase()}`;
  }

  #hint(origin: string | null, own: string | undefined): string {
    const isBehindProxy = this.#public === undefined && own !== undefined && origin === own.replace("http:", "https:");
    return isBehindProxy ? `Set TOLLGATE_PUBLIC_URL to ${origin}.` : "";
  }
}

function hasBody({ body }: HttpRequest): boolean {
  return body != null && body.length !== 0;
}
