import { beforeAll, describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import type { Client } from "../../../../test/support/client.ts";
import {
  type ConsumerOperation,
  consumerOperations,
  createWholeConsumer,
  send,
  stateOf,
} from "../../../../test/support/consumer-operations.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

const operations: ConsumerOperation[] = [
  { what: "list", method: "GET", path: ({ bucket }) => `${bucket}/consumers` },
  { what: "create", method: "POST", path: ({ bucket }) => `${bucket}/consumers`, body: { name: "another" } },
  ...consumerOperations,
];

eachEngine((engine) => {
  const { client } = useServer(engine);
  const caller = {} as Record<"editor" | "reader" | "verifier" | "stranger", Client>;

  beforeAll(async () => {
    for (const role of ["editor", "reader", "verifier"] as const) caller[role] = await callerWithRole(client, role);
    caller.stranger = await strangerOf(client, "stranger");
  });

  describe("rejected and nothing changed:", () => {
    test.each(casesFor(engine, operations))("$what", async (operation) => {
      const bucket = newBucketPath();
      const consumer = await createWholeConsumer(client, bucket);
      const path = operation.path(consumer);
      const before = await stateOf(client, bucket);

      for (const nobody of [client.anonymous(), client.as("not-a-token"), client.as("")]) {
        const rejected = await send(nobody, operation, path);
        expectProblem(rejected, 401, "unauthenticated");
        expect(rejected.headers.get("www-authenticate")).toStartWith("Bearer");
      }

      const elsewhere = path.replace("/default/", "/no-such-account/");
      const unknown = await send(client, operation, elsewhere);
      expectProblem(unknown, 404, "not_found");
      const strange = await send(caller.stranger, operation, path);
      expectProblem(strange, 404, "not_found");
      expect(strange.body.detail).toBe(unknown.body.detail);

      const tooWeak = operation.method === "GET" ? [caller.verifier] : [caller.verifier, caller.reader];
      for (const weak of tooWeak) expectProblem(await send(weak, operation, path), 403, "forbidden");

      expect(await stateOf(client, bucket)).toEqual(before);
    });
  });

  describe("allowed:", () => {
    test.each(casesFor(engine, operations))("$what", async (operation) => {
      const allowed = [client, caller.editor, client.as(operatorToken)];
      if (operation.method === "GET") allowed.push(caller.reader);
      for (const somebody of allowed) {
        const consumer = await createWholeConsumer(client, newBucketPath());
        const done = await send(somebody, operation, operation.path(consumer));
        expect(done.status).toBe(done.text === "" ? 204 : 200);
      }
    });
  });

  test("consumers with the same bucket and name in two accounts are separate", async () => {
    const ours = newBucketPath();
    const theirs = ours.replace("/default/", "/stranger/");
    const [one, other] = await Promise.all([
      client.post(`${ours}/consumers`, { name: "acme", description: "ours" }),
      caller.stranger.post(`${theirs}/consumers`, { name: "acme", description: "theirs" }),
    ]);
    expect((await client.get(`${ours}/consumers`)).body).toMatchObject({ data: [one.body], total: 1 });
    expect((await caller.stranger.get(`${theirs}/consumers`)).body).toMatchObject({ data: [other.body], total: 1 });
    expect((await caller.stranger.delete(`${theirs}/consumers/acme`)).status).toBe(204);
    expect((await client.get(`${ours}/consumers/acme`)).body).toEqual(one.body);
  });
});
