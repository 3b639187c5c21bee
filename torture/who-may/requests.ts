import type { Client, ClientResponse } from "../../test/support/client.ts";
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
  body = goodBody(operation, world),
): Promise<ClientResponse> {
  if (operation.operationId === "uploadSource") return upload(holder, operator, world);
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

/**
 * An upload URL accepts one archive, so each attempt gets its own. All are of one project: queued builds are
 * superseded.
 */
async function upload(holder: Client, operator: Client, { account }: World): Promise<ClientResponse> {
  const { path } = await requestUpload(operator, { accountName: account, project: "uploads", branch: "main" });
  return holder.raw("PUT", path, await projectArchive(handlerProject("hello")));
}
