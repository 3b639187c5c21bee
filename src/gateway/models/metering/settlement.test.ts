import { expect, test } from "bun:test";
import fc from "fast-check";
import { modelsSchema } from "../../../core/artifact/models-schema.ts";
import { KnownPrices } from "../../../core/model-prices/known-prices.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import { amountOf } from "../../../lib/amount.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { CustomerQuotas } from "../../policies/quota/customer-quotas.ts";
import { ModelMeters } from "../../policies/usage/model-meters.ts";
import { ModelUsagePolicy } from "../../policies/usage/model-usage.ts";
import { usageOptions } from "../../policies/usage/schema.ts";
import type { ModelCall } from "./call-types.ts";
import { beginModelCall } from "./model-call.ts";

const price = { currency: "USD", input: "1", output: "10" };
const { aliases } = modelsSchema.parse({
  providers: { own: { api: "openai", url: "http://127.0.0.1:1/v1" } },
  aliases: { small: { targets: [{ provider: "own", model: "m", price }], maxOutputTokens: 2000 } },
});
const target = { provider: "own", api: "openai" as const, url: "http://127.0.0.1:1/v1", model: "m", price };

/** Quotas that count how often each hold ends, in this process or in another one. */
class Quotas {
  readonly holds: { amounts: MeterAmounts; settled: MeterAmounts[]; released: number }[] = [];
  readonly #pending: (() => void)[] = [];
  isRemote = false;
  left = Number.POSITIVE_INFINITY;

  tryHold(_: unknown, amounts: MeterAmounts) {
    if (!this.isRemote) return this.#decide(amounts);
    return new Promise((resolve) => this.#pending.push(() => resolve(this.#decide(amounts))));
  }

  async respond(): Promise<void> {
    for (const respond of this.#pending.splice(0)) respond();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  reject = () => new HttpResponse(429);

  #decide(amounts: MeterAmounts) {
    this.left -= 1;
    if (this.left < 0) {
      const shortage = { meter: "output", used: 0n, max: 0n, amount: 0n, code: "quota_exceeded" as const };
      return { reason: "exceeded" as const, shortage, periodEnd: 0, testTime: undefined, subscriber: {} };
    }
    const hold = { amounts, settled: [] as MeterAmounts[], released: 0 };
    this.holds.push(hold);
    return {
      estimate: () => {},
      settle: (actual: MeterAmounts) => hold.settled.push(actual),
      release: () => {
        hold.released += 1;
      },
    };
  }
}

function exchangeWith(quotas: Quotas): Exchange {
  const options = usageOptions.parse({
    bucketId: "main",
    onDisconnect: "estimate",
    meters: { output: { count: "output" }, usd: { count: "cost", factor: 1.5 } },
  });
  const policy = new ModelUsagePolicy({ hold: () => {} } as never, options, { account: { seq: 1 } } as never);
  Object.assign(policy, {
    meters: new ModelMeters(options, quotas as unknown as CustomerQuotas, Array(600).fill(true), { name: "usage" }),
  });
  return {
    state: { policy, previous: undefined },
    user: { sub: "acme", data: {} },
    incoming: { now: 0, started: performance.now() },
    now: 0,
    running: {},
    request: { target: "/", isAborted: false },
  } as unknown as Exchange;
}

const request = {
  operation: "chat/completions" as const,
  alias: "small",
  definition: aliases.small!,
  isStream: true,
  outputLimit: 2000,
  choices: 1,
  thinkingBudget: undefined,
  asksAudio: false,
  hidesOutput: false,
  inputBytes: 30,
  images: 0,
  textBytes: 30,
  clampOutput: false,
};

const piece = (tokens: number) =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: "x".repeat(tokens * 3) } }] })}\n\n`);

type Step =
  | { type: "text"; tokens: number; cut: number }
  | { type: "respond" | "end" | "fail" | "cancel" | "finish" | "retarget" | "responded" }
  | { type: "failed"; how: "not-sent" | "broken" | "cancelled" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), tokens: fc.nat(700), cut: fc.nat(50) }),
  fc.record({
    type: fc.constantFrom("respond", "end", "fail", "cancel", "finish", "retarget", "responded" as const),
  }) as fc.Arbitrary<Step>,
  fc.record({ type: fc.constant("failed" as const), how: fc.constantFrom("not-sent", "broken", "cancelled" as const) }),
);

test("no sequence of pieces, ends and cancellations settles a call twice or not at all", async () => {
  await KnownPrices.load();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.boolean(),
      fc.nat(8),
      fc.nat(400),
      async (steps, isRemote, left, status) => {
        const quotas = new Quotas();
        quotas.isRemote = isRemote;
        quotas.left = left === 0 ? Number.POSITIVE_INFINITY : left;
        const exchange = exchangeWith(quotas);
        const beginning = beginModelCall(exchange, request, target);
        await quotas.respond();
        const call = (await beginning) as ModelCall;
        const body = new Body(undefined);
        let passed = 0;
        let isOpen = true;
        let wasResponded = false;
        let isRejected = false;
        let refusals = 0;
        call.onHoldFailed = () => {
          refusals += 1;
          body.cancel();
          isOpen = false;
        };
        for (const each of steps) {
          switch (each.type) {
            case "text": {
              const bytes = piece(each.tokens);
              if (!wasResponded || !isOpen) break;
              passed += each.tokens;
              body.push(bytes.subarray(0, each.cut));
              if (isOpen) body.push(bytes.subarray(each.cut));
              break;
            }
            case "respond":
              await quotas.respond();
              break;
            case "responded":
              if (isRejected) break;
              wasResponded ||= isOpen;
              call.responded(
                new HttpResponse(200 + (status % 2), new HttpHeaders({ "content-type": "text/event-stream" }), body),
              );
              break;
            case "retarget":
              if (!wasResponded && isOpen && !isRejected) {
                const retargeted = call.retarget({ ...target, price: { ...price, output: "20" } }, true);
                await quotas.respond();
                // The request ends with the rejection.
                isRejected = (await retargeted) !== undefined;
                if (isRejected) isOpen = false;
              }
              break;
            case "failed":
              if (!wasResponded) isOpen = false;
              call.failed(each.how);
              break;
            case "finish":
              if (!wasResponded) isOpen = false;
              exchange.modelCall!.finish(200);
              break;
            default:
              isOpen = false;
              if (each.type === "end") body.end();
              else if (each.type === "fail") body.fail(new Error("broken"));
              else body.cancel();
          }
        }
        body.cancel();
        let isSettled = false;
        void Promise.resolve(exchange.modelCall!.finish(200)).then(() => {
          isSettled = true;
        });
        // A search for what is left takes several holds.
        for (let turn = 0; turn < 200 && !isSettled; turn++) await quotas.respond();
        expect(isSettled).toBe(true);
        await quotas.respond();
        // Each hold has ended once; the first one is settled unless the request is rejected, the others are released.
        expect(quotas.holds.map(({ settled, released }) => settled.length + released)).toEqual(
          quotas.holds.map(() => 1),
        );
        expect(quotas.holds.map(({ settled }) => settled.length)).toEqual(
          quotas.holds.map((_, index) => Number(index === 0 && !isRejected)),
        );
        expect(refusals).toBeLessThanOrEqual(1);
        if (isRejected) return;
        const output = Number(quotas.holds[0]!.settled[0]!.get("output")! / amountOf(1)!);
        expect(output).toBeLessThanOrEqual(passed);
        if (refusals === 0 && wasResponded) expect(output).toBe(passed);
      },
    ),
    { numRuns: 500 },
  );
});
