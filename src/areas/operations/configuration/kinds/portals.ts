import { invalid, Problem } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { canonicalDomain } from "../../../../lib/network/domain-names.ts";
import { saleWarnings } from "../../../customer-portal/portal/plans/sale-warnings.ts";
import { type PortalInput, portalInput } from "../../../customer-portal/portal/schema.ts";
import { openSecret } from "../../../customer-portal/portal/settings/client-secret.ts";
import { deletePortal, findPortal, listPortals, setPortal } from "../../../customer-portal/portal/settings/portals.ts";
import { presentPortal } from "../../../customer-portal/portal/settings/present.ts";
import type { ConfigurationEntry, Existing, Kind } from "../kind.ts";
import { plannedSales } from "./billing-settings.ts";
import { allPages, fieldsOf, secretValue, withoutDefaults } from "./entries.ts";
import { namedBuckets } from "./metering-buckets.ts";

/** The values of omitted fields. */
function defaults() {
  const { title: _, ...omitted } = portalInput.parse({ title: "any" });
  return omitted;
}

interface ProviderEntry {
  issuer: string;
  clientId: string;
  clientSecretFrom: unknown;
}

interface ExistingPortal extends Existing {
  /** The name of its metering bucket, which is the same in another account; an id is not. */
  meteringBucket: string | undefined;
}

/** The portals of key buckets, by the name of the bucket. */
export const portalKind = (keyring: Keyring): Kind => ({
  name: "portals",
  operations: { create: "setPortal", update: "setPortal", delete: "deletePortal" },
  parent: "keyBuckets",
  unordered: ["returnOrigins"],
  async existing(reads, account) {
    const rows = await allPages((paging) => listPortals(reads, account.seq, paging));
    if (rows.length === 0) return [];
    const names = new Map((await namedBuckets(reads, account)).map(({ id, name }) => [id, name]));
    const found: ExistingPortal[] = [];
    for (const { bucket_name: name } of rows) {
      // With its logo, which lists do not have.
      const { portal } = await findPortal(reads, account.seq, name);
      const entry = fieldsOf(portalInput, presentPortal(portal));
      const { meteringBucket } = entry as Partial<PortalInput>;
      found.push({
        id: portal.id,
        name,
        version: portal.version,
        entry,
        storedSecret: () => openSecret(keyring, portal),
        meteringBucket: meteringBucket && (names.get(meteringBucket) ?? meteringBucket),
      });
    }
    return found;
  },
  desired(name, { oidc, ...entry }, secrets, existing) {
    const { host } = entry as Partial<PortalInput>;
    const input = { ...defaults(), ...entry, ...(host !== undefined && { host: canonicalDomain(host) ?? host }) };
    if (oidc === undefined) return { ...name, input };
    const { issuer, clientId, clientSecretFrom } = oidc as ProviderEntry;
    const known = existing?.entry.oidc as Partial<ProviderEntry> | undefined;
    // A stored secret must not be sent to another server.
    const isKnown = known?.issuer === issuer && known.clientId === clientId;
    const value = secretValue(clientSecretFrom, "/oidc/clientSecretFrom", secrets, isKnown ? existing : undefined);
    if (!portalInput.shape.oidc.safeParse({ issuer, clientId, clientSecret: value }).success)
      throw invalid("/oidc/clientSecretFrom", "must have 1 to 1,024 characters");
    const shown = (isChanged: boolean) => ({
      ...input,
      oidc: { issuer, clientId, ...(isChanged && { clientSecret: "changed" }) },
    });
    return { ...name, input: { ...input, oidc: { issuer, clientId, clientSecret: value } }, secret: { value, shown } };
  },
  dumped(existing) {
    const { meteringBucket, name } = existing as ExistingPortal;
    const { oidc } = existing.entry as Partial<PortalInput>;
    // A file has no secrets: this is where the value has to be when it is applied.
    const env = `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_PORTAL_CLIENT_SECRET`.replace(/^(?=\d)/, "_");
    const entry = {
      ...existing.entry,
      ...(meteringBucket && { meteringBucket }),
      ...(oidc && { oidc: { ...oidc, clientSecretFrom: { env } } }),
    };
    return withoutDefaults(entry, defaults());
  },
  async create(transaction, act, { name, input }) {
    return (await setPortal(transaction, act, keyring, name, inputOf(input), isMissing)).id;
  },
  async update(transaction, act, { name }, { input }, precondition) {
    await setPortal(transaction, act, keyring, name, inputOf(input), precondition);
  },
  delete: (transaction, act, { name }, precondition) => deletePortal(transaction, act, name, precondition),
  async remarks(reads, act, { after }, planned) {
    if (!after) return { notes: ["Its sessions end immediately."] };
    return {
      notes: await saleWarnings(reads, act.account.seq, after.name, inputOf(after.input), plannedSales(planned)),
    };
  },
});

const inputOf = (input: ConfigurationEntry) => input as unknown as PortalInput;

/** The precondition of a portal that must not exist. */
const isMissing: Precondition = (current) => {
  if (current) throw new Problem("conflict");
};
