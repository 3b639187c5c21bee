import type { ClientAuth, Configuration, CustomFetchOptions } from "openid-client";
import { isLoopbackHost } from "../../../lib/network/hosts.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { fetchBytes } from "../../../platform/egress/fetch-bytes.ts";
import { fetchJson } from "../../../platform/egress/fetch-json.ts";
import { JwksSource } from "../../../platform/jwt/jwks-source.ts";
import { asymmetricJwtAlgorithms } from "../../../platform/jwt/jwt-algorithms.ts";
import { JwtVerifier } from "../../../platform/jwt/jwt-verifier.ts";
import type { Claims } from "./identity.ts";

const clockSkewSeconds = 60;
/** The expiry is checked by our own verifier, with the server's clock. */
const anyAgeSeconds = 1_000_000_000;
const timeoutSeconds = 10;

interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** The name of a claim. Some providers have a scope of this name, and send the claim only for it. */
  claim?: string | undefined;
}

/** The part of a sign-in that the browser keeps, encrypted. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** The provider does not respond, or not as OpenID Connect requires. */
export class ProviderUnavailable extends Error {}

/** An OpenID Connect provider: code flow with PKCE, state and nonce. */
export class IdentityProvider {
  #configuration: Promise<Configuration> | undefined;
  readonly #tokens: JwtVerifier;

  constructor(
    private readonly settings: ProviderSettings,
    private readonly egress: Egress,
  ) {
    const { issuer, clientId } = settings;
    this.#tokens = new JwtVerifier(new JwksSource({ issuer }, (url) => fetchJson(egress, url)), {
      issuer,
      audience: [clientId],
      algorithms: asymmetricJwtAlgorithms,
      clockSkewSeconds,
      allowNoExpiry: false,
      rejectsFutureIssue: true,
    });
  }

  /** The address to send the browser to. Throws `ProviderUnavailable`. */
  async begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn }> {
    const client = await openidClient();
    const configuration = await this.#discovered();
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const { scopes_supported: supported = [] } = configuration.serverMetadata();
    const { claim } = this.settings;
    const scopes = ["openid", "email", "profile", ...(claim !== undefined && supported.includes(claim) ? [claim] : [])];
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scopes.join(" "),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return { url: url.href, pending: { state, nonce, verifier } };
  }

  /**
   * The claims of the person, from the address that the provider sent the browser to. Throws if anything does not match
   * what was begun, or the token is not valid, and `ProviderUnavailable` if the provider does not respond.
   */
  async finish(callback: URL, { state, nonce, verifier }: PendingSignIn, now: number): Promise<Claims> {
    const client = await openidClient();
    const configuration = await this.#discovered();
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    // openid-client trusts the connection for the signature; ours is the verifier of all tokens.
    const { claims } = await this.#tokens.verify(tokens.id_token!, now);
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const info = hasUserInfo ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub!) : {};
    return mergedClaims(info, claims);
  }

  /** Where to end the session at the provider. Undefined if it has no such address. */
  async signOutUrl(returnUrl: string): Promise<string | undefined> {
    const client = await openidClient();
    const configuration = await this.#discovered();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl }).href;
  }

  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((error) => {
      this.#configuration = undefined;
      throw new ProviderUnavailable("The identity provider cannot be reached.", { cause: error });
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await openidClient();
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    const authentication = clientSecret === undefined ? client.None() : secretAuthentication(client, clientSecret);
    const configuration = await client.discovery(
      url,
      clientId,
      { [client.clockTolerance]: anyAgeSeconds },
      authentication,
      {
        // Plain HTTP is configured for loopback only.
        execute: isLoopbackHost(url.hostname) ? [client.allowInsecureRequests] : [],
        // Ours has a timeout of its own.
        timeout: 2 * timeoutSeconds,
        [client.customFetch]: (address, init) => this.#fetch(address, init),
      },
    );
    if (configuration.serverMetadata().issuer !== issuer) throw new Error("the provider names another issuer");
    return configuration;
  }

  /** Also the endpoints that the provider names pass the egress rules. */
  async #fetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    try {
      const text = body == null ? undefined : await new Response(body).text();
      const options = { method, headers: Object.entries(headers), body: text, timeoutSeconds };
      const { status, headers: received, bytes } = await fetchBytes(this.egress, url, options);
      return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), { status, headers: [...received] });
    } catch (error) {
      throw new ProviderUnavailable("The identity provider cannot be reached.", { cause: error });
    }
  }
}

/** Whether an address is verified is said about the address of the same document. */
const addressClaims = ["email", "email_verified", "xms_edov"];

/** The claims of the ID token, and those that only the userinfo endpoint has. */
function mergedClaims(info: Claims, token: Claims): Claims {
  const isSameAddress = token.email === info.email && token.email_verified === undefined;
  const address = token.email === undefined || isSameAddress ? info : token;
  const others = (claims: Claims) => pick(claims, (name) => !isAddress(name));
  return { ...others(info), ...others(token), ...pick(address, isAddress) };
}

const isAddress = (name: string) => addressClaims.includes(name);

function pick(claims: Claims, isWanted: (name: string) => boolean): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => isWanted(name)));
}

/** Sends the secret in the body, or in the header if the provider accepts no other way, which is the default of the standard. */
function secretAuthentication(client: OpenidClient, secret: string): ClientAuth {
  const [inBody, inHeader] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, metadata, body, headers) => {
    const accepted = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authenticate = accepted.includes("client_secret_post") ? inBody : inHeader;
    return authenticate(server, metadata, body, headers);
  };
}

type OpenidClient = Awaited<ReturnType<typeof openidClient>>;

/** Imported on first use: it would slow down every start. */
const openidClient = () => import("openid-client");
