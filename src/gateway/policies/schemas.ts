import type { z } from "zod";
import { apiKeyOptions } from "./api-key/schema.ts";
import { basicAuthOptions } from "./basic-auth/schema.ts";
import { cacheOptions } from "./cache/schema.ts";
import { concurrencyOptions } from "./concurrency/schema.ts";
import { corsOptions } from "./cors/schema.ts";
import { headersOptions } from "./headers/schema.ts";
import { ipFilterOptions } from "./ip-filter/schema.ts";
import { jsonBodyOptions } from "./json-body/schema.ts";
import { jwtOptions } from "./jwt/schema.ts";
import { mockOptions } from "./mock/schema.ts";
import { oauthOptions } from "./oauth/schema.ts";
import { permissionOptions } from "./permission/schema.ts";
import { quotaOptions } from "./quota/schema.ts";
import { rateLimitOptions } from "./rate-limit/schema.ts";
import { redirectOptions } from "./redirect/schema.ts";
import { rewriteOptions } from "./rewrite/schema.ts";
import { sizeLimitOptions } from "./size-limit/schema.ts";
import { usageOptions } from "./usage/schema.ts";
import { validateOptions } from "./validate/schema.ts";

/** The built-in policies, by type, with their options. */
export const policySchemas = {
  "api-key": apiKeyOptions,
  permission: permissionOptions,
  quota: quotaOptions,
  "rate-limit": rateLimitOptions,
  validate: validateOptions,
  cors: corsOptions,
  headers: headersOptions,
  cache: cacheOptions,
  "basic-auth": basicAuthOptions,
  jwt: jwtOptions,
  oauth: oauthOptions,
  usage: usageOptions,
  "ip-filter": ipFilterOptions,
  "size-limit": sizeLimitOptions,
  concurrency: concurrencyOptions,
  rewrite: rewriteOptions,
  redirect: redirectOptions,
  mock: mockOptions,
  "json-body": jsonBodyOptions,
} satisfies Record<string, z.ZodType>;

export type PolicyTypeName = keyof typeof policySchemas;

const identifies = "it establishes who calls, which the target and later policies rely on";
const rejectsNothing = "it rejects nothing";

/** Why a policy cannot be in `observe`. Undefined if it can. */
export const notObservable: Record<PolicyTypeName, string | undefined> = {
  "api-key": identifies,
  "basic-auth": identifies,
  jwt: identifies,
  oauth: identifies,
  "json-body":
    "it changes what passes, and rejects what it cannot change, which may have data that clients must not see",
  cache: rejectsNothing,
  cors: rejectsNothing,
  headers: rejectsNothing,
  mock: rejectsNothing,
  redirect: rejectsNothing,
  rewrite: rejectsNothing,
  concurrency: undefined,
  "ip-filter": undefined,
  permission: undefined,
  quota: undefined,
  "rate-limit": undefined,
  "size-limit": undefined,
  usage: undefined,
  validate: undefined,
};
