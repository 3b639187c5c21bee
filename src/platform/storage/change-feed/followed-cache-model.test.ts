import { expect, test } from "bun:test";
import fc from "fast-check";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { LocalFeed } from "../change-feed.ts";
import { FollowedCache } from "./followed-cache.ts";

interface Row {
  group: string;
  version: number;
}

interface Load {
  key: string;
  /** The value in storage when this load read it. */
  seen?: { row: Row | undefined };
  response: PromiseWithResolvers<Row | undefined>;
  done: Promise<unknown>;
}

const names = ["a", "b", "c", "d"];

/** Storage that is changed while reads are in progress, and the cache in front of it. */
class World {
  readonly rows = new Map<string, Row>(names.map((key, index) => [key, { group: `group ${index % 2}`, version: 0 }]));
  readonly loads: Load[] = [];
  /** A change is written first and announced later, as on another node. */
  #pending: (() => void)[] = [];
  #version = 0;
  readonly #cache = new FollowedCache<Row>(
    new LocalFeed(() => {}),
    new SecondChanceCache<Row>(100_000, () => 100),
    (row) => row.group,
  );

  beginLoad(key: string): void {
    const response = Promise.withResolvers<Row | undefined>();
    let isShared = true;
    const done = this.#cache.load(key, () => {
      isShared = false;
      return response.promise;
    });
    if (!isShared) this.loads.push({ key, response, done });
  }

  read(load: Load): void {
    load.seen ??= { row: this.rows.get(load.key) };
  }

  async finish(load: Load): Promise<void> {
    this.read(load);
    this.loads.splice(this.loads.indexOf(load), 1);
    load.response.resolve(load.seen?.row);
    await load.done;
  }

  changeOne(key: string): void {
    this.#version += 1;
    this.rows.set(key, { group: this.rows.get(key)?.group ?? "group 0", version: this.#version });
    this.#pending.push(() => this.#cache.evict(key));
  }

  remove(key: string): void {
    this.rows.delete(key);
    this.#pending.push(() => this.#cache.evict(key));
  }

  changeGroup(group: string, announce: "evictGroup" | "outdateGroup"): void {
    this.#version += 1;
    for (const [key, row] of this.rows) if (row.group === group) this.rows.set(key, { group, version: this.#version });
    this.#pending.push(() => this.#cache[announce](group));
  }

  deliver(): void {
    for (const evict of this.#pending) evict();
    this.#pending = [];
  }

  /** Once every change is delivered, the cache must equal storage. */
  check(): void {
    if (this.#pending.length > 0) return;
    for (const key of names) {
      const remembered = this.#cache.peek(key);
      if (remembered) expect(remembered).toEqual(this.rows.get(key)!);
    }
  }
}

type Step = (world: World) => void | Promise<void>;

const keys = fc.constantFrom(...names);

function withLoad(act: (world: World, load: Load) => void | Promise<void>): fc.Arbitrary<Step> {
  return fc.nat(5).map((index) => (world) => {
    const load = world.loads[index % Math.max(1, world.loads.length)];
    return load && act(world, load);
  });
}

const groupChanges = (announce: "evictGroup" | "outdateGroup") =>
  fc.constantFrom("group 0", "group 1").map<Step>((group) => (world) => world.changeGroup(group, announce));

const steps = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  { weight: 4, arbitrary: keys.map((key) => (world) => world.beginLoad(key)) },
  { weight: 2, arbitrary: withLoad((world, load) => world.read(load)) },
  { weight: 3, arbitrary: withLoad((world, load) => world.finish(load)) },
  { weight: 1, arbitrary: keys.map((key) => (world) => world.changeOne(key)) },
  { weight: 1, arbitrary: keys.map((key) => (world) => world.remove(key)) },
  { weight: 1, arbitrary: groupChanges("evictGroup") },
  { weight: 1, arbitrary: groupChanges("outdateGroup") },
  { weight: 2, arbitrary: fc.constant<Step>((world) => world.deliver()) },
);

test("in any order of reads, changes and evictions, the cache keeps no value that storage no longer has", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 120 }), async (all) => {
      const world = new World();
      for (const step of all) {
        await step(world);
        world.check();
      }
      world.deliver();
      for (const load of [...world.loads]) await world.finish(load);
      world.check();
    }),
    { numRuns: 300 },
  );
});
