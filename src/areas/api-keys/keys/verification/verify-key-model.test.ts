import { expect, test } from "bun:test";
import fc from "fast-check";
import { newBucketPath } from "../../../../../test/support/bucket-path.ts";
import type { Client } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import type { FakeClock } from "../../../../../test/support/fake-clock.ts";
import { newKeyHolder, verify } from "../../../../../test/support/key-holder.ts";
import { useServer } from "../../../../../test/support/server.ts";

interface ModelKey {
  id: string;
  consumer: string;
  expiresOn: number | null;
}

const consumerNames = ["one", "two"];
/** Few values, so that they are used, released and used again, in both buckets. */
const suppliedValues = ["a-key-of-my-own-making", "another-key-of-mine-x", "yet-another-key-of-mine"];

/** The expected contents of a bucket. */
class Bucket {
  readonly keys = new Map<string, ModelKey>();
  readonly metadata = new Map<string, object>();
  /** Every value that has ever been a key here. */
  readonly values = new Set<string>(suppliedValues);
  readonly path = newBucketPath();

  constructor(
    private readonly client: Client,
    private readonly clock: FakeClock,
  ) {}

  async begin(): Promise<void> {
    for (const name of consumerNames) await this.addConsumer(name);
  }

  async addConsumer(name: string): Promise<void> {
    await newKeyHolder(this.client, { bucket: this.path, name });
    this.metadata.set(name, {});
  }

  async createKey(consumer: string, key: string | undefined, expiresIn: number | null): Promise<void> {
    const expiresOn = expiresIn === null ? null : this.clock.now() + expiresIn;
    const response = await this.client.post(`${this.path}/consumers/${consumer}/keys`, {
      key,
      expiresOn: iso(expiresOn),
    });
    expect(response.status).toBe(key !== undefined && this.keys.has(key) ? 409 : 200);
    if (response.status === 200) this.#remember(response.body.key, { id: response.body.id, consumer, expiresOn });
  }

