import type { z } from "zod";
import {
  localProvider,
  type PaymentOutcome,
  type PaymentProvider,
  type StoredMethod,
} from "../../payments/interface/provider.ts";
import type { SandboxBehavior, sandboxMethod } from "../../payments/provider-schema.ts";

const outcomes: Record<SandboxBehavior, PaymentOutcome> = {
  succeeds: "paid",
  fails: "failed",
  "needs-action": "waiting",
};

/** Pays without money, at once and as the payment method says. For tests. */
export const sandbox: PaymentProvider = {
  ...localProvider,
  type: "sandbox",
  paysOnline: true,
  movesMoney: false,
  requestPayment: async (_transaction, { method }) => {
    const behavior = behaviorOf(await method());
    return behavior ? outcomes[behavior] : "waiting";
  },
  needsConfirmation: (method) => behaviorOf(method) === "needs-action",
  refund: async (_transaction, { amount, method }) => (behaviorOf(await method()) === "fails" ? 0n : amount),
  stopPayments: async () => "stopped",
  labelOf: (method) => `Test card (${behaviorOf(method)!.replace("-", " ")})`,
};

/** Undefined if there is no method of the sandbox. */
export function behaviorOf(method: StoredMethod | undefined): SandboxBehavior | undefined {
  return method?.type === "sandbox" ? (method as z.output<typeof sandboxMethod>).behavior : undefined;
}
