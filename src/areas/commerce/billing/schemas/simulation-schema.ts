import { z } from "zod";
import { dateTime, dateTimeInput, fewMembers, text } from "../../../../core/schemas/schemas.ts";
import { jobStates } from "../../../common/background-jobs/schema.ts";
import { pricedOutput } from "../../plans/price-schema.ts";
import { externalId, plan, planInput, planPatch } from "../../plans/schema.ts";

const maxPlans = 20;
const maxCustomers = 1000;
const name = externalId;

const move = z.strictObject({ from: name, to: name });

const simulatedPlan = z
  .strictObject({
    price: planInput.shape.price,
    rates: planPatch.shape.rates,
    meters: planPatch.shape.meters,
    rollover: planPatch.shape.rollover,
    features: planPatch.shape.features,
  })
  .meta({
    description:
      "Each field replaces that of the plan, for all of the time. Without a field, customers keep the terms that they had.",
  });

export const simulationInput = z
  .strictObject({
    from: dateTimeInput.meta({ format: "date-time", description: "The periods that began then or later." }),
    to: dateTimeInput.meta({
      format: "date-time",
      description: "The periods that ended by then; at most 400 days after `from`.",
    }),
    plans: fewMembers(maxPlans, z.record(name, simulatedPlan), "plans").meta({
      description: "By their `planExternalId`.",
    }),
    moves: z
      .array(move)
      .max(maxPlans, `must have at most ${maxPlans} moves`)
      .optional()
      .meta({ description: "Puts the subscribers of a plan onto another, which may exist in `plans` alone." }),
    customers: z
      .array(text(256))
      .max(maxCustomers, `must have at most ${maxCustomers} customers`)
      .optional()
      .meta({ description: "Their keys; all customers of these plans if it is left out." }),
  })
  .meta({
    id: "SimulationInput",
    examples: [
      {
        from: "2025-10-01T00:00:00.000Z",
        to: "2026-01-01T00:00:00.000Z",
        plans: {},
      },
    ],
  });

/** With times in milliseconds. */
export type SimulationInput = z.output<typeof simulationInput>;

const sums = z.array(
  z.object({
    currency: z.string(),
    fees: z.string(),
    usage: z.string().meta({ description: "Without what caps and prepaid rates write off." }),
    credits: z.string().meta({ description: "What grants paid before tax, and what was returned of fees; negative." }),
    tax: z.string(),
    total: z.string(),
  }),
);
const count = z.int();

const result = {
  before: sums.meta({ description: "What the customers were billed for these periods, whenever they were billed." }),
  after: sums.meta({ description: "What they would have been billed." }),
  customers: z
    .object({ more: count, less: count, same: count })
    .meta({ description: "How many would have paid more, less and the same." }),
  distribution: z
    .array(z.object({ currency: z.string(), from: z.string(), to: z.string(), customers: count }))
    .meta({ description: "Ten ranges of the difference for each currency, with the number of customers in each." }),
  meters: z.record(z.string(), z.object({ reached: count, capped: count, firstOn: dateTime })).meta({
    description:
      "How many customers would have reached a maximum that blocks, how many a cap, and when the first of them.",
  }),
  missing: z
    .object({
      subscriptions: count,
      invoiced: z.array(z.object({ currency: z.string(), amount: z.string() })),
    })
    .meta({ description: "Deleted subscriptions, whose usage is deleted with them." }),
};

export const simulation = z
  .object({
    id: z.string(),
    jobId: z.string(),
    state: z.enum(jobStates),
    done: count.meta({ description: "The number of customers that are computed." }),
    total: count,
    from: dateTime,
    to: dateTime,
    plans: z
      .record(
        z.string(),
        z.object({
          price: pricedOutput.price,
          rates: pricedOutput.rates.nullable(),
          meters: plan.shape.meters.optional(),
          rollover: pricedOutput.rollover.nullable(),
          features: pricedOutput.features.nullable(),
        }),
      )
      .meta({ description: "The plans of the request." }),
    moves: z.array(move).optional(),
    customers: z.array(z.string()).optional(),
    createdOn: dateTime,
    result: z.object(result).optional().meta({ description: "Present when it has succeeded." }),
  })
  .meta({
    id: "Simulation",
    description: "What customers would have been billed with other plans.",
    examples: [
      {
        id: "sim_0QGzNqW81Kx8VhTb3mPcRdZu",
        jobId: "job_0QGzNqW81Kx8VhTb3mPcRdZu",
        state: "running",
        done: 4500,
        total: 10000,
        from: "2025-10-01T00:00:00.000Z",
        to: "2026-01-01T00:00:00.000Z",
        plans: { price_gold: { price: { currency: "EUR", amount: "12.00", interval: "month" } } },
        createdOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const simulationStarted = z.object({ id: z.string(), jobId: z.string() }).meta({ id: "SimulationStarted" });

export const precisions = ["exact", "hour", "day"] as const;

export const simulatedCustomer = z
  .object({
    customerKey: z.string(),
    currency: z.string(),
    before: z.string(),
    after: z.string(),
    difference: z.string(),
    precision: z.enum(precisions).meta({
      description:
        "How precisely the time of usage is known, where amounts depend on it: `hour` or `day` without stored events. " +
        "`day` also where money was returned to grants, which cannot be computed exactly with other plans.",
    }),
    limitedOn: dateTime.optional().meta({ description: "When a maximum or a cap would have been reached first." }),
    differs: z
      .object({ invoiced: z.string(), computed: z.string() })
      .optional()
      .meta({ description: "Present if what was invoiced differs, such as by a credit note. `before` is the latter." }),
  })
  .meta({
    id: "SimulatedCustomer",
    examples: [
      {
        customerKey: "acme",
        currency: "EUR",
        before: "33.00",
        after: "38.00",
        difference: "5.00",
        precision: "exact",
      },
    ],
  });