  async changeValue(index: number, value: string): Promise<void> {
    await this.#withKey(index, async (old, key) => {
      const { status } = await this.client.patch(this.#keyPath(key), { key: value });
      expect(status).toBe(this.keys.has(value) && value !== old ? 409 : 200);
      if (status !== 200) return;
      this.keys.delete(old);
      this.#remember(value, key);
    });
  }

  async changeExpiry(index: number, expiresIn: number | null): Promise<void> {
    await this.#withKey(index, async (_value, key) => {
      key.expiresOn = expiresIn === null ? null : this.clock.now() + expiresIn;
      expect((await this.client.patch(this.#keyPath(key), { expiresOn: iso(key.expiresOn) })).status).toBe(200);
    });
  }

  async deleteKey(index: number): Promise<void> {
    await this.#withKey(index, async (value, key) => {
      expect((await this.client.delete(this.#keyPath(key))).status).toBe(204);
      this.keys.delete(value);
    });
  }

  async roll(consumer: string, expiresIn: number): Promise<void> {
    const expiresOn = this.clock.now() + expiresIn;
    const path = `${this.path}/consumers/${consumer}/roll-key`;
    const rolled = await this.client.post(path, { expiresOn: iso(expiresOn) });
    expect(rolled.status).toBe(204);
    for (const key of this.keys.values()) if (key.consumer === consumer) key.expiresOn ??= expiresOn;
    const { body } = await this.client.get(`${rolled.headers.get("location")}?key-format=visible`);
    this.#remember(body.key, { id: body.id, consumer, expiresOn: null });
  }

  async changeMetadata(consumer: string, data: object): Promise<void> {
    expect((await this.client.patch(`${this.path}/consumers/${consumer}`, { metadata: data })).status).toBe(200);
    this.metadata.set(consumer, data);
  }

  /** Creates it again under the same name, without keys. */
  async replaceConsumer(consumer: string): Promise<void> {
    expect((await this.client.delete(`${this.path}/consumers/${consumer}`)).status).toBe(204);
    for (const [value, key] of this.keys) if (key.consumer === consumer) this.keys.delete(value);
    await this.addConsumer(consumer);
  }

  async replace(): Promise<void> {
    expect((await this.client.delete(`${this.path}?force=true`)).status).toBe(204);
    this.keys.clear();
    await this.begin();
  }

  verifyAll(): Promise<unknown>[] {
    return [...this.values].map((value) => verify(this.client, this.path, value));
  }

  async check(): Promise<void> {
    const values = [...this.values];
    const responses = await Promise.all(values.map((value) => verify(this.client, this.path, value)));
    const verified = Object.fromEntries(values.map((value, index) => [value, responses[index]!.body]));
    expect(verified).toEqual(Object.fromEntries(values.map((value) => [value, this.#expected(value)])));
  }

  #expected(value: string): object {
    const key = this.keys.get(value);
    if (!key) return { valid: false, code: "not_found" };
    if (key.expiresOn !== null && key.expiresOn <= this.clock.now()) return { valid: false, code: "expired" };
    const consumer = { id: expect.any(String), name: key.consumer };
    const user = { sub: key.consumer, data: this.metadata.get(key.consumer) };
    return { valid: true, keyId: key.id, consumer, user, expiresOn: iso(key.expiresOn) };
  }

  #remember(value: string, key: ModelKey): void {
    this.keys.set(value, key);
    this.values.add(value);
  }

  async #withKey(index: number, act: (value: string, key: ModelKey) => Promise<void>): Promise<void> {
    const found = [...this.keys][index % Math.max(1, this.keys.size)];
    if (found) await act(...found);
  }

  #keyPath(key: ModelKey): string {
    return `${this.path}/consumers/${key.consumer}/keys/${key.id}`;
  }
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

type Step = (bucket: Bucket, clock: FakeClock) => Promise<void> | void;

const consumers = fc.constantFrom(...consumerNames);
const values = fc.constantFrom(...suppliedValues);
const indexes = fc.nat(20);
const periods = fc.constantFrom(-1, 0, 1, 1000, 5000);
const optionalPeriods = fc.option(periods, { nil: null });

const steps = fc.oneof<fc.WeightedArbitrary<{ name: string; step: Step }>[]>(
  named(4, "create", fc.tuple(consumers, fc.option(values, { nil: undefined }), optionalPeriods), (bucket, args) =>
    bucket.createKey(...args),
  ),
  named(3, "change value", fc.tuple(indexes, values), (bucket, args) => bucket.changeValue(...args)),
  named(2, "change expiry", fc.tuple(indexes, optionalPeriods), (bucket, args) => bucket.changeExpiry(...args)),
  named(2, "delete key", fc.tuple(indexes), (bucket, args) => bucket.deleteKey(...args)),
  named(2, "roll", fc.tuple(consumers, periods), (bucket, args) => bucket.roll(...args)),
  named(2, "change metadata", fc.tuple(consumers, fc.record({ n: fc.nat(9) })), (bucket, args) =>
    bucket.changeMetadata(...args),
  ),
  named(1, "replace consumer", fc.tuple(consumers), (bucket, args) => bucket.replaceConsumer(...args)),
  named(1, "replace bucket", fc.tuple(), (bucket) => bucket.replace()),
  named(2, "wait", fc.tuple(periods), (_bucket, [period], clock) => clock.advance(period)),
);

/** A step with a description, so that a counterexample is readable. */
function named<Arguments extends unknown[]>(
  weight: number,
  name: string,
  given: fc.Arbitrary<Arguments>,
  act: (bucket: Bucket, given: Arguments, clock: FakeClock) => Promise<void> | void,
): fc.WeightedArbitrary<{ name: string; step: Step }> {
  const arbitrary = given.map((args) => ({
    name: `${name} ${JSON.stringify(args)}`,
    step: ((bucket, clock) => act(bucket, args, clock)) as Step,
  }));
  return { weight, arbitrary };
}

const schedules = fc.array(fc.record({ at: fc.nat(1), change: steps, verifiesMeanwhile: fc.boolean() }), {
  minLength: 5,
  maxLength: 25,
});

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  test("after any changes of keys, consumers, buckets and the time, every response reflects the current state", async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        const buckets = [new Bucket(client, clock), new Bucket(client, clock)];
        for (const bucket of buckets) await bucket.begin();
        for (const { at, change, verifiesMeanwhile } of schedule) {
          // Requests during a change may see either state, but must leave nothing stale in the cache.
          const meanwhile = verifiesMeanwhile ? buckets.flatMap((bucket) => bucket.verifyAll()) : [];
          await change.step(buckets[at]!, clock);
          await Promise.all(meanwhile);
          for (const bucket of buckets) await bucket.check();
        }
      }),
      // What is cached does not depend on the engine.
      { numRuns: engine.name === "sqlite" ? 20 : 8 },
    );
  });
});
