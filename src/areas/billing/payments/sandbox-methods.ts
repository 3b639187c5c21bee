import { z } from "zod";

export const sandboxMethods = ["succeeds", "fails", "needs-action"] as const;

/** How a payment method of the sandbox behaves: its payments succeed, fail, or need a second step. */
export type SandboxBehavior = (typeof sandboxMethods)[number];

const shape = { type: z.literal("sandbox"), behavior: z.enum(sandboxMethods) };

export const sandboxMethod = z.object(shape);

export const sandboxMethodInput = z.strictObject(shape);
