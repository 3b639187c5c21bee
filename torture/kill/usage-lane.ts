import { expect } from "bun:test";
import type { Client } from "../../test/support/client.ts";
import { expectStatus } from "../expect-status.ts";
import type { Random } from "../random.ts";
import { posting } from "./consumer-lane.ts";
import { type Attempt, Lane } from "./lane.ts";

interface UsageEvent {
  specversion: string;
  id: string;
  source: string;
  type: string;
  subject: string;
  data: { calls: number };
}

/** What all lanes share: one subscription that counts `calls` by events, and has `units` to be taken until none are left. */
export interface SharedSubscription {
  bucket: string;
  path: string;
  units: number;
}

/** Sends events and consumes from a shared quota. */
export class UsageLane extends Lane {
  /** What was acknowledged, and counted. */
  calls = 0;
  events = 0;
  unitsTaken = 0;
  #acknowledged: UsageEvent[][] = [];
  #count = 0;

  constructor(
    private readonly name: string,
    private readonly subscription: SharedSubscription,
    private readonly random: Random,
  ) {
    super();
  }

  protected next(): Attempt {
    const known = this.#acknowledged.at(-1);
    if (known && this.random.chance(0.1)) return this.#repeat(known);
    return this.random.chance(0.5) ? this.#record() : this.#take();
  }

  /** The sums of all lanes are compared at the end. */
  async verify(client: Client): Promise<void> {
    await this.retryInDoubt(client);
  }

  #record(): Attempt {
    const events = Array.from({ length: this.random.integer(1, 4) }, () => this.#event());
    const path = `${this.subscription.bucket}/events`;
    // Event ids deduplicate like an Idempotency-Key: half of the requests have none.
    const send = this.random.chance(0.5) ? posting(path, events) : (client: Client) => client.post(path, events);
    return {
      kind: "batches of events",
      send,
      acknowledge: ({ body }, isRetry) => {
        const outcome = { accepted: events.length, duplicates: 0, rejected: [] };
        const known = { accepted: 0, duplicates: events.length, rejected: [] };
        expect(body).toBeOneOf(isRetry ? [outcome, known] : [outcome]);
        this.events += events.length;
        for (const { data } of events) this.calls += data.calls;
        this.#acknowledged = [...this.#acknowledged.slice(-5), events];
      },
    };
  }

  #repeat(events: UsageEvent[]): Attempt {
    return {
      kind: "batches sent again",
      send: (client) => client.post(`${this.subscription.bucket}/events`, events),
      acknowledge: ({ body }) => expect(body).toEqual({ accepted: 0, duplicates: events.length, rejected: [] }),
    };
  }

  #take(): Attempt {
    const units = this.random.integer(1, 3);
    return {
      kind: "takings from a quota",
      send: posting(`${this.subscription.path}/quotas/consume`, { meters: { units } }),
      acknowledge: (response) => {
        expectStatus(response, [200]);
        if (response.body.allowed) this.unitsTaken += units;
      },
    };
  }

  #event(): UsageEvent {
    const id = `${this.name}-${++this.#count}`;
    const data = { calls: this.random.integer(1, 5) };
    return { specversion: "1.0", id, source: "torture", type: "call", subject: "acme", data };
  }
}

/** Everything acknowledged is counted once, and the quota is not oversold by a single unit. */
export async function verifySums(client: Client, subscription: SharedSubscription, lanes: UsageLane[]): Promise<void> {
  const sum = (amountOf: (lane: UsageLane) => number) => lanes.reduce((total, lane) => total + amountOf(lane), 0);
  const { meters } = (await client.get(`${subscription.path}/usage`)).body;
  expect({ calls: meters.calls.used, units: meters.units.used }).toEqual({
    calls: sum((lane) => lane.calls),
    units: sum((lane) => lane.unitsTaken),
  });
  expect(meters.units.used).toBeLessThanOrEqual(subscription.units);
  const { body } = await client.get(`${subscription.bucket}/reconciliation`);
  expect(body.differences).toEqual([]);
  expect(body.meters.calls?.accepted ?? 0).toBe(sum((lane) => lane.events));
}
