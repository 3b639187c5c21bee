import { beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import type { Client, ClientResponse } from "../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  meteringState,
  planInput,
  record,
  type Subscribed,
  subscribed,
  subscriptionInput,
  usageEvent,
} from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../test/support/server-settings.ts";

interface Scene extends Subscribed {
  /** A plan without subscriptions. */
  spare: string;
}

interface Operation {
  what: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path(scene: Scene): string;
  body?(scene: Scene): unknown;
  /** Roles in addition to admin, editor and operator. */
  also: readonly ("reader" | "verifier")[];
}

const read = { method: "GET", also: ["reader"] } as const;
const edit = { also: [] as Operation["also"] };
const changed = { label: "changed" };

/** Every metering operation, each with a request that succeeds. */
const operations: Operation[] = [
  { what: "list buckets", ...read, path: () => "/v1/metering" },
  { what: "create a bucket", method: "POST", ...edit, path: () => "/v1/metering", body: () => ({}) },
  { what: "read a bucket", ...read, path: ({ bucket }) => bucket },
  { what: "delete a bucket", method: "DELETE", ...edit, path: ({ bucket }) => `${bucket}?force=true` },
  { what: "list plans", ...read, path: ({ bucket }) => `${bucket}/plans` },
  { what: "create a plan", method: "POST", ...edit, path: ({ bucket }) => `${bucket}/plans`, body: () => planInput() },
  { what: "read a plan", ...read, path: ({ bucket, plan }) => `${bucket}/plans/${plan.id}` },
  { what: "change a plan", method: "PATCH", ...edit, path: ({ spare }) => spare, body: () => changed },
  { what: "delete a plan", method: "DELETE", ...edit, path: ({ spare }) => spare },
  { what: "list subscriptions", ...read, path: ({ bucket }) => `${bucket}/subscriptions` },
  {
    what: "create a subscription",
    method: "POST",
    ...edit,
    path: ({ bucket }) => `${bucket}/subscriptions`,
    body: ({ plan }) => subscriptionInput([plan]),
  },
  { what: "read a subscription", ...read, path: ({ path }) => path },
  {
    what: "change a subscription",
    method: "PATCH",
    ...edit,
    path: ({ path }) => path,
    body: () => ({ status: "canceled" }),
  },
  { what: "delete a subscription", method: "DELETE", ...edit, path: ({ path }) => path },
  {
    what: "record usage",
    method: "POST",
    also: ["verifier"],
    path: ({ bucket }) => `${bucket}/events`,
    body: () => usageEvent({ requests: 1 }),
  },
  {
    what: "consume",
    method: "POST",
    also: ["verifier"],
    path: ({ path }) => `${path}/quotas/consume`,
    body: () => ({ meters: { requests: 1 } }),
  },
  { what: "read usage", method: "GET", also: ["reader", "verifier"], path: ({ path }) => `${path}/usage` },
  {
    what: "read its history",
    method: "GET",
    also: ["reader", "verifier"],
    path: ({ path }) => `${path}/usage/history`,
  },
  { what: "reconcile", ...read, path: ({ bucket }) => `${bucket}/reconciliation` },
];

function send(client: Client, { method, body }: Operation, path: string, scene: Scene): Promise<ClientResponse> {
  return client.raw(method, path, body && JSON.stringify(body(scene)));
}

