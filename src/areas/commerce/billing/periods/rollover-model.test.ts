import { expect, test } from "bun:test";
import fc from "fast-check";
import { billed, monthly, moveTo, ok } from "../../../../../test/support/billing.ts";
import { eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { record, unique, usageEvent } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";
const granted = Date.parse("2031-02-01T01:00:00.000Z");
const hour = 60 * 60 * 1000;
const source = "model";
const [max, maximum] = [100, 60];

type Month = "january" | "february";
type Step = { kind: "use"; month: Month; units: number } | { kind: "take back"; month: Month; index: number };

const month = fc.constantFrom<Month[]>("january", "february");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("use" as const), month, units: fc.integer({ min: 1, max: 80 }) }),
  fc.record({ kind: fc.constant("take back" as const), month, index: fc.nat(10) }),
);

/** What January carries over to February, by the rule alone. Usage is compared with credits after each step. */
class Model {
  readonly used = { january: 0, february: 0 };
  /** Of the grant, if there is one: what it became, and what of it covers usage of February. */
  granted: number | undefined;
  covered = 0;
  #seen = 0;

  /** The hour after the renewal is over, or an event was taken back. */
  grant(): void {
    if (this.granted !== undefined || this.#unused === 0) return;
    this.granted = this.#unused;
    // It does not cover usage before it.
    this.#seen = this.used.february;
  }

  use(month: Month, units: number): void {
    this.used[month] += units;
    this.#settle();
  }

  takeBack(month: Month, units: number): void {
    this.used[month] -= units;
    const total = this.used.february;
    if (this.#seen > total) {
      this.covered = Math.min(this.covered, Math.max(total - max, 0));
      this.#seen = total;
    }
    this.#settle();
    this.grant();
  }

  get #unused(): number {
    return Math.min(maximum, Math.max(max - this.used.january, 0));
  }

  #settle(): void {
    if (this.granted === undefined) return;
    const total = this.used.february;
    if (total > this.#seen) {
      const beyond = Math.max(total - Math.max(this.#seen, max), 0);
      this.covered += Math.min(beyond, this.granted - this.covered);
      this.#seen = total;
    }
    this.granted = Math.max(this.#unused, this.covered);
  }
}

eachEngine((engine) => {
  const { client } = useServer(engine);

  test("whatever arrives late or is taken back, a grant has what is unused, but not less than what was used of it", async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: 120 }),
      fc.array(step, { minLength: 2, maxLength: 10 }),
      async (first, steps) => {
        const rollover = { requests: { maximum } };
        const { bucket } = await billed(client, start, { ...monthly("0.00"), rollover });
        const model = new Model();
        const events: Record<Month, { id: string; requests: number }[]> = { january: [], february: [] };
        let now = granted;
        const use = async (month: Month, requests: number) => {
          if (requests === 0) return;
          const id = unique("model");
          const time = month === "january" ? "2031-01-20T00:00:00.000Z" : new Date(now).toISOString();
          await record(client, bucket, usageEvent({ requests }, { id, source, time }));
          events[month].push({ id, requests });
          model.use(month, requests);
        };
        await moveTo(client, bucket, "2031-01-21T00:00:00.000Z");
        await use("january", first);
        await moveTo(client, bucket, new Date(now).toISOString());
        model.grant();
        for (const each of steps) {
          if (each.kind === "use") await use(each.month, each.units);
          else {
            const [event] = events[each.month].splice(each.index % Math.max(events[each.month].length, 1), 1);
            if (!event) continue;
            await ok(client.post(`${bucket}/events/$void`, { source, id: event.id, reason: "wrong" }));
            model.takeBack(each.month, event.requests);
          }
          now += hour;
          await moveTo(client, bucket, new Date(now).toISOString());
          const { data } = await ok(client.get(`${bucket}/customers/acme/grants`));
          const left = data.reduce((sum: number, { balance }: { balance: number }) => sum + balance, 0);
          expect({ steps, left, count: Math.min(data.length, 1) }).toEqual({
            steps,
            left: (model.granted ?? 0) - model.covered,
            count: model.granted === undefined ? 0 : 1,
          });
        }
        for (const { id, balance } of (await ok(client.get(`${bucket}/customers/acme/grants`))).data) {
          const entries = (await ok(client.get(`${bucket}/customers/acme/grants/${id}/entries`))).data;
          const sum = entries.reduce((all: number, { amount }: { amount: number }) => all + amount, 0);
          expect(sum).toBe(balance);
        }
      },
    );
    await fc.assert(property, { numRuns: engine === sqlite ? 25 : 4 });
  });
});
