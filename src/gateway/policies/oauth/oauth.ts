import type { IssuerDirectory, KnownIssuer } from "../../../areas/customer-portal/oauth/issuer-directory.ts";
import type {
  TokenRejection,
  TokenVerdict,
  TokenVerifier,
} from "../../../areas/customer-portal/oauth/token-verifier.ts";
import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import { bearerToken } from "../../../core/http/bearer-token.ts";
import {
  describedResource,
  metadataResponse,
  type ResourceMetadata,
  resourceMetadataPath,
} from "../../../core/http/resource-metadata.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { NameSet } from "../../../platform/http1/message/name-set.ts";
import type { Policy, PolicyPlace, RequestContext } from "../../exchange/policy.ts";
import { type RejectionOptions, reject, rejectWhileUnavailable } from "../../exchange/rejection.ts";
import { headersOf } from "../subject/identity-headers.ts";
import type { OAuthOptions } from "./schema.ts";

export interface OAuthDependencies {
  tokens: TokenVerifier;
  issuers: IssuerDirectory;
}

type Outcome = HttpResponse | undefined | Promise<HttpResponse | undefined>;

const authorization = new NameSet("authorization");

/** Rejects requests without an access token of the bucket's portal. The target gets the consumer instead of the token. */
export class OAuthPolicy implements Policy {
  readonly #bucket: { accountSeq: number; name: string };
  readonly #realm: string;

  constructor(
    private readonly dependencies: OAuthDependencies,
    { bucket }: OAuthOptions,
    private readonly place: PolicyPlace,
  ) {
    this.#bucket = { accountSeq: place.account.seq, name: bucket };
    this.#realm = `Bearer realm="${place.deployment}"`;
  }

  enter(context: RequestContext): Outcome {
    const metadata = this.metadata(context);
    if (metadata) return metadata;
    const token = bearerToken(context.headers.get("authorization"));
    if (token === undefined)
      return this.#rejectUnauthorized(context, "token_missing", { reason: "missing", header: "authorization" });
    return this.admit(context, token, authorization);
  }

  /** The metadata of the resource, on the routes that the build has added for them. */
  metadata(context: RequestContext): Outcome {
    if (!("policy" in context.route.target)) return undefined;
    const resource = describedResource(context.path);
    if (resource === undefined) return undefined;
    const issuer = this.#issuer(context, ({ url }) => {
      if (url === undefined) return reject(context, "no_such_route");
      const metadata: ResourceMetadata = {
        resource: this.#originOf(context) + (resource === "/" ? "" : resource),
        authorization_servers: [url],
        bearer_methods_supported: ["header"],
      };
      return metadataResponse(JSON.stringify(metadata));
    });
    return issuer;
  }

  /** `headers` are those that may contain the token, which targets do not get. */
  admit(context: RequestContext, token: string, headers: NameSet): Outcome {
    const { now, ip, countedSubject } = context;
    const use = { bucket: this.#bucket, deployment: this.place.deployment, now, ip, countedSubject };
    return this.dependencies.tokens.verify(token, use).then(
      (verdict) => this.#decide(context, verdict, headers),
      (error: unknown) => rejectWhileUnavailable(context, error),
    );
  }

  /** The parameter of a challenge that names the metadata of the resource; nothing while OAuth is off. */
  metadataParameter(context: RequestContext): string | Promise<string> {
    const parameter = ({ url }: KnownIssuer) => {
      if (url === undefined) return "";
      return `, resource_metadata="${this.#originOf(context)}${resourceMetadataPath}${context.mountPath ?? ""}"`;
    };
    const found = this.dependencies.issuers.find(this.#bucket);
    // A challenge without it is still correct while storage is unavailable.
    return found instanceof Promise ? found.then(parameter, () => "") : parameter(found);
  }

  #issuer(
    context: RequestContext,
    respond: (issuer: KnownIssuer) => HttpResponse,
  ): HttpResponse | Promise<HttpResponse> {
    const found = this.dependencies.issuers.find(this.#bucket);
    return found instanceof Promise
      ? found.then(respond, (error: unknown) => rejectWhileUnavailable(context, error))
      : respond(found);
  }

  #originOf({ request, clientHost }: RequestContext): string {
    return `${request.forwarder?.protocol ?? this.place.protocol}://${clientHost ?? ""}`;
  }

  #decide(context: RequestContext, verdict: TokenVerdict, sent: NameSet): Outcome {
    const { identity } = verdict;
    if (!identity) return this.#rejectBad(context, verdict);
    context.user = identity.user;
    context.consumerId = identity.consumerId;
    context.keyBucket = this.#bucket.name;
    context.keyId = identity.keyId;
    context.permissions = identity.permissions;
    context.client = identity.client;
    const { headers } = context;
    headers.deleteAll(sent);
    headers.share(headersOf(identity));
    return undefined;
  }

  #rejectBad(context: RequestContext, { rejection, limit, holder }: TokenVerdict): Outcome {
    context.rejectedHolder = holder;
    const decision: DecisionDetail = { reason: rejection!, bucket: this.#bucket.name };
    if (holder) Object.assign(decision, { keyId: holder.keyId, consumer: holder.user.sub });
    if (rejection === "ip_not_allowed" || rejection === "consumer_suspended")
      return reject(context, rejection, { decision });
    if (rejection === "rate_limited") {
      const { requests, windowSeconds, resetsOn } = limit!;
      const retryAfterSeconds = Math.ceil((resetsOn - context.now) / 1000);
      Object.assign(decision, { used: requests, limit: requests, windowSeconds, resetsOn });
      return reject(context, "rate_limited", { retryAfterSeconds, decision });
    }
    return this.#rejectUnauthorized(context, codeOf(rejection!), decision, ', error="invalid_token"');
  }

  #rejectUnauthorized(context: RequestContext, code: ProblemCode, decision: DecisionDetail, error = ""): Outcome {
    const respond = (parameter: string) => {
      const options: RejectionOptions = { headers: { "www-authenticate": this.#realm + error + parameter }, decision };
      return reject(context, code, options);
    };
    const parameter = this.metadataParameter(context);
    return parameter instanceof Promise ? parameter.then(respond) : respond(parameter);
  }
}

function codeOf(rejection: TokenRejection): ProblemCode {
  return rejection === "token_expired" ? "token_expired" : "token_invalid";
}
