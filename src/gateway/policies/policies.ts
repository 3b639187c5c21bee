import type { KeyVerifier } from "../../areas/keys/verification/verifier.ts";
import type { QuotaLedger } from "../../areas/metering/quotas/quota-ledger.ts";
import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { Policy, PolicyPlace } from "../policy.ts";
import { ApiKeyPolicy } from "./api-key/api-key.ts";
import { CachePolicy } from "./cache/cache.ts";
import { CachedResponses } from "./cache/cached-responses.ts";
import { CorsPolicy } from "./cors/cors.ts";
import { HeadersPolicy } from "./headers/headers.ts";
import { PermissionPolicy } from "./permission/permission.ts";
import { QuotaPolicy } from "./quota/quota.ts";
import { RateLimitPolicy } from "./rate-limit/rate-limit.ts";
import type { RateLimitWindows } from "./rate-limit/windows.ts";
import { type PolicyTypeName, policySchemas } from "./schemas.ts";
import { ValidatePolicy } from "./validate/validate.ts";

/** What policies of all deployments share. */
export interface PolicyDependencies {
  verifier: KeyVerifier;
  ledger: QuotaLedger;
  windows: RateLimitWindows;
}

const nothingToCheck = { parameters: [] };

/** Makes the built-in policies. */
export class PolicyFactory {
  readonly #responses = new CachedResponses();

  constructor(private readonly dependencies: PolicyDependencies) {}

  /** One policy of one version of a deployment, for one of its routes. An unknown type or option is an error. */
  create(type: string, options: unknown, place: PolicyPlace, route: ArtifactRoute): Policy {
    const { verifier, ledger, windows } = this.dependencies;
    switch (type as PolicyTypeName) {
      case "api-key":
        return new ApiKeyPolicy(verifier, policySchemas["api-key"].parse(options), place);
      case "permission":
        return new PermissionPolicy(policySchemas.permission.parse(options));
      case "quota":
        return new QuotaPolicy(ledger, policySchemas.quota.parse(options), place);
      case "rate-limit":
        return new RateLimitPolicy(windows, policySchemas["rate-limit"].parse(options), place);
      case "validate":
        return new ValidatePolicy(route.validation ?? nothingToCheck);
      case "cors":
        return new CorsPolicy(policySchemas.cors.parse(options));
      case "headers":
        return new HeadersPolicy(policySchemas.headers.parse(options));
      case "cache":
        return new CachePolicy(this.#responses, policySchemas.cache.parse(options));
      default:
        throw new Error(`There is no policy of the type "${type}".`);
    }
  }
}
