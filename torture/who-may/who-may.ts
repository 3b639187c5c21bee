import { expect } from "bun:test";
import type { Role } from "../../src/core/access.ts";
import type { Client, ClientResponse } from "../../test/support/client.ts";
import type { Engine } from "../../test/support/engines.ts";
import { operatorToken } from "../../test/support/server-settings.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { ChangeDetector, openDatabaseState } from "../database-state.ts";
import { type DescribedOperation, describedBy, type OperationOfPath, operationsOf } from "../described.ts";
import { expectStatus } from "../expect-status.ts";
import type { Part, Torture } from "../part.ts";
import { furnishWorld, type World } from "../world.ts";
import { type Credential, credentialsOf, type HolderKind, holderIn } from "./credentials.ts";
import { isPrepared, prepareBilling, sendGood, withCanary } from "./requests.ts";

/** These return information about the caller and not about an account: any token is allowed. */
const aboutTheCaller = new Set(["whoAmI", "listInvitations", "acceptOwnInvitation", "declineInvitation"]);

/** Only people who signed in by mail or with a provider have invitations: for a token none exists. */
const ofInvitedPeople = new Set(["acceptOwnInvitation", "declineInvitation"]);

/** Operations that need a built deployment, and can be repeated. */
const onBuilt = new Set([
  "redeploy",
  "promoteDeployment",
  "rollBackDeployment",
  "splitTraffic",
  "stopCanary",
  "promoteCanary",
  "testVersion",
  "tryDeployment",
]);

/** Their body or their address comes from another operation on the same resource. */
const hasOtherBody = new Set(["moveClock", "uploadSource"]);

const done = [200, 202, 204];

/** An operation in a world where others were called before, which may have deleted or changed what it needs. Never 403. */
const wornOut = [400, 404, 409];

/**
 * Calls every operation of /openapi.json with every kind of credential: exactly the described ones are allowed, and the
 * others change nothing. Undescribed endpoints are not served (other tests check that), so a new endpoint is included
 * automatically.
 */
export const whoMay: Part = async (torture) => {
  await Promise.all(torture.effort.whoMayEngines.map((engine) => whoMayOn(engine, torture)));
};

async function whoMayOn(engine: Engine, { effort, report }: Torture): Promise<void> {
  const database = await engine.migratedDatabase();
  const server = await spawnServer(engine, { database });
  const { client } = server;
  const operator = client.as(operatorToken);
  const operations = operationsOf(await describedBy(server));
  const ours = await furnishWorld(operator, "ours", { isBuilt: true });
  const others = await furnishWorld(operator, "others");
  const credentials = await credentialsOf(operator, ours, others);
  const state = await openDatabaseState(database);
  const changes = new ChangeDetector(state);
  const isIdle = async () => !(await state.isWorking());
  let [passed, rejected, foreign, worlds] = [0, 0, 0, 0];
  const newWorld = () => furnishWorld(operator, `world-${++worlds}`);
  /** The calls that change something: the first of each operation, then the second of each, and so on. */
  const rounds: Call[][] = [];

  for (const [index, each] of operations.entries()) {
    const { operation, method } = each;
    const isOpen = operation.security?.length === 0;
    // Before the rejections, which must not change anything.
    await withCanary(operator, operation.operationId, ours);
    const may = (credential: Credential) => isOpen || passes(credential, operation);
    const denied = credentials.filter((credential) => !may(credential));
    const invalid = denied.filter(({ kind }) => kind === "nobody");
    const valid = denied.filter(({ kind }) => kind !== "nobody");
    for (const credential of [
      ...invalid.slice(0, 1),
      ...someOf(invalid.slice(1), effort.whoMayInvalid, index),
      ...valid,
    ]) {
      await changes.look();
      const response = await sendGood(credential.as(client), operator, each, ours);
      const what = `${operation.operationId} with ${credential.name}`;
      expectStatus(response, rejections(credential), what);
      expect(response.body).toMatchObject({ status: response.status, code: expect.stringMatching(/^\w+$/) });
      expect([what, await changes.look()]).toEqual([what, []]);
      rejected += 1;
    }
    for (const name of hasOtherBody.has(operation.operationId) ? [] : foreignParameters(each, ours, others)) {
      await changes.look();
      const parameters = { ...ours.parameters, [name]: others.parameters[name]! };
      const response = await sendGood(client.as(ours.tokens.admin), operator, each, { ...ours, parameters });
      const what = `${operation.operationId} with the ${name} of another account`;
      expectStatus(response, [404], what);
      expect([what, await changes.look()]).toEqual([what, []]);
      foreign += 1;
    }
    const isOfPeople = ofInvitedPeople.has(operation.operationId);
    const isRead = method === "GET" || isOfPeople;
    const allowed = credentials.filter(may);
    const callers = isRead ? allowed : someOf(allowed, effort.whoMayChanges, index);
    for (const [round, credential] of callers.entries()) {
      if (isRead || isOpen || onBuilt.has(operation.operationId)) {
        const response = await sendGood(credential.as(client), operator, each, ours);
        expectStatus(response, isOfPeople ? [404] : done, `${operation.operationId} with ${credential.name}`);
        passed += 1;
      } else {
        rounds[round] ??= [];
        rounds[round].push({ each, credential });
      }
    }
    // A build continues to change the database.
    if (method !== "GET") await until(isIdle, { withinMs: 30_000, what: "builds and jobs to end" });
  }

  for (const round of rounds) {
    let world: World | undefined;
    for (const { each, credential } of deletionsLast(round)) {
      const { operationId } = each.operation;
      const isReused = world !== undefined && !isPrepared(operationId);
      if (!isReused) world = await newWorld();
      let response = await callIn(operator, world!, kindOf(credential), each);
      if (isReused && wornOut.includes(response.status)) {
        world = await newWorld();
        response = await callIn(operator, world, kindOf(credential), each);
      }
      expectStatus(response, done, `${operationId} with ${credential.name}`);
      if (operationId === "deleteAccount") world = undefined;
      passed += 1;
    }
  }
  await until(isIdle, { withinMs: 30_000, what: "builds and jobs to end" });
  await state.close();
  await server.stop();
  await database.drop();
  report(
    `${engine.name}: ${operations.length} operations × ${credentials.length} credentials: ` +
      `${passed} passed (in ${worlds} accounts), ${rejected} were rejected and changed nothing, and so were ` +
      `${foreign} with an id of another account`,
  );
}

