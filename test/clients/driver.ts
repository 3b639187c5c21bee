/** Runs the cases that it reads from stdin with the JavaScript client and prints what came of each. */
import { Tollgate, UsageReporter } from "../../src/client/index.ts";
import { TollgateError } from "../../src/client/transport/errors.ts";
import type { ClientCase, Outcome } from "./cases.ts";

// biome-ignore lint/suspicious/noExplicitAny: the arguments are those of the cases, checked by the server.
type Arguments = any;

const calls: Record<string, (client: Tollgate, given: Arguments) => Promise<unknown>> = {
  verifyKey: (client, { bucket, key, ...usage }) => client.verifyKey(bucket, key, usage),
  settle: (client, { bucketId, holdId, meters }) => client.metering.settleHold(bucketId, holdId, meters),
  release: (client, { bucketId, holdId }) => client.metering.releaseHold(bucketId, holdId),
  report: (client, { bucketId, events }) => client.events(bucketId).send(events),
  reporter: async (client, { bucketId, adds, maxQueue, closeMs }) => {
    const dropped: [number, string][] = [];
    const onDrop = (events: object[], reason: string) => void dropped.push([events.length, reason]);
    const reporter = new UsageReporter(client, bucketId, { maxQueue, onDrop });
    for (const [customer, meters] of adds)
      reporter.add(customer, meters.requests === "not JSON" ? { requests: 1n as never } : meters);
    await reporter.close(closeMs);
    reporter.add("late", { requests: 1 });
    return dropped;
  },
  getConsumer: (client, { path }) => client.consumers(path.bucketName).get(path.consumerName),
  createConsumer: (client, { path, body }) => client.consumers(path.bucketName).create(body),
  updateConsumer: (client, { path, body }) => client.consumers(path.bucketName).update(path.consumerName, body),
  deleteConsumer: (client, { path }) => client.consumers(path.bucketName).delete(path.consumerName),
  listConsumers: (client, { path, query }) => client.consumers(path.bucketName).list(query).page(),
  listPlans: (client, { path }) => client.plans(path.bucketId).list().page(),
};

async function run(given: ClientCase): Promise<Outcome> {
  const pauses: number[] = [];
  const waiting = {
    random: () => 0.5,
    sleep: async (milliseconds: number) => void pauses.push(Math.round(milliseconds)),
  };
  try {
    const client = new Tollgate({ ...given, url: given.url! }, waiting);
    const name = given.method === "call" ? (given.arguments.operation as string) : given.method;
    const result = await calls[name]!(client, given.arguments);
    return { result: result ?? null, pauses };
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    const { status, code, errors, requestId, retryAfterSeconds } = error;
    return { error: { status, code, errors, requestId, retryAfterSeconds }, pauses };
  }
}

const outcomes: Outcome[] = [];
for (const given of (await Bun.stdin.json()) as ClientCase[]) outcomes.push(await run(given));
console.log(JSON.stringify(outcomes));
