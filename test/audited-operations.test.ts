import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describedBy, operationsOf } from "../torture/described.ts";
import { prepareBilling, sendGood } from "../torture/who-may/requests.ts";
import { furnishWorld } from "../torture/world.ts";
import { sqlite } from "./support/engines.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { tableContent } from "./support/table-content.ts";

/** Operations with a method other than GET that have no entry in the audit log, and why. */
const unaudited: Record<string, string> = {
  checkDomain: "It only has DNS looked up sooner.",
  verifyKey: "It reads, with a key in its body.",
  testVersion: "It reads, with the number of a version in its body.",
  planConfiguration: "A plan is no change: it is applied or expires.",
  previewPlanChange: "It reads, with a change of plans in its body.",
  previewSubscriptionChange: "It reads, with a change of plans in its body.",
  recordUsage: "Usage events are no changes.",
  consumeQuota: "Consumed quotas are no changes.",
};

/** The actions in the table of docs/audit-log.md: `<resource>.<what>`. */
function documentedActions(): string[] {
  const page = readFileSync(join(import.meta.dir, "../docs/audit-log.md"), "utf8");
  const rows = [...page.split("## Actions")[1]!.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm)];
  const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  return rows.flatMap(([, types, actions]) =>
    namesIn(types!).flatMap((type) => namesIn(actions!).map((action) => `${type}${action}`)),
  );
}

const needVersions = ["rollBackDeployment", "redeploy", "promoteDeployment", "tryDeployment"];
const needCanary = ["splitTraffic", "stopCanary", "promoteCanary", "testVersion"];

// What is recorded does not depend on the engine.
const server = useServer(sqlite);
const operator = server.client.as(operatorToken);

test("every operation that changes something is in the audit log, and exceptions are listed", async () => {
  const operations = operationsOf(await describedBy(server)).filter(({ method }) => method !== "GET");
  const built = await furnishWorld(operator, "built", { isBuilt: true });
  const actions: Record<string, string[]> = {};
  for (const [index, described] of operations.entries()) {
    const { operationId } = described.operation;
    const world = needVersions.includes(operationId)
      ? built
      : await furnishWorld(operator, `world-${index}`, { isBuilt: needCanary.includes(operationId) });
    await prepareBilling(operator, operationId, world);
    const { status, text, headers } = await sendGood(operator, operator, described, world);
    expect({ operationId, isDone: status < 300, text }).toEqual({ operationId, isDone: true, text });
    const requestId = headers.get("x-request-id");
    const recorded = (await tableContent(server.database, "changes"))
      .filter(({ details }) => details !== null)
      .map(({ details }) => JSON.parse(details as string))
      .filter((details) => details.requestId === requestId);
    for (const { actor, ip, resource } of recorded) {
      expect({ operationId, isWhole: Boolean(actor.type && ip && resource.type && resource.id) }).toEqual({
        operationId,
        isWhole: true,
      });
    }
    actions[operationId] = recorded.map(({ action }) => action);
  }
  const silent = Object.keys(actions).filter((operationId) => actions[operationId]!.length === 0);
  expect(silent.toSorted()).toEqual(Object.keys(unaudited).toSorted());
  // Actions have the format of event types.
  expect(
    Object.values(actions)
      .flat()
      .filter((action) => !/^[a-z-]+\.[a-z_]+$/.test(action)),
  ).toEqual([]);
  const documented = documentedActions();
  const undocumented = new Set(Object.values(actions).flat()).difference(new Set(documented));
  expect([...undocumented]).toEqual([]);
  expect(actions).toMatchObject({
    createConsumer: ["consumer.created", "key.created", "manager-invite.created", "manager.created"],
    createKeys: ["key.created"],
    rollKey: ["key.rolled"],
    deleteKeyBucket: ["bucket.deleted"],
    deleteAccount: ["account.deleted"],
    rotateWebhookSecret: ["webhook.secret_rotated"],
    rollBackDeployment: ["deployment.rolled_back"],
    redeploy: ["deployment.redeployed"],
    splitTraffic: ["deployment.traffic_split"],
    tryDeployment: ["key.tried"],
    stopCanary: ["deployment.canary_stopped"],
    promoteCanary: ["deployment.promoted"],
    uploadSource: ["deployment.uploaded"],
  });
}, 240_000);
