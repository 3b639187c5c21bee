import { subscriptionInput } from "../test/support/metering.ts";
import type { DescribedOperation } from "./described.ts";
import type { World } from "./world.ts";

let count = 0;
const unused = (name: string) => `${name}-${++count}`;

const mountsOf = (deploymentName: unknown) => ({
  mounts: [
    { path: "/", deploymentName },
    { path: "/v2", deploymentName, stripPath: true },
  ],
});

/** Bodies for operations whose example does not work: names that are taken, ids that do not exist. */
const bodies: Record<string, (world: World) => unknown> = {
  createAccount: () => ({ name: unused("made") }),
  inviteMember: () => ({ email: `${unused("person")}@acme.example`, role: "editor" }),
  createKeyBucket: () => ({ name: unused("bucket") }),
  createConsumer: () => ({
    name: unused("consumer"),
    apiKeys: [{ key: unused("a-key-of-my-own-making") }, {}],
    managers: ["invited@acme.example", { sub: "manager" }],
  }),
  createKeys: () => [{ key: unused("a-key-of-my-own-making") }, { description: "generated" }],
  createPlan: () => ({ label: "Gold", planExternalId: unused("price"), meters: { requests: { max: 1 } } }),
  createWebhook: () => ({ url: "http://127.0.0.1:9/", events: ["key.*"] }),
  planConfiguration: () => ({ configuration: { version: 1 } }),
  applyConfiguration: ({ parameters }) => ({ planId: parameters.configurationPlanId }),
  createDomain: ({ parameters: { deploymentName } }) => ({
    host: `${unused("host")}.example`,
    ...mountsOf(deploymentName),
  }),
  promoteDeployment: ({ staging }) => ({ from: staging }),
  tryDeployment: ({ parameters: { bucketName, consumerName, keyId } }) => ({
    method: "POST",
    path: "/?page=1",
    headers: { "content-type": "application/json" },
    body: "{}",
    key: { bucketName, consumerName, keyId },
  }),
  updateDomain: ({ parameters: { deploymentName } }) => mountsOf(deploymentName),
  setPortal: () => ({ title: "Weather" }),
  previewPortal: () => ({ title: "Weather" }),
  createPortalSession: ({ parameters: { consumerName } }) => ({
    consumerName,
    subject: "user",
    scopes: ["keys:read", "usage:read"],
  }),
  viewPortal: ({ parameters: { consumerName } }) => ({ consumerName }),
  createSubscription: ({ plan }) => subscriptionInput([plan]),
  changeSubscriptionPlans: ({ plan }) => ({ planExternalIds: [plan.planExternalId] }),
  previewSubscriptionChange: ({ plan }) => ({ planExternalIds: [plan.planExternalId] }),
  purchaseSubscription: ({ plan }) => ({
    customerKey: unused("customer"),
    planExternalIds: [plan.planExternalId],
    returnUrl: "https://app.example.com/",
  }),
  purchasePack: () => ({ packExternalId: "pack_world", returnUrl: "https://app.example.com/" }),
  settleHold: () => ({ meters: { requests: 1 } }),
  creditInvoice: () => ({ lines: [{ description: "Outage", amount: "0.01" }] }),
  previewPlanChange: ({ plan }) => ({ planExternalIds: [plan.planExternalId] }),
  requestSourceUpload: ({ account }) => ({ accountName: account, projectName: "orders", branchName: "main" }),
  rollBackDeployment: () => ({ version: 1 }),
};

/** A valid body, from the description wherever possible. */
export function goodBody(operation: DescribedOperation, world: World): unknown {
  const example = operation.requestBody?.content["application/json"]?.example;
  return bodies[operation.operationId]?.(world) ?? example;
}
