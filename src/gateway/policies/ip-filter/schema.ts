import { z } from "zod";
import { networkText } from "../../../core/schemas/network.ts";

const maxNetworks = 1000;

const networks = z
  .array(networkText)
  .min(1, "must name at least one address or network")
  .max(maxNetworks, `must name at most ${maxNetworks} addresses and networks`);

export const ipFilterOptions = z
  .strictObject({
    allow: networks.optional().meta({ description: "The addresses and networks that may call; without it, all." }),
    deny: networks.optional().meta({ description: "The addresses and networks that may not call, also if allowed." }),
  })
  .refine(({ allow, deny }) => allow !== undefined || deny !== undefined, 'must have "allow" or "deny"');

export type IpFilterOptions = z.output<typeof ipFilterOptions>;
