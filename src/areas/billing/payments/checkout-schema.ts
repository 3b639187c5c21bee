import { z } from "zod";
import { sandboxMethods } from "./sandbox-methods.ts";

export const checkoutForm = z
  .strictObject({ method: z.enum(sandboxMethods).optional(), confirm: z.enum(["yes", "no"]).optional() })
  .meta({ id: "CheckoutForm", examples: [{ method: "succeeds" as const }] });

export const checkout = z
  .object({
    step: z.enum(["method", "confirmation"]).meta({ description: "What the customer has to do." }),
    failure: z.enum(["declined", "not-confirmed"]).optional(),
    due: z.array(z.object({ number: z.string().optional(), currency: z.string(), amountDue: z.string() })),
  })
  .meta({
    id: "Checkout",
    description: "What a customer has to do at the sandbox to pay what is due.",
    examples: [{ step: "method" as const, due: [{ number: "ACME-000001", currency: "EUR", amountDue: "30.00" }] }],
  });
