import type { Client, ClientResponse } from "../../test/support/client.ts";
import { planInput, subscriptionInput, unique } from "../../test/support/metering.ts";
import { projectArchive, requestUpload } from "../../test/support/project.ts";
import { filledPath, type OperationOfPath } from "../described.ts";
import { goodBody } from "../good-body.ts";
import { handlerProject, type World } from "../world.ts";

/** What is deleted with all that is in it. */
const forced = new Set(["deleteKeyBucket", "deleteMeteringBucket"]);

/** Sends a valid request, generated from the description wherever possible, or one with another body. */
export async function sendGood(
  holder: Client,
  operator: Client,
  { method, template, operation }: OperationOfPath,
  world: World,
  given?: unknown,
): Promise<ClientResponse> {
  if (operation.operationId === "uploadSource") return upload(holder, operator, world);
  const body =
    given ??
    (await bodyOfClock(operator, operation.operationId, world)) ??
    (await withCanary(operator, operation.operationId, world)) ??
    goodBody(operation, world);
  const path = filledPath(template, (name) => {
    const value = world.parameters[name];
    if (value === undefined) throw new Error(`${template} has a {${name}} that torture/world.ts does not make yet.`);
    return value;
  });
  const query = new URLSearchParams();
  if (operation.parameters.some(({ name, in: where }) => name === "accountName" && where === "query"))
    query.set("accountName", world.account);
  if (forced.has(operation.operationId)) query.set("force", "true");
  if (operation.operationId === "search") query.set("q", "acme");
  const text = body === undefined ? undefined : JSON.stringify(body);
  return holder.raw(method, query.size > 0 ? `${path}?${query}` : path, text);
}

/** They need two versions, and all but the first a canary release. */
const canaryOperations = new Set(["splitTraffic", "stopCanary", "promoteCanary", "testVersion"]);

/** Begins a canary release if the operation needs one, and returns the body of the operation if it names versions. */
export async function withCanary(
  operator: Client,
  operationId: string,
  { account, parameters }: World,
): Promise<unknown> {
  if (!canaryOperations.has(operationId)) return undefined;
  const path = `/v1/deployments/${parameters.deploymentName}/traffic?accountName=${account}`;
  const { liveVersionNumber: live, splits = [] } = (await operator.get(path)).body;
  if (live === undefined) return undefined;
  const canary = live === 1 ? 2 : 1;
  const split = {
    splits: [
      { versionNumber: live, weight: 90 },
      { versionNumber: canary, weight: 10 },
    ],
    stickyBy: "credential",
    abort: { errorShare: 0.5, minimumRequests: 1000 },
  };
  if (operationId === "splitTraffic") return split;
  if (splits.length < 2) await operator.raw("PUT", path, JSON.stringify(split));
  return operationId === "testVersion" ? { versionNumber: live } : undefined;
}

/** Operations that need a new world, which `prepareBilling` prepares. */
export const isPrepared = (operationId: string) => preparedOperations.has(operationId);
const preparedOperations = new Set(["resumeSubscription", "pauseSubscription", "finalizeInvoice", "confirmInvoice"]);

/** Before an operation that needs more than a world has: a draft, a payment method, or a subscription that will be canceled. */
export async function prepareBilling(operator: Client, operationId: string, { account, parameters }: World) {
  const inAccount = `?accountName=${account}`;
  const bucket = `/v1/metering/${parameters.bucketId}`;
  if (operationId === "resumeSubscription")
    await operator.post(`${bucket}/subscriptions/${parameters.subscriptionId}/$cancel${inAccount}`);
  // A cancellation replaces a scheduled change, and is undone like a pause.
  if (operationId === "pauseSubscription")
    for (const action of ["$cancel", "$resume"])
      await operator.post(`${bucket}/subscriptions/${parameters.subscriptionId}/${action}${inAccount}`);
  if (operationId === "confirmInvoice") {
    const invoice = await operator.get(`${bucket}/invoices/${parameters.invoiceId}${inAccount}`);
    const method = `${bucket}/customers/${invoice.body.customerKey}/payment-method${inAccount}`;
    await operator.raw("PUT", method, JSON.stringify({ type: "sandbox", behavior: "needs-action" }));
  }
  if (operationId !== "finalizeInvoice") return;
  const { body: plan } = await operator.post(`${bucket}/plans${inAccount}`, ratedPlan());
  const input = subscriptionInput([plan], { customerKey: unique("payer") });
  const { body } = await operator.post(`${bucket}/subscriptions${inAccount}`, input);
  await operator.post(`${bucket}/clock${inAccount}`, { now: body.nextBillingCycle });
  const query = `&subscriptionId=${body.id}&status=draft`;
  const { data } = (await operator.get(`${bucket}/invoices${inAccount}${query}`)).body;
  parameters.invoiceId = data[0].id;
}

function ratedPlan() {
  return planInput({
    price: { currency: "EUR", amount: "10.00", interval: "month" },
    rates: { requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.01" }] } },
  });
}

/** The clock moves forward only. */
async function bodyOfClock(operator: Client, operationId: string, { account, parameters }: World): Promise<unknown> {
  if (operationId !== "moveClock") return undefined;
  const { clock } = (await operator.get(`/v1/metering/${parameters.bucketId}?accountName=${account}`)).body;
  return { now: clock };
}

/**
 * An upload URL accepts one archive, so each attempt gets its own. All are of one project: queued builds are
 * superseded.
 */
async function upload(holder: Client, operator: Client, { account }: World): Promise<ClientResponse> {
  const { path } = await requestUpload(operator, { accountName: account, project: "uploads", branch: "main" });
  return holder.raw("PUT", path, await projectArchive(handlerProject("hello")));
}
