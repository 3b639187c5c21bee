import { expect } from "bun:test";
import { checkInvariants } from "./background-checks.ts";
import type { BackgroundScene, Disturbance, MadeKey } from "./background-scene.ts";
import { newBucketPath } from "./bucket-path.ts";
import { usageEvent } from "./metering.ts";
import { account } from "./server-settings.ts";

const tokens = `/v1/accounts/${account}/tokens`;
const hour = 60 * 60 * 1000;

/** What is done meanwhile, by a number that chooses the node and what is changed; it may be too large. */
export const actions = {
  async "create a key"(scene, choice) {
    await scene.makeKey(choice, scene.holder.keys);
  },
  async "delete a key"(scene, choice) {
    const deletable = scene.keys.filter(({ isKept }) => !isKept);
    await verifyKey(scene, choice, deletable);
    const key = pick(deletable, choice);
    if (key) await scene.attempt(choice, (client) => client.delete(key.path), [404]);
  },
  "verify a key": (scene, choice) => verifyKey(scene, choice, scene.keys),
  "create a token": (scene, choice) => scene.makeToken(choice),
  async "delete a token"(scene, choice) {
    await useToken(scene, choice);
    const token = pick(scene.tokens, choice);
    if (token) await scene.attempt(choice, (client) => client.delete(`${tokens}/${token.id}`), [404]);
  },
  "use a token": useToken,
  async "record events"(scene, choice) {
    const events = Array.from({ length: 1 + (choice % 3) }, () => usageEvent({ requests: 1 }));
    const { body } = await scene.certain(choice, (client) => client.post(`${scene.recorded.bucket}/events`, events));
    expect(body.accepted + body.duplicates).toBe(events.length);
    scene.expected.recorded += events.length;
  },
  async consume(scene, choice) {
    const { body } = await scene.certain(choice, (client, key) =>
      client.post(`${scene.recorded.path}/quotas/consume`, { meters: { requests: 2 } }, { "idempotency-key": key }),
    );
    expect(body.allowed).toBe(true);
    scene.expected.recorded += 2;
  },
  async "call the gateway"(scene, choice) {
    await Promise.all(Array.from({ length: 5 }, (_, each) => scene.callGateway(choice + each)));
  },
  async "delete a bucket"(scene, choice) {
    const bucket = newBucketPath();
    const name = { name: "acme" };
    await scene.certain(choice, (client, key) => client.post(`${bucket}/consumers`, name, { "idempotency-key": key }));
    await scene.makeKey(choice, `${bucket}/consumers/acme/keys`);
    await scene.attempt(choice, (client) => client.delete(`${bucket}?force=true`));
  },
  "change many keys": (scene, choice) => scene.changeMany(choice),
  "check a domain": (scene, choice) => scene.checkDomain(choice),
  async "verify the audit log"(scene, choice) {
    const { status, body } = await scene.attempt(choice, (client) =>
      client.get(`/v1/accounts/${account}/audit-log/verification`),
    );
    if (status === 200) expect(body).toMatchObject({ intact: true });
  },
  async "advance the clock"({ clock }) {
    clock.advance(hour);
  },
} satisfies Record<string, (scene: BackgroundScene, choice: number) => Promise<void>>;

export type Action = keyof typeof actions;
export const actionNames = Object.keys(actions) as Action[];

export interface Step {
  action: Action;
  choice: number;
}

export interface Round {
  /** Each is done in order, all at the same time. */
  lanes: Step[][];
  /** Ignored on SQLite. */
  disturbances: Disturbance[];
}

/** Writes while every task runs, and checks the invariants after that. */
export async function runRound(scene: BackgroundScene, { lanes, disturbances }: Round): Promise<void> {
  const all = [...lanes, ...deletions(scene.figures.rounds)];
  const results = await scene.run(() => Promise.allSettled(all.map((lane) => runLane(scene, lane))), disturbances);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  await checkInvariants(scene);
}

/** Of every round: the response to one of them is lost, unless its connection was broken before. */
function deletions(round: number): Step[][] {
  return (["delete a key", "delete a token"] as const).map((action) =>
    Array.from({ length: 3 }, (_, each) => ({ action, choice: round + each })),
  );
}

async function runLane(scene: BackgroundScene, lane: Step[]): Promise<void> {
  for (const { action, choice } of lane) await actions[action](scene, choice);
}

/** From then on the node has it in its cache. */
async function verifyKey(scene: BackgroundScene, choice: number, keys: MadeKey[]): Promise<void> {
  const key = pick(keys, choice);
  if (!key) return;
  await scene.attempt(choice, (client) => client.post(`${key.bucket}/verify-key`, { key: key.value }), [404]);
}

/** From then on the node has it in its cache. */
async function useToken(scene: BackgroundScene, choice: number): Promise<void> {
  const token = pick(scene.tokens, choice);
  if (token) await scene.attempt(choice, (client) => client.as(token.value).get("/v1/who-am-i"), [401]);
}

function pick<Item>(items: Item[], choice: number): Item | undefined {
  return items[choice % Math.max(items.length, 1)];
}
