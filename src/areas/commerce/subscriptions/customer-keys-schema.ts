import { z } from "zod";

/** The maximum number of customers in one list. */
const maxCustomers = 100;

/** `?customerKeys=acme,globex` of a list of `things`. */
export const customerKeys = (things: string) =>
  z
    .string()
    .transform((keys) => keys.split(","))
    .refine((keys) => keys.length <= maxCustomers, `must name at most ${maxCustomers} customers`)
    .optional()
    .meta({ description: `Only ${things} of these customers: up to ${maxCustomers} keys, separated by commas.` });
