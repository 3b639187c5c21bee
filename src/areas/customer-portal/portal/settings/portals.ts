import { createHash } from "node:crypto";
import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { type FieldError, ifFound, invalidFields, notFound, Problem } from "../../../../core/problems/problem.ts";
import { isOfOtherBucket } from "../../../../counting/quotas/customer-place.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { newId } from "../../../../lib/ids.ts";
import { canonicalDomain } from "../../../../lib/network/domain-names.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findKeyBucket, findKeyBucketIfAny, type KeyBucket } from "../../../api-keys/key-buckets/key-buckets.ts";
import { findMeteringBucket, type MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { listPlans } from "../../../commerce/plans/plans.ts";
import { findDeploymentIfAny } from "../../../gateways/deployments/deployments.ts";
import { ownsHost } from "../../../gateways/domains/domains.ts";
import { type Logo, parseLogo } from "../logo.ts";
import type { PortalInput } from "../schema.ts";
import * as store from "../store.ts";
import { sealedSecret } from "./client-secret.ts";
import { type PortalSettings, presentPortal, settingsOf } from "./present.ts";

export type Portal = store.PortalRow;

/** Returns the portal of a bucket. Throws 404 if the bucket does not exist or has none. */
export async function findPortal(reads: Reads, accountSeq: number, bucketName: string) {
  const bucket = await findKeyBucket(reads, accountSeq, bucketName);
  return { bucket, portal: existing(await store.findPortal(reads, bucket.seq)) };
}

/** Returns the portal of a bucket that is served. Undefined if there is none. */
export async function findEnabledPortal(reads: Reads, accountSeq: number, bucketName: string) {
  const bucket = await findKeyBucketIfAny(reads, accountSeq, bucketName);
  const portal = bucket && (await store.findPortal(reads, bucket.seq));
  return portal?.is_enabled === 1 ? portal : undefined;
}

/** The enabled portal of the customers of a metering bucket, the oldest of several. */
export async function portalOfMeteringBucket(reads: Reads, { id, name, account_seq }: MeteringBucket) {
  const { data } = await store.listPortals(reads, account_seq, { limit: 1000, offset: 0 });
  return data.find((each) => {
    const { meteringBucket } = settingsOf(each);
    return each.is_enabled === 1 && meteringBucket !== undefined && [id, name].includes(meteringBucket);
  });
}

export { listPortals } from "../store.ts";

/** The logo of an enabled portal. */
export async function findLogo(reads: Reads, id: string): Promise<Logo | undefined> {
  const logo = await store.findLogo(reads, id);
  return logo?.logo ? { type: logo.logo_type!, bytes: Buffer.from(logo.logo) } : undefined;
}

/** Creates the portal of a bucket, or replaces its settings. */
export async function setPortal(
  transaction: WriteTransaction,
  act: Act,
  keyring: Keyring,
  bucketName: string,
  input: PortalInput,
  precondition: Precondition,
): Promise<Portal> {
  const bucket = await findKeyBucket(transaction, act.account.seq, bucketName);
  // Two portals of an account must not both find a host free, nor a bucket without a portal.
  await transaction.lock(`portals of ${act.account.id}`);
  const before = await store.findPortalForUpdate(transaction, bucket.seq);
  precondition(before);
  const host = await checked(transaction, act, bucketName, input);
  if (host !== null && (await store.isHostTaken(transaction, act.account.seq, host, bucket.seq)))
    throw new Problem("portal_host_taken");
  const client_secret = sealedSecret(keyring, before, input.oidc);
  const values = { host, ...stored(input), client_secret, updated_on: act.now };
  if (!before) return insert(transaction, act, bucket, values);
  await transaction.update("portals", before.seq, { ...values, version: before.version + 1 });
  const after = existing(await store.findPortal(transaction, bucket.seq));
  const snapshots = { before: shown(before), after: shown(after), changed: changedHidden(before, after) };
  recordChange(
    transaction,
    act,
    "portal.updated",
    { ...namedPortal(after, bucket), ...snapshots },
    placeOf(after, bucket),
  );
  return after;
}

async function insert(
  transaction: WriteTransaction,
  act: Act,
  bucket: KeyBucket,
  values: ReturnType<typeof stored> & Pick<Portal, "host" | "client_secret" | "updated_on">,
): Promise<Portal> {
  const id = newId("prtl", act.now);
  await transaction.insert("portals", {
    ...values,
    id,
    account_seq: act.account.seq,
    bucket_seq: bucket.seq,
    name: nameOf(bucket.name, id),
    version: 1,
    created_on: act.now,
  });
  const created = existing(await store.findPortal(transaction, bucket.seq));
  const resource = { ...namedPortal(created, bucket), after: shown(created) };
  recordChange(transaction, act, "portal.created", resource, placeOf(created, bucket));
  return created;
}

/** Ends its sessions too. */
export async function deletePortal(
  transaction: WriteTransaction,
  act: Act,
  bucketName: string,
  precondition: Precondition,
): Promise<void> {
  const bucket = await findKeyBucket(transaction, act.account.seq, bucketName);
  const portal = existing(await store.findPortalForUpdate(transaction, bucket.seq));
  precondition(portal);
  await transaction.delete("portals", portal.seq);
  const resource = { ...namedPortal(portal, bucket), before: shown(portal) };
  recordChange(transaction, act, "portal.deleted", resource, placeOf(portal, bucket));
}

/** The resource in changes. */
export function namedPortal({ id }: Pick<Portal, "id">, bucket: { id: string; name: string }) {
  return { type: "portal", id, name: bucket.name, parent: { type: "bucket", id: bucket.id, name: bucket.name } };
}

/** Checks what the settings name, and returns the host. */
async function checked(reads: Reads, act: Act, bucketName: string, input: PortalInput): Promise<string | null> {
  const errors: FieldError[] = [];
  const host = input.host === undefined ? null : (canonicalDomain(input.host) ?? "");
  if (host !== null && (host === "" || !(await ownsHost(reads, act.account.seq, host))))
    errors.push({ pointer: "/host", detail: "must be the host of a verified custom domain of the account" });
  for (const [index, name] of input.deployments.entries())
    if (!(await findDeploymentIfAny(reads, act.account.seq, name)))
      errors.push({ pointer: `/deployments/${index}`, detail: "is no deployment of the account" });
  const { meteringBucket, plans, signUp, allowedDomains = [] } = input;
  const bucket =
    meteringBucket === undefined
      ? undefined
      : await ifFound(findMeteringBucket(reads, act.account.seq, meteringBucket));
  if (meteringBucket !== undefined && !bucket)
    errors.push({ pointer: "/meteringBucket", detail: "is no metering bucket of the account" });
  if (isOfOtherBucket(bucket?.key_bucket, bucketName)) {
    const detail = `has the consumers of key bucket ${bucket!.key_bucket} as its customers`;
    errors.push({ pointer: "/meteringBucket", detail });
  }
  if (signUp === "domains" && allowedDomains.length === 0)
    errors.push({ pointer: "/allowedDomains", detail: "must name a domain, because signUp is domains" });
  for (const name of ["signUpPlan", "recommendedPlan", "plans"] as const)
    if (input[name] !== undefined && meteringBucket === undefined)
      errors.push({ pointer: `/${name}`, detail: "needs a meteringBucket" });
  const named = { signUpPlan: input.signUpPlan, recommendedPlan: input.recommendedPlan };
  const listed = plans?.map((plan, index) => [`plans/${index}`, plan] as const) ?? [];
  for (const [pointer, plan] of [...Object.entries(named), ...listed])
    if (plan !== undefined && bucket && !(await hasPlan(reads, bucket, plan)))
      errors.push({ pointer: `/${pointer}`, detail: "is no planExternalId of the metering bucket" });
  if (errors.length > 0) throw invalidFields(errors);
  return host;
}

async function hasPlan(reads: Reads, bucket: MeteringBucket, planExternalId: string): Promise<boolean> {
  return (await listPlans(reads, bucket, planExternalId, { limit: 1, offset: 0 })).data.length > 0;
}

/** Without a metering bucket whose customers are the consumers of another key bucket: these are not customers of it. */
export async function withOwnCustomers<Settings extends Pick<PortalSettings, "meteringBucket">>(
  reads: Reads,
  accountSeq: number,
  bucketName: string,
  settings: Settings,
): Promise<Settings> {
  if (settings.meteringBucket === undefined) return settings;
  const found = await ifFound(findMeteringBucket(reads, accountSeq, settings.meteringBucket));
  return isOfOtherBucket(found?.key_bucket, bucketName) ? { ...settings, meteringBucket: undefined } : settings;
}

function stored({ isEnabled, host: _, logo, oidc, ...rest }: PortalInput) {
  const image = logo === undefined ? undefined : (parseLogo(logo) as Logo);
  const { issuer, clientId } = oidc ?? {};
  const settings: PortalSettings = issuer === undefined ? rest : { ...rest, oidc: { issuer, clientId: clientId! } };
  return {
    is_enabled: isEnabled ? 1 : 0,
    settings: JSON.stringify(settings),
    logo: image?.bytes ?? null,
    logo_type: image?.type ?? null,
  };
}

/** The image is not part of the audit log. */
function shown(portal: Portal) {
  const { logo: _, ...rest } = presentPortal(portal);
  return rest;
}

/** Changed fields that are not shown. */
function changedHidden(before: Portal, after: Portal): string[] {
  const isSame = (one: Uint8Array | null, other: Uint8Array | null) =>
    Buffer.from(one ?? []).equals(Buffer.from(other ?? []));
  return [
    ...(isSame(before.logo, after.logo) ? [] : ["/logo"]),
    ...(isSame(before.client_secret, after.client_secret) ? [] : ["/oidc/clientSecret"]),
  ];
}

function placeOf({ name, host, is_enabled }: Portal, bucket: KeyBucket) {
  return { bucketId: bucket.id, name, host, isEnabled: is_enabled === 1 };
}

/** A DNS label: the name of the bucket as far as it fits, and a part that makes it unique. */
function nameOf(bucketName: string, id: string): string {
  const slug = bucketName.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  const code = createHash("sha256").update(id).digest("hex").slice(0, 7);
  return `${slug.slice(0, 40).replace(/-$/, "") || "portal"}-${code}`;
}

function existing(portal: Portal | undefined): Portal {
  if (!portal) throw notFound("portal");
  return portal;
}
