import { z } from "zod";
import { resourceMetadataPath } from "../../../core/http/resource-metadata.ts";
import { name, httpUrl as url } from "../../../core/schemas/schemas.ts";
import { asymmetricJwtAlgorithms, symmetricJwtAlgorithms } from "../../../platform/jwt/jwt-algorithms.ts";

const text = z.string().min(1).max(1024, "must have at most 1024 characters");
const scalar = z.union([z.string(), z.number(), z.boolean()], "must be a text, a number, true or false");
const isSymmetric = (algorithm: string) => (symmetricJwtAlgorithms as readonly string[]).includes(algorithm);

export const jwtOptions = z
  .strictObject({
    issuer: url.optional().meta({
      description: "Of the tokens, exactly. Without `jwksUrl` and `keys`, its discovery document names the keys.",
    }),
    jwksUrl: url.optional().meta({ description: "Where the keys are." }),
    keys: z
      .array(z.looseObject({ kty: z.string("must be of type string") }))
      .min(1, "must have at least one key")
      .max(20, "must have at most 20 keys")
      .optional()
      .meta({ description: "The keys themselves: JWKs." }),
    audience: z
      .union([text, z.array(text).min(1, "must name at least one audience").max(20, "must name at most 20 audiences")])
      .meta({ description: "One of them must be in the token's `aud`." }),
    algorithms: z
      .array(z.enum([...asymmetricJwtAlgorithms, ...symmetricJwtAlgorithms]))
      .min(1, "must name at least one algorithm")
      .meta({ description: "The signature algorithms that tokens may have." }),
    requiredClaims: z
      .record(text, z.union([scalar, z.array(scalar).min(1, "must name at least one value")]))
      .default({})
      .meta({ description: "Claims that a token must have, each with its value or one of several values." }),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, "must be a scope"))
      .default([])
      .meta({ description: "All of them must be in the token's `scope` or `scp`." }),
    clockSkewSeconds: z
      .int()
      .min(0)
      .max(300)
      .default(30)
      .meta({ description: "By how much the clocks of the provider and the gateway may differ." }),
    allowNoExpiry: z.boolean().default(false).meta({ description: "Whether a token may lack `exp`." }),
    mapToConsumer: z
      .strictObject({ claim: text, bucket: name })
      .optional()
      .meta({ description: "The claim that names a consumer of a key bucket, which must exist." }),
    resource: url.optional().meta({
      description: "The URL of the API: the gateway serves its metadata (RFC 9728) and refers to them when it rejects.",
    }),
  })
  .superRefine(({ issuer, jwksUrl, keys, algorithms, resource }, context) => {
    const report = (message: string, ...path: PropertyKey[]) => context.addIssue({ code: "custom", message, path });
    if (issuer === undefined && jwksUrl === undefined && keys === undefined)
      report('must have "issuer", "jwksUrl" or "keys"');
    if (jwksUrl !== undefined && keys !== undefined) report("cannot be combined with jwksUrl", "keys");
    if (resource !== undefined && issuer === undefined) report('needs "issuer", which its metadata name', "resource");
    for (const [at, algorithm] of algorithms.entries())
      if (isSymmetric(algorithm) && (keys === undefined || !algorithms.every(isSymmetric)))
        report("is symmetric: it needs keys, and no asymmetric algorithm beside it", "algorithms", at);
  });

export type JwtOptions = z.output<typeof jwtOptions>;

/** The path of the metadata of a resource (RFC 9728, 3.1). */
export function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return `${resourceMetadataPath}${pathname === "/" ? "" : pathname}`;
}
