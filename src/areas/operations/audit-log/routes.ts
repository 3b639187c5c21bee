import { type AreaContext, areaOf } from "../../../api/area.ts";
import { type CsvColumns, csvTable } from "../../../api/csv.ts";
import { read, stream } from "../../../api/endpoint.ts";
import { type Access, allows, type Role } from "../../../core/access.ts";
import { preferredType } from "../../../lib/http/accept.ts";
import { runInSlices } from "../../../lib/tasks/slices.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { DurableReader } from "../../../platform/storage/change-feed/durable-reader.ts";
import { AuditLog, type ListedEntry } from "./audit-log.ts";
import { trimAuditLog } from "./retention.ts";
import { auditLogQuery, auditVerificationQuery, entries, verification } from "./schema.ts";
import { readerName, Sealer, sealedAtOnce } from "./sealer.ts";
import type { SigningKeys } from "./signing-keys.ts";
import { verifyChain } from "./verification.ts";

/** How often audit log entries are added to the hash chain, and how often signed heads are logged. */
const sealSeconds = 1;
const headSeconds = 10;

const path = "/v1/accounts/{accountName}/audit-log";

export function auditArea({ storage, clock, log, retention, lifecycle }: AreaContext, keys: SigningKeys) {
  const reader = new DurableReader(storage, readerName, { page: sealedAtOnce });
  const auditLog = new AuditLog(reader);
  const sealer = new Sealer({ storage, reader, keys, clock, log });
  // Runs at once: the sealer's first run records where unsealed entries begin.
  lifecycle.everyFromNow(sealSeconds, "audit log", (signal) => sealer.seal(signal));
  lifecycle.every(headSeconds, "audit log heads", () => sealer.signHeads());
  const keptMilliseconds = retention.auditDays * 24 * 60 * 60 * 1000;
  const operations = [
    stream({
      operationId: "listAuditLog",
      method: "GET",
      path,
      summary: "Read the audit log",
      description:
        "The newest entries first; `before` selects the next page. Entries about tokens, members, sessions and trusted issuers are only for " +
        "admins. Also as `text/csv` or `application/jsonl` (one entry per line), selected by `Accept`.",
      access: "read",
      query: auditLogQuery,
      otherTypes: ["text/csv", "application/jsonl"],
      response: entries,
      handle: async ({ reads, account, query, caller, request }) => {
        const { limit, ...filter } = query;
        const hiddenTypes = hiddenTypesOf(caller.role);
        const listed = await auditLog.list(reads, account, { ...filter, hiddenTypes }, limit);
        const found = hiddenTypes.length === 0 ? listed : withoutPacks(listed);
        return (await inOtherType(request, found)) ?? { body: { data: found } };
      },
    }),
    read({
      operationId: "verifyAuditLog",
      path: `${path}/verification`,
      summary: "Verify the audit log",
      description:
        "Verifies the whole chain. It is broken if an entry was changed, removed or truncated after it was sealed.",
      access: "read",
      query: auditVerificationQuery,
      response: verification,
      handle: async ({ reads, account, query, act }) => {
        const unsealed = await auditLog.countUnsealed(reads, account);
        const verified = await verifyChain(reads, account, keys, act.now, query.head);
        return { body: { ...verified, unsealed } };
      },
    }),
  ];
  return areaOf(
    { "Audit log": "Every change with its actor and time, in a hash chain that makes tampering detectable." },
    operations,
    {
      removals: [(signal) => trimAuditLog(storage, clock.now() - keptMilliseconds, signal)],
      catchUp: () => sealer.seal(),
    },
  );
}

async function inOtherType(request: HttpRequest, found: ListedEntry[]): Promise<HttpResponse | undefined> {
  const type = preferredType(request.headers.get("accept"), entryTypes);
  if (type === "application/json") return undefined;
  if (type === "text/csv") return csvTable(columns, found);
  return new HttpResponse(200, new HttpHeaders({ "content-type": type }), await runInSlices(asJsonLines(found)));
}

/** Types of resources that not everyone with access to the log may read, with the access that their own endpoints need. */
const neededAccess: Record<string, Access> = {
  token: "administer",
  member: "administer",
  session: "administer",
  "trusted-issuer": "administer",
};

/** The types of resources whose entries the role may not read. */
function hiddenTypesOf(role: Role): string[] {
  return Object.keys(neededAccess).filter((type) => !allows(neededAccess[type]!, role));
}

/** Removes the packs of a role that may not read all entries: a pack contains the entries beside this one. */
function withoutPacks(entries: ListedEntry[]): ListedEntry[] {
  return entries.map((entry) => {
    if (entry.seal?.pack === undefined) return entry;
    const { pack: _, ...seal } = entry.seal;
    return { ...entry, seal };
  });
}

const columns: CsvColumns<ListedEntry> = {
  id: ({ id }) => id,
  time: ({ time }) => time,
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  resourceType: ({ resource }) => resource.type,
  resourceId: ({ resource }) => resource.id,
  resourceName: ({ resource }) => resource.name,
  requestId: ({ requestId }) => requestId,
  ip: ({ ip }) => ip,
  changes: ({ changes }) => JSON.stringify(changes),
  counts: ({ counts }) => (counts ? JSON.stringify(counts) : undefined),
  isSealed: ({ isSealed }) => isSealed,
  bucketTime: ({ bucketTime }) => bucketTime,
  assistant: ({ assistant }) => assistant,
};

/** Yields after each entry, so that the caller can serve other requests in between. */
function* asJsonLines(entries: ListedEntry[]): Generator<void, string> {
  const lines: string[] = [];
  for (const entry of entries) {
    lines.push(`${JSON.stringify(entry)}\n`);
    yield;
  }
  return lines.join("");
}

/** The default is first. */
const entryTypes = ["application/json", "text/csv", "application/jsonl"] as const;