/** The parameters of a path that have another value in another account, except the account itself. */
function foreignParameters({ template }: OperationOfPath, ours: World, others: World): string[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return names.filter((name) => name !== "accountName" && ours.parameters[name] !== others.parameters[name]);
}

interface Call {
  each: OperationOfPath;
  credential: Credential;
}

/** What an operation deletes, others need: first what is inside of something else. */
function deletionsLast(calls: Call[]): Call[] {
  const rank = ({ each: { method, template } }: Call) => (method === "DELETE" ? -template.split("/").length : -100);
  return calls.toSorted((one, other) => rank(one) - rank(other));
}

/** Calls an operation with a new holder in a world. */
async function callIn(
  operator: Client,
  world: World,
  kind: HolderKind,
  each: OperationOfPath,
): Promise<ClientResponse> {
  const holder = await holderIn(operator, world, kind);
  await prepareBilling(operator, each.operation.operationId, world);
  return sendGood(holder, operator, each, world);
}

/** At most `count` of them, beginning with another one for each operation. */
function someOf<Item>(all: Item[], count: number, index: number): Item[] {
  const first = index % all.length;
  return [...all.slice(first), ...all.slice(0, first)].slice(0, count);
}

function passes({ kind }: Credential, operation: DescribedOperation): boolean {
  if (kind === "nobody" || kind === "outsider") return false;
  if (aboutTheCaller.has(operation.operationId)) return true;
  if (kind === "stranger") return false;
  const { role, project } = kind;
  if (!project) return rolesOf(operation).includes(role);
  if (!isForProjects(operation)) return false;
  return isOfNoProject.has(operation.operationId) || (project.isOurs && rolesOf(operation).includes(project.role));
}

/** Operations that show nothing of other projects. */
const isOfNoProject = new Set(["getAccount", "getRetention", "listAccountDeployments"]);

function isForProjects({ description }: DescribedOperation): boolean {
  return description.includes("Also with a role in the project.");
}

function kindOf({ kind, name }: Credential): HolderKind {
  if (typeof kind !== "object") throw new Error(`${name} is of no role.`);
  return kind;
}

function rolesOf({ operationId, description }: DescribedOperation): Role[] {
  const [, roles] = /^Roles: (.+)\.$/m.exec(description) ?? [];
  if (roles === undefined) throw new Error(`The description of ${operationId} does not name who may call it.`);
  return roles.split(", ") as Role[];
}

/** A resource of another account must look like one that does not exist. */
function rejections({ kind }: Credential): number[] {
  if (kind === "nobody") return [401, 429];
  return typeof kind === "string" ? [403, 404] : [403];
}
