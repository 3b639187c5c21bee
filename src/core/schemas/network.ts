import { z } from "zod";
import { parseNetwork } from "../../lib/network/ip-address.ts";

/** An address or a network in CIDR notation, IPv4 or IPv6. */
export const networkText = z.string().superRefine((value, context) => {
  const network = parseNetwork(value);
  if (typeof network === "string") context.addIssue({ code: "custom", message: network });
});
