import { z } from "zod";
import { networkText } from "../../../core/schemas/network.ts";
import { rateLimitFields } from "../../../core/schemas/rate-limit.ts";
import { metadata } from "../../../core/schemas/schemas.ts";
import { isAddress, parseNetwork } from "../../../lib/network/ip-address.ts";
import { permissionPattern, permissionPatternText } from "./permissions.ts";

const maxEntries = 50;

export const permission = z.string().regex(permissionPattern, `must be ${permissionPatternText}`);

const permissions = z
  .array(permission)
  .max(maxEntries, `must have at most ${maxEntries} permissions`)
  .superRefine(rejectRepeated)
  .meta({
    description:
      "At most 50. `orders:*` grants everything that begins with `orders:`. A key without permissions has none.",
  });

const allowedIps = z
  .array(networkText)
  .min(1, "must have at least one address; without the field every address is allowed")
  .max(maxEntries, `must have at most ${maxEntries} addresses`)
  .superRefine((values, context) => rejectRepeated(values.map(canonicalAddress), context))
  .meta({
    description:
      "1 to 50 addresses or CIDRs, IPv4 or IPv6, from which the key can be used. By default every address is allowed.",
  });

export const rateLimit = z.strictObject(rateLimitFields).meta({
  id: "KeyRateLimit",
  description:
    "The rate limit of the key, counted for the gateway and verify-key together, in addition to the limits of routes.",
});

export const ipAddress = z.string().refine(isAddress, "must be an IPv4 or IPv6 address");

/** The fields of a key, except its value, that a request may set. */
export const keyRuleFields = {
  isEnabled: z.boolean().optional().meta({ description: "Whether the key is enabled; true by default." }),
  permissions: permissions.optional(),
  allowedIps: allowedIps.optional(),
  rateLimit: rateLimit.optional(),
  metadata: metadata.optional(),
};

/** The same fields in an update: `null` clears. */
export const keyRuleChanges = {
  isEnabled: z.boolean().optional().meta({ description: "Whether the key is enabled." }),
  permissions: permissions.nullable().optional(),
  allowedIps: allowedIps.nullable().optional(),
  rateLimit: rateLimit.nullable().optional(),
  metadata: metadata.nullable().optional(),
};

/** Normalizes an address or network: `10.0.0.1` becomes `10.0.0.1/32`. */
function canonicalAddress(text: string): string {
  const network = parseNetwork(text);
  return typeof network === "string" ? text : `${network.bytes.join(".")}/${network.prefixLength}`;
}

function rejectRepeated(values: string[], context: z.RefinementCtx): void {
  for (const [index, value] of values.entries()) {
    const first = values.indexOf(value);
    if (first < index)
      context.addIssue({ code: "custom", message: `repeats the entry at index ${first}`, path: [index] });
  }
}
