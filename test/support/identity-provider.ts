import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { type ClientAuthMethod, type ClientMetadata, Provider } from "oidc-provider";
import { started, stopped } from "./left-running.ts";

export const audience = "https://api.example";

export interface SigningKey {
  jwk: JWK;
  privateKey: CryptoKey;
}

export async function newSigningKey(kid: string, algorithm = "RS256"): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" };
  return { jwk, privateKey };
}

interface SignInOptions {
  clients: ClientMetadata[];
  /** The claims of the person who signs in next. */
  claims: Record<string, unknown>;
  idTokenSeconds: number;
  /** How clients can send their secret. */
  authMethods?: ClientAuthMethod[];
  /** Replaces the id token, as a forger between the provider and the server would. */
  replaceIdToken?: ((token: string) => string | Promise<string>) | undefined;
}

/** The npm package `oidc-provider` with replaceable keys, which can be made unresponsive. */
export class IdentityProvider {
  /** Who signs in, and the clients that they sign in to. */
  readonly people: SignInOptions = { clients: [], claims: {}, idTokenSeconds: 3600 };
  /** The number of all requests. */
  requests = 0;
  /** The number of requests for the keys. */
  fetches = 0;
  isDown = false;
  #listener: RequestListener | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests += 1;
      if (request.url === "/jwks") this.fetches += 1;
      if (request.url === "/token") this.#replaceIdToken(response);
      if (this.isDown) request.socket.destroy();
      else this.#listener?.(request, response);
    });
  }

  static async start(keys: SigningKey[]): Promise<IdentityProvider> {
    const provider = new IdentityProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve));
    started(provider, "an identity provider");
    await provider.publish(keys);
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** From now on it signs with the first key, and publishes all. */
  async publish(keys: SigningKey[]): Promise<void> {
    const jwks = await Promise.all(
      keys.map(async ({ jwk, privateKey }) => ({
        ...(await exportJWK(privateKey)),
        kid: jwk.kid!,
        alg: jwk.alg!,
        use: "sig",
      })),
    );
    const provider = new Provider(this.issuer, {
      clients: [
        ...this.people.clients,
        {
          client_id: "shop",
          client_secret: "a-secret-of-the-shop",
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
        },
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        // The page of the package loads fonts of another site.
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (context, form) => {
            const button =
              '<button type="submit" form="op.logoutForm" name="logout" value="yes">Yes, sign out</button>';
            context.body = `<!doctype html><title>Sign out</title>${form}${button}`;
          },
        },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: "orders:read orders:write",
            audience,
            accessTokenFormat: "jwt",
            accessTokenTTL: 600,
            jwt: { sign: { alg: "RS256" } },
          }),
        },
      },
      jwks: { keys: jwks },
      ...(this.people.authMethods && { clientAuthMethods: this.people.authMethods }),
      // Everything that a person claims is in the id token and at the userinfo endpoint.
      claims: { openid: ["sub"], groups: ["groups"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: false,
      findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...this.people.claims }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      ttl: { IdToken: () => this.people.idTokenSeconds },
    });
    const signIn = this.#signIn(provider);
    const callback = provider.callback();
    this.#listener = (request, response) =>
      request.url?.startsWith("/interaction/") ? void signIn(request, response) : callback(request, response);
  }

  #replaceIdToken(response: ServerResponse): void {
    const { replaceIdToken } = this.people;
    if (!replaceIdToken) return;
    const end = response.end.bind(response) as (body: string) => ServerResponse;
    response.end = ((body: string) => {
      const tokens = JSON.parse(body) as { id_token?: string };
      if (tokens.id_token === undefined) return end(body);
      void Promise.resolve(replaceIdToken(tokens.id_token)).then((id_token) => {
        const replaced = JSON.stringify({ ...tokens, id_token });
        response.setHeader("content-length", Buffer.byteLength(replaced));
        end(replaced);
      });
      return response;
    }) as ServerResponse["end"];
  }

  /** The person signs in and consents at once. */
  #signIn(provider: Provider): RequestListener {
    return async (request, response) => {
      const { prompt, params, grantId } = await provider.interactionDetails(request, response);
      const accountId = String(this.people.claims.sub);
      if (prompt.name === "login") return provider.interactionFinished(request, response, { login: { accountId } });
      const grant =
        (grantId && (await provider.Grant.find(grantId))) ||
        new provider.Grant({ accountId, clientId: String(params.client_id) });
      grant.addOIDCScope("openid email profile groups");
      return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
    };
  }

  /** An access token for the API, as a client gets one with its own credentials. */
  async token(scope = "orders:read"): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("shop:a-secret-of-the-shop")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource: audience, scope }),
    });
    const body = (await response.json()) as { access_token?: string };
    if (body.access_token === undefined) throw new Error(`No token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  async stop(): Promise<void> {
    stopped(this);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A token as signed by the provider, with changes by a test. */
export function sign(
  key: SigningKey,
  issuer: string,
  now: number,
  { claims = {}, header = {} }: { claims?: Record<string, unknown>; header?: Record<string, unknown> } = {},
): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const payload = { iss: issuer, sub: "shop", aud: audience, exp: seconds + 600, scope: "orders:read", ...claims };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: key.jwk.alg!, kid: key.jwk.kid!, ...header })
    .sign(key.privateKey, { crit: { "urn:test": true } });
}
