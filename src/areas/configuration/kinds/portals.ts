import { Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { canonicalDomain } from "../../../lib/network/domain-names.ts";
import { type PortalInput, portalInput } from "../../portal/schema.ts";
import { deletePortal, findPortal, listPortals, setPortal } from "../../portal/settings/portals.ts";
import { presentPortal } from "../../portal/settings/present.ts";
import type { Entry, Existing, Kind } from "../kind.ts";
import { allPages, fieldsOf, withoutDefaults } from "./entries.ts";
import { namedBuckets } from "./metering-buckets.ts";

const { title: _, ...defaults } = portalInput.parse({ title: "any" });

interface ExistingPortal extends Existing {
  /** The name of its metering bucket, which is the same in another account; an id is not. */
  meteringBucket: string | undefined;
}

/** The portals of key buckets, by the name of the bucket. */
export const portals: Kind = {
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
        meteringBucket: meteringBucket && (names.get(meteringBucket) ?? meteringBucket),
      });
    }
    return found;
  },
  desired(name, entry) {
    const { host } = entry as Partial<PortalInput>;
    return {
      ...name,
      input: { ...defaults, ...entry, ...(host !== undefined && { host: canonicalDomain(host) ?? host }) },
    };
  },
  dumped(existing) {
    const { meteringBucket } = existing as ExistingPortal;
    return withoutDefaults({ ...existing.entry, ...(meteringBucket && { meteringBucket }) }, defaults);
  },
  async create(transaction, act, { name, input }) {
    return (await setPortal(transaction, act, name, inputOf(input), isMissing)).id;
  },
  async update(transaction, act, { name }, { input }, precondition) {
    await setPortal(transaction, act, name, inputOf(input), precondition);
  },
  delete: (transaction, act, { name }, precondition) => deletePortal(transaction, act, name, precondition),
  async remarks(_reads, _act, { action }) {
    return action === "delete" ? { notes: ["Its sessions end immediately."] } : {};
  },
};

const inputOf = (input: Entry) => input as unknown as PortalInput;

/** The precondition of a portal that must not exist. */
const isMissing: Precondition = () => {
  throw new Problem("conflict");
};
