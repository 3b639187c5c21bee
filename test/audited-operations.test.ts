import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describedBy, type OperationOfPath, operationsOf } from "../torture/described.ts";
import { isPrepared, prepareBilling, sendGood } from "../torture/who-may/requests.ts";
import { furnishWorld, type World } from "../torture/world.ts";
import { sqlite } from "./support/engines.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { tableContent } from "./support/table-content.ts";

/** Operations with a method other than GET that have no entry in the audit log, and why. */
const unaudited: Record<string, string> = {
  checkDomain: "It only has DNS looked up sooner.",
  verifyKey: "It reads, with a key in its body, or consumes a quota, which is no change.",
  testVersion: "It reads, with the number of a version in its body.",
  planConfiguration: "A plan is no change: it is applied or expires.",
  previewPortal: "It reads, with settings in its body.",
  previewBillingMail: "It reads, with texts in its body.",
  previewPortalMail: "It reads, with texts in its body.",
  previewPlanChange: "It reads, with a change of plans in its body.",
  previewSubscriptionChange: "It reads, with a change of plans in its body.",
  recordUsage: "Usage events are no changes.",
  consumeQuota: "Consumed quotas are no changes.",
  settleHold: "Consumed quotas are no changes.",
  releaseHold: "Consumed quotas are no changes.",
};

/** Only a person who signed in by mail or with a provider can call them: src/areas/access/console-sign-in has their tests. */
const ofInvitedPeople = ["acceptOwnInvitation", "declineInvitation"];

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
  const operations = operationsOf(await describedBy(server)).filter(
    ({ method, operation }) => method !== "GET" && !ofInvitedPeople.includes(operation.operationId),
  );
  const built = await furnishWorld(operator, "built", { isBuilt: true });
  const actions: Record<string, string[]> = {};
  let worlds = 0;
  const newWorld = (isBuilt = false) => furnishWorld(operator, `world-${++worlds}`, { isBuilt });
  let world = await newWorld();
  for (const described of operations) {
    const { operationId } = described.operation;
    const isNew = isPrepared(operationId) || needCanary.includes(operationId);
    if (needVersions.includes(operationId)) world = built;
    else if (isNew || world === built) world = await newWorld(needCanary.includes(operationId));
    let done = await call(described, world);
    if (!isNew && world !== built && (done.status >= 300 || done.recorded.length === 0)) {
      // Operations before it deleted or already made what it needs.
      world = await newWorld();
      done = await call(described, world);
    }
    const { status, text, recorded } = done;
    expect({ operationId, isDone: status < 300, text }).toEqual({ operationId, isDone: true, text });
    for (const { actor, ip, resource } of recorded) {
      expect({ operationId, isWhole: Boolean(actor.type && ip && resource.type && resource.id) }).toEqual({
        operationId,
        isWhole: true,
      });
    }
    actions[operationId] = recorded.map(({ action }) => action);
    // The next consumer would create the bucket again.
    if (operationId === "deleteKeyBucket") world = await newWorld();
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

interface Recorded {
  action: string;
  actor: { type?: string };
  ip?: string;
  resource: { type?: string; id?: string };
  requestId: string;
}

/** Calls an operation, and returns what the audit log has of the request. */
async function call(described: OperationOfPath, world: World) {
  await prepareBilling(operator, described.operation.operationId, world);
  const { status, text, headers } = await sendGood(operator, operator, described, world);
  const requestId = headers.get("x-request-id");
  const changes = await tableContent(server.database, `changes WHERE details LIKE '%${requestId}%'`);
  const recorded = changes
    .map(({ details }) => JSON.parse(details as string) as Recorded)
    .filter((details) => details.requestId === requestId);
  return { status, text, recorded };
}
