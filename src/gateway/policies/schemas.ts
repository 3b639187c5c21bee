import type { z } from "zod";
import { apiKeyOptions } from "./api-key/schema.ts";
import { cacheOptions } from "./cache/schema.ts";
import { corsOptions } from "./cors/schema.ts";
import { headersOptions } from "./headers/schema.ts";
import { permissionOptions } from "./permission/schema.ts";
import { quotaOptions } from "./quota/schema.ts";
import { rateLimitOptions } from "./rate-limit/schema.ts";
import { validateOptions } from "./validate/schema.ts";

/** The built-in policies, by type, and what each can be told. */
export const policySchemas = {
  "api-key": apiKeyOptions,
  permission: permissionOptions,
  quota: quotaOptions,
  "rate-limit": rateLimitOptions,
  validate: validateOptions,
  cors: corsOptions,
  headers: headersOptions,
  cache: cacheOptions,
} satisfies Record<string, z.ZodType>;

export type PolicyTypeName = keyof typeof policySchemas;