function inAccount(path: string, name: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}accountName=${name}`;
}

eachEngine((engine) => {
  const { client } = useServer(engine);
  const operator = client.as(operatorToken);
  const caller = {} as Record<"editor" | "reader" | "verifier" | "stranger", Client>;

  beforeAll(async () => {
    for (const role of ["editor", "reader", "verifier"] as const) caller[role] = await callerWithRole(client, role);
    caller.stranger = await strangerOf(client, "stranger");
  });

  async function scene(): Promise<Scene> {
    const made = await subscribed(client);
    const spare = `${made.bucket}/plans/${(await createPlan(client, made.bucket)).id}`;
    await record(client, made.bucket, usageEvent({ requests: 7 }));
    return { ...made, spare };
  }

  async function stateOf({ bucket }: Scene) {
    const { total } = (await client.get("/v1/metering?limit=1")).body;
    return { total, state: await meteringState(client, bucket) };
  }

  describe("rejected, and nothing changed:", () => {
    test.each(casesFor(engine, operations))("$what", async (operation) => {
      const made = await scene();
      const path = operation.path(made);
      const before = await stateOf(made);

      for (const nobody of [client.anonymous(), client.as("not-a-token"), client.as("")]) {
        const rejected = await send(nobody, operation, path, made);
        expectProblem(rejected, 401, "unauthenticated");
        expect(rejected.headers.get("www-authenticate")).toStartWith("Bearer");
      }
      for (const role of ["reader", "verifier"] as const)
        if (!operation.also.includes(role))
          expectProblem(await send(caller[role], operation, path, made), 403, "forbidden");

      const lost = await send(operator, operation, path, made);
      expectProblem(lost, 400, "validation_failed", { pointer: "?accountName" });
      expectProblem(await send(operator, operation, inAccount(path, "nobody"), made), 404, "not_found");

      if (path !== "/v1/metering") {
        const missing = path.replace(/mtr_\w+/, "mtr_000000000000000000000000");
        const unknown = await send(client, operation, missing, made);
        expectProblem(unknown, 404, "not_found");
        const strangers = [
          await send(caller.stranger, operation, path, made),
          await send(operator, operation, inAccount(path, "stranger"), made),
        ];
        for (const strange of strangers) {
          expectProblem(strange, 404, "not_found");
          expect(strange.body.detail).toBe(unknown.body.detail);
        }
      }
      expect(await stateOf(made)).toEqual(before);
    });
  });

  describe("allowed:", () => {
    test.each(casesFor(engine, operations))("$what", async (operation) => {
      const others = operation.also.map((role) => caller[role]);
      for (const somebody of [client, caller.editor, ...others, operator]) {
        const made = await scene();
        const path = operation.path(made);
        const done = await send(somebody, operation, somebody === operator ? inAccount(path, account) : path, made);
        expect(done.status).toBe(operation.method === "DELETE" ? 204 : 200);
      }
    });
  });

  test("a token acts in its own account, and ?accountName may not name another", async () => {
    const before = (await client.get("/v1/metering")).body.total;
    expectProblem(await caller.stranger.post(`/v1/metering?accountName=${account}`), 404, "not_found");
    expect((await client.get("/v1/metering")).body.total).toBe(before);
    const { body } = await caller.stranger.post("/v1/metering?accountName=stranger");
    expect(body.accountName).toBe("stranger");
    expectProblem(await client.get(`/v1/metering/${body.id}`), 404, "not_found");
    expect((await operator.get(`/v1/metering/${body.id}?accountName=stranger`)).body).toEqual(body);
  });

  test("plans of another account cannot be subscribed to", async () => {
    const { plan } = await scene();
    const theirs = `/v1/metering/${(await caller.stranger.post("/v1/metering")).body.id}`;
    const rejected = await caller.stranger.post(`${theirs}/subscriptions`, subscriptionInput([plan]));
    expectProblem(rejected, 400, "validation_failed", { pointer: "/planExternalIds/0" });
  });

  test("customers of one name in two accounts are counted apart", async () => {
    const ours = await subscribed(client);
    const theirs = await subscribed(caller.stranger);
    const event = usageEvent({ requests: 2 });
    expect(await record(client, ours.bucket, event)).toMatchObject({ accepted: 1 });
    expect(await record(caller.stranger, theirs.bucket, event)).toMatchObject({ accepted: 1 });
    await record(caller.stranger, theirs.bucket, usageEvent({ requests: 5 }));
    expect((await client.get(`${ours.path}/usage`)).body.meters.requests.used).toBe(2);
    expect((await caller.stranger.get(`${theirs.path}/usage`)).body.meters.requests.used).toBe(7);
  });
});
