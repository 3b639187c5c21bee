import { expect } from "bun:test";
import type { TokenRole } from "../src/core/access/access.ts";
import type { Client, ClientResponse } from "../test/support/client.ts";
import { subscriptionInput } from "../test/support/metering.ts";
import { type Branch, build, openApi, requestUpload } from "../test/support/project.ts";

export const tokenRoles: TokenRole[] = ["verifier", "reader", "editor", "admin"];

const project = "orders";

/** An account that has one of everything. */
export interface World {
  account: string;
  /** What can stand in a path of the interface, by the name that the interface's description gives it. */
  parameters: Record<string, string>;
  /** The values of tokens, one of each role. */
  tokens: Record<TokenRole, string>;
  /** A plan that subscriptions may have. */
  plan: { id: string; planExternalId: string };
  /** Of the consumer. */
  key: string;
  /** What the upload address asks for besides its path. */
  uploadToken: string;
}

export interface WorldOptions {
  /** Builds its deployment twice, so that it serves, and has a version to go back to. */
  isBuilt?: boolean;
}

export async function furnishWorld(operator: Client, account: string, options: WorldOptions = {}): Promise<World> {
  const inAccount = `?accountName=${account}`;
  const path = `/v1/accounts/${account}`;
  await done(operator.post("/v1/accounts", { name: account }));
  const tokens = {} as Record<TokenRole, string>;
  for (const role of tokenRoles) tokens[role] = (await done(operator.post(`${path}/tokens`, { role }))).token;
  const spareToken = await done(operator.post(`${path}/tokens`, { role: "reader" }));

  const consumer = await done(
    operator.post(`${path}/key-buckets/main/consumers?with-api-key=true`, {
      name: "acme",
      tags: { plan: "gold" },
      managers: [{ sub: "manager", email: "manager@acme.example" }, "invited@acme.example"],
    }),
  );
  const { id: bucketId } = await done(operator.post(`/v1/metering${inAccount}`));
  const meters = { requests: { max: 1000 } };
  const newPlan = (planExternalId: string) =>
    done(operator.post(`/v1/metering/${bucketId}/plans${inAccount}`, { label: "Gold", planExternalId, meters }));
  const plan = await newPlan("price_world");
  const sparePlan = await newPlan("price_spare");
  const subscription = await done(
    operator.post(`/v1/metering/${bucketId}/subscriptions${inAccount}`, subscriptionInput([plan])),
  );
  const place: Branch = { accountName: account, project, branch: "main" };
  if (options.isBuilt) for (const version of ["one", "two"]) await built(operator, place, version);
  const upload = await requestUpload(operator, place);
  const deployments = await done(operator.get(`${path}/projects/${project}/deployments`));
  return {
    account,
    parameters: {
      accountName: account,
      tokenId: spareToken.id,
      bucketName: "main",
      consumerName: "acme",
      keyId: consumer.apiKeys[0].id,
      managerId: consumer.managers[0].id,
      inviteId: consumer.managerInvites[0].id,
      bucketId,
      planId: sparePlan.id,
      subscriptionId: subscription.id,
      projectName: project,
      deploymentName: deployments.data[0].name,
      statusId: upload.statusId,
      archive: `${upload.statusId}.tar.gz`,
    },
    tokens,
    plan,
    key: consumer.apiKeys[0].key,
    uploadToken: upload.path.split("?token=")[1]!,
  };
}

/** A project that needs nothing to answer. */
export function handlerProject(answer: string) {
  return {
    "openapi.json": openApi({ "/hello": { "x-tollgate": { handler: "modules/hello.ts" } } }),
    "modules/hello.ts": `export default () => new Response(${JSON.stringify(answer)});`,
  };
}

async function built(operator: Client, place: Branch, version: string): Promise<void> {
  const { status } = await build(operator, place, handlerProject(version));
  expect(status).toMatchObject({ status: "SUCCESS" });
}

async function done(answer: Promise<ClientResponse>): Promise<ClientResponse["body"]> {
  const { status, text, body } = await answer;
  expect({ status, text }).toEqual({ status: 200, text });
  return body;
}
