import type { z } from "zod";
import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { resolvedTarget } from "../../../../platform/http1/message/target.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { type ConsumerFinder, namedConsumer } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import type { Keys } from "../../../api-keys/keys/keys.ts";
import { findDeployment } from "../deployments.ts";
import type { tryRequestInput, tryRequestResponse } from "./schema.ts";
import type { AssumedKey, TryRequestSender } from "./try-request.ts";

export interface TryRequestServices {
  tryRequests: TryRequestSender;
  storage: Storage;
  keys: Keys;
  consumers: ConsumerFinder;
  urlOf(deploymentName: string): string;
}

/**
 * Sends a request to a deployment of the account. Throws a 404 if there is no such deployment, and a 400 if there is no
 * such key.
 */
export async function sendTryRequest(
  services: TryRequestServices,
  act: Act,
  deploymentName: string,
  { method, path, headers = {}, body, key }: z.output<typeof tryRequestInput>,
): Promise<z.input<typeof tryRequestResponse>> {
  await findDeployment(services.storage.reads, act.account.seq, deploymentName);
  if (body !== undefined && (method === "GET" || method === "HEAD"))
    throw invalid("/body", `is not sent with ${method}`);
  const asKey = key && (await assumedKey(services, act, key));
  const { body: bytes, ...response } = await services.tryRequests.try({
    deploymentName,
    host: new URL(services.urlOf(deploymentName)).host,
    method,
    target: resolvedTarget(path),
    headers: Object.entries(headers),
    body,
    ip: act.ip ?? "",
    asKey,
  });
  return { ...response, ...textOf(bytes) };
}

/** Acting as a consumer is recorded in the audit log before the request is sent. */
async function assumedKey(
  { storage, keys, consumers }: TryRequestServices,
  act: Act,
  { bucketName, consumerName, keyId }: { bucketName: string; consumerName: string; keyId: string },
): Promise<AssumedKey> {
  const { reads } = storage;
  try {
    const address = { accountSeq: act.account.seq, bucketName, consumerName, tags: [] };
    const { consumer } = await consumers.find(reads, address);
    const key = await keys.find(reads, consumer, keyId);
    const resource = { type: "key", id: key.id, parent: namedConsumer(consumer) };
    await storage.write(async (transaction) => recordChange(transaction, act, "key.tried", resource));
    return { id: key.id, bucketSeq: key.bucket_seq, hash: key.hash };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) throw invalid("/key", "is not a key of the account");
    throw error;
  }
}

function textOf(bytes: Uint8Array): { body: string; bodyEncoding: "utf-8" | "base64" } {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), bodyEncoding: "utf-8" };
  } catch {
    return { body: Buffer.from(bytes).toString("base64"), bodyEncoding: "base64" };
  }
}
