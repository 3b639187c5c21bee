import { createHash, createPublicKey, sign } from "node:crypto";
import { z } from "zod";
import { AcmeError, type AcmeRequest, type AcmeResponse } from "./acme-request.ts";

/** A problem of the authority (RFC 9457). */
const failure = z.object({ detail: z.string().optional() }).optional();

const directorySchema = z.object({ newNonce: z.url(), newAccount: z.url(), newOrder: z.url() });

const orderSchema = z.object({
  status: z.string(),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: failure,
});
export type AcmeOrder = z.output<typeof orderSchema> & { url: string };

const challengeSchema = z.object({ type: z.string(), url: z.url(), token: z.string(), error: failure });
type AcmeChallenge = z.output<typeof challengeSchema>;

const authorizationSchema = z.object({
  status: z.string(),
  // Other types of challenges may have other members.
  challenges: z.array(z.union([challengeSchema, z.object({ type: z.string(), error: failure })])),
});
export type AcmeAuthorization = z.output<typeof authorizationSchema>;

/** The authority may reject a nonce at any time and sends another one (RFC 8555, 6.5). */
const maxAttempts = 5;

/** The requests of RFC 8555, signed by the key of an account. All methods throw an AcmeError. */
export class AcmeClient {
  readonly #nonces: string[] = [];
  readonly #publicKey: Record<string, string>;
  #account = "";

  private constructor(
    private readonly request: AcmeRequest,
    private readonly directory: z.output<typeof directorySchema>,
    /** PEM, of P-256. */
    private readonly key: string,
  ) {
    const { crv, kty, x, y } = createPublicKey(key).export({ format: "jwk" });
    // In the order of the thumbprint (RFC 7638).
    this.#publicKey = { crv: crv!, kty: kty!, x: x!, y: y! };
  }

  /** Creates the account, or finds it by its key. */
  static async register(
    request: AcmeRequest,
    { directory, key, email }: { directory: string; key: string; email: string | undefined },
  ): Promise<AcmeClient> {
    const client = new AcmeClient(request, contentOf(directorySchema, await request(directory, "GET")), key);
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
    const { status, headers } = await client.#post(client.directory.newAccount, {
      termsOfServiceAgreed: true,
      ...contact,
    });
    client.#account = locationOf(headers);
    // An account that exists keeps its former contact otherwise.
    if (status === 200 && email !== undefined) await client.#post(client.#account, contact);
    return client;
  }

  async createOrder(host: string): Promise<AcmeOrder> {
    const payload = { identifiers: [{ type: "dns", value: host }] };
    const response = await this.#post(this.directory.newOrder, payload);
    return { ...contentOf(orderSchema, response), url: locationOf(response.headers) };
  }

  async order(url: string): Promise<AcmeOrder> {
    return { ...contentOf(orderSchema, await this.#post(url)), url };
  }

  async authorizations(order: AcmeOrder): Promise<AcmeAuthorization[]> {
    return Promise.all(order.authorizations.map(async (url) => contentOf(authorizationSchema, await this.#post(url))));
  }

  /** What the host must respond to the challenge. */
  keyAuthorization({ token }: AcmeChallenge): string {
    const thumbprint = createHash("sha256").update(JSON.stringify(this.#publicKey)).digest("base64url");
    return `${token}.${thumbprint}`;
  }

  /** Tells the authority that the host is ready for the challenge. */
  async completeChallenge({ url }: AcmeChallenge): Promise<void> {
    await this.#post(url, {});
  }

  /** Sends the certificate request, in DER. */
  async finalize({ finalize }: AcmeOrder, certificateRequest: Buffer): Promise<void> {
    await this.#post(finalize, { csr: certificateRequest.toString("base64url") });
  }

  /** The chain of an order that is valid, in PEM. */
  async certificate({ certificate }: AcmeOrder): Promise<string> {
    if (certificate === undefined) throw new AcmeError("The authority returned an order without a certificate");
    return (await this.#post(certificate)).text;
  }

  /** Without a payload: a POST-as-GET (RFC 8555, 6.3). */
  async #post(url: string, payload?: object): Promise<AcmeResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.request(url, "POST", this.#signed(url, await this.#nonce(), payload));
      this.#keepNonce(response);
      if (!response.isBadNonce) return response;
      if (attempt === maxAttempts) throw new AcmeError("The authority rejects its own nonces");
    }
  }

  #signed(url: string, nonce: string, payload: object | undefined): object {
    const identity = this.#account === "" ? { jwk: this.#publicKey } : { kid: this.#account };
    const header = base64url(JSON.stringify({ alg: "ES256", ...identity, nonce, url }));
    const content = payload === undefined ? "" : base64url(JSON.stringify(payload));
    const signature = sign("sha256", Buffer.from(`${header}.${content}`), {
      key: this.key,
      dsaEncoding: "ieee-p1363",
    });
    return { protected: header, payload: content, signature: signature.toString("base64url") };
  }

  async #nonce(): Promise<string> {
    const unused = this.#nonces.pop();
    if (unused !== undefined) return unused;
    const { headers } = await this.request(this.directory.newNonce, "HEAD");
    const nonce = headers.get("replay-nonce");
    if (nonce === null) throw new AcmeError("The authority returned no nonce");
    return nonce;
  }

  #keepNonce({ headers }: AcmeResponse): void {
    const nonce = headers.get("replay-nonce");
    if (nonce !== null) this.#nonces.push(nonce);
  }
}

function contentOf<Content>(schema: z.ZodType<Content>, { body }: AcmeResponse): Content {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw new AcmeError(`The authority's response is not that of ACME: ${[...path, message].join(": ")}`);
}

function locationOf(headers: Headers): string {
  const location = headers.get("location");
  if (location === null) throw new AcmeError("The authority returned no Location header");
  return location;
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
