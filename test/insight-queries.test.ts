import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";

const account = "/v1/accounts/default";
const reversed = "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z";
const empty = "from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z";

/** Rejected queries of feeds, series and filtered lists, with the parameter that the problem names. */
const rejected: Record<string, [query: string, pointer: string][]> = {
  "audit-log": [
    [reversed, "?from"],
    [empty, "?from"],
    ["action=Key", "?action"],
    ["action=", "?action"],
    ["action=*", "?action"],
    ["action=key.", "?action"],
    ["actor=", "?actor"],
    ["resource=", "?resource"],
    ["before=1", "?before"],
    ["actions=key.*", "?actions"],
    ["tag.plan=gold", "?tag.plan"],
  ],
  "audit-log/verification": [
    ["head=7", "?head"],
    ["heads=7", "?heads"],
  ],
  requests: [
    [reversed, "?from"],
    [empty, "?from"],
    ["status=9xx", "?status"],
    ["before=1", "?before"],
    ["consumr=acme", "?consumr"],
  ],
  analytics: [
    [reversed, "?from"],
    [empty, "?from"],
    ["by=customer", "?by"],
    ["consumr=acme", "?consumr"],
    ["tag.plan=gold", "?tag.plan"],
  ],
  "analytics/verifications": [
    [reversed, "?from"],
    [empty, "?from"],
    ["by=key", "?by"],
    ["consumr=acme", "?consumr"],
  ],
  "analytics/models": [
    [reversed, "?from"],
    [empty, "?from"],
    ["by=key", "?by"],
    ["modl=small", "?modl"],
  ],
  "key-buckets/main/keys": [
    ["never-used=maybe", "?never-used"],
    ["unused-snce=2026-01-01T00:00:00Z", "?unused-snce"],
    ["key-format=visible", "?key-format"],
    ["tags.plan=gold", "?tags.plan"],
  ],
  "search?q=acme": [
    ["limit=5", "?limit"],
    ["type=consumer", "?type"],
  ],
  "/v1/deployments": [
    ["project=shop", "?project"],
    ["limit=0", "?limit"],
  ],
  "webhooks/WEBHOOK/deliveries": [
    ["status=done", "?status"],
    ["type=key.*", "?type"],
    ["before=1", "?before"],
    ["webhook=1", "?webhook"],
  ],
  "metering/usage": [
    ["near=-1", "?near"],
    ["meters=requests", "?meters"],
  ],
  "metering/reconciliation": [
    [reversed, "?from"],
    ["form=2026-01-01T00:00:00Z", "?form"],
  ],
};

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const places: Record<string, string> = {};

  beforeAll(async () => {
    const { body: bucket } = await client.post("/v1/metering", {});
    const { body: webhook } = await client.post(`${account}/webhooks`, { url: "http://127.0.0.1:9/", events: ["*"] });
    for (const path of Object.keys(rejected))
      places[path] = path.startsWith("/")
        ? path
        : path.startsWith("metering/")
          ? `/v1/metering/${bucket.id}/${path.slice("metering/".length)}`
          : `${account}/${path.replace("WEBHOOK", webhook.id)}`;
  });

  test("a type filters actions like its pattern", async () => {
    const listed = async (action: string) => {
      const { body } = await client.get(`${account}/audit-log?action=${action}`);
      return body.data.map((entry: { action: string }) => entry.action);
    };
    expect(await listed("webhook")).toEqual(["webhook.created"]);
    expect(await listed("webhook.*")).toEqual(["webhook.created"]);
    expect(await listed("web")).toEqual([]);
  });

  describe.each(Object.entries(rejected))("%s", (path, queries) => {
    test("the response without a query is 200", async () => {
      expect((await client.get(places[path]!)).status).toBe(200);
    });

    test.each(queries)("?%s is rejected", async (query, pointer) => {
      expectProblem(await client.get(withQuery(places[path]!, query)), 400, "validation_failed", { pointer });
    });

    test("the operator must name the account", async () => {
      const response = await client.as(operatorToken).get(withQuery(places[path]!, "accountName=default"));
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
    });
  });
});
