import type { ConsumerDirectory } from "../../areas/api-keys/consumers/directory.ts";
import type { KeyVerifier } from "../../areas/api-keys/keys/verification/verifier.ts";
import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { Limits } from "../../counting/limits/limits.ts";
import type { InProgress } from "../../counting/limits/requests-in-progress.ts";
import type { QuotaHolds } from "../../counting/quotas/hold-quota.ts";
import type { JwksSources } from "../../platform/jwt/jwks-source.ts";
import type { Policy, PolicyPlace } from "../exchange/policy.ts";
import { ApiKeyPolicy } from "./api-key/api-key.ts";
import type { ApiKeyOptions } from "./api-key/schema.ts";
import { basicAuthPolicy } from "./basic-auth/basic-auth.ts";
import { CachePolicy } from "./cache/cache.ts";
import { CachedResponses } from "./cache/cached-responses.ts";
import { ConcurrencyPolicy } from "./concurrency/concurrency.ts";
import { CorsPolicy } from "./cors/cors.ts";
import { HeadersPolicy } from "./headers/headers.ts";
import { IpFilterPolicy } from "./ip-filter/ip-filter.ts";
import { JsonBodyPolicy } from "./json-body/json-body.ts";
import { JwtPolicy } from "./jwt/jwt.ts";
import { MockPolicy } from "./mock/mock.ts";
import { type OAuthDependencies, OAuthPolicy } from "./oauth/oauth.ts";
import { PermissionPolicy } from "./permission/permission.ts";
import { QuotaPolicy } from "./quota/quota.ts";
import { RateLimitPolicy } from "./rate-limit/rate-limit.ts";
import { RedirectPolicy } from "./redirect/redirect.ts";
import { RewritePolicy } from "./rewrite/rewrite.ts";
import { type PolicyTypeName, policySchemas } from "./schemas.ts";
import { SizeLimitPolicy } from "./size-limit/size-limit.ts";
import { ModelUsagePolicy } from "./usage/model-usage.ts";
import { countsModels } from "./usage/schema.ts";
import { UsagePolicy } from "./usage/usage.ts";
import { ResponseValidatePolicy } from "./validate/response-validate.ts";
import { ValidatePolicy } from "./validate/validate.ts";

/** Shared by the policies of all deployments. */
interface PolicyDependencies {
  verifier: KeyVerifier;
  quotas: QuotaHolds;
  windows: Limits;
  inProgress: InProgress;
  consumers: ConsumerDirectory;
  /** The keys that verify tokens. */
  sources: JwksSources;
  oauth: OAuthDependencies;
}

const nothingToCheck = { parameters: [] };

/** Creates the built-in policies. */
export class PolicyFactory {
  readonly #responses = new CachedResponses();

  constructor(private readonly dependencies: PolicyDependencies) {}

  /** Creates a policy of a version for one of its routes. Throws for an unknown type or option. */
  create(type: string, options: unknown, place: PolicyPlace, route: ArtifactRoute): Policy {
    const { verifier, quotas, windows, inProgress } = this.dependencies;
    switch (type as PolicyTypeName) {
      case "api-key":
        return this.#apiKey(policySchemas["api-key"].parse(options), place);
      case "oauth":
        return new OAuthPolicy(this.dependencies.oauth, policySchemas.oauth.parse(options), place);
      case "permission":
        return new PermissionPolicy(policySchemas.permission.parse(options));
      case "quota":
        return new QuotaPolicy(quotas, policySchemas.quota.parse(options), place);
      case "rate-limit":
        return new RateLimitPolicy(windows, policySchemas["rate-limit"].parse(options), place);
      case "validate": {
        const { response } = policySchemas.validate.parse(options);
        const validation = route.validation ?? nothingToCheck;
        return response === undefined
          ? new ValidatePolicy(validation, place.observes)
          : new ResponseValidatePolicy(validation, response, place);
      }
      case "cors":
        return new CorsPolicy(policySchemas.cors.parse(options));
      case "headers":
        return new HeadersPolicy(policySchemas.headers.parse(options));
      case "cache":
        return new CachePolicy(this.#responses, policySchemas.cache.parse(options));
      case "basic-auth":
        return basicAuthPolicy(verifier, policySchemas["basic-auth"].parse(options), place);
      case "jwt": {
        const { consumers, sources } = this.dependencies;
        return new JwtPolicy(
          { consumers, sources, buckets: verifier.buckets },
          policySchemas.jwt.parse(options),
          place,
        );
      }
      case "usage": {
        const usage = policySchemas.usage.parse(options);
        return countsModels(usage) ? new ModelUsagePolicy(quotas, usage, place) : new UsagePolicy(quotas, usage, place);
      }
      case "ip-filter":
        return new IpFilterPolicy(policySchemas["ip-filter"].parse(options));
      case "size-limit":
        return new SizeLimitPolicy(policySchemas["size-limit"].parse(options), place.observes);
      case "concurrency":
        return new ConcurrencyPolicy(inProgress, policySchemas.concurrency.parse(options), place);
      case "rewrite":
        return new RewritePolicy(policySchemas.rewrite.parse(options));
      case "redirect":
        return new RedirectPolicy(policySchemas.redirect.parse(options));
      case "mock":
        return new MockPolicy(policySchemas.mock.parse(options));
      case "json-body":
        return new JsonBodyPolicy(policySchemas["json-body"].parse(options));
      default:
        throw new Error(`There is no policy of the type "${type}".`);
    }
  }

  #apiKey(options: ApiKeyOptions, place: PolicyPlace): ApiKeyPolicy {
    const { verifier, oauth } = this.dependencies;
    const tokens = options.oauth ? new OAuthPolicy(oauth, { bucket: options.bucket }, place) : undefined;
    return new ApiKeyPolicy(verifier, options, place, undefined, tokens);
  }
}
