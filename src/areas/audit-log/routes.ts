import { csvResponse } from "../../api/csv.ts";
import { read, stream } from "../../api/endpoint.ts";
import { preferredType } from "../../lib/http/accept.ts";
import { runInSlices } from "../../lib/tasks/slices.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { AuditLog, ListedEntry } from "./audit-log.ts";
import { asJsonLines, csvColumns, csvRows, entryTypes } from "./render.ts";
import { auditLogQuery, auditVerificationQuery, entries, verification } from "./schema.ts";
import type { SigningKeys } from "./signing-keys.ts";
import { verifyChain } from "./verification.ts";
import { hiddenTypesOf, withoutPacks } from "./visibility.ts";

export const auditAreas = {
  "Audit log": "Every change with its actor and time, in a hash chain that makes tampering detectable.",
};

const area = "Audit log";
const path = "/v1/accounts/{accountName}/audit-log";

export function auditRoutes(auditLog: AuditLog, keys: SigningKeys) {
  return [
    stream({
      operationId: "listAuditLog",
      method: "GET",
      path,
      area,
      summary: "Read the audit log",
      description:
        "The newest entries first; `before` selects the next page. Entries about tokens, members, sessions and trusted issuers are only for " +
        "admins. Also as `text/csv` or `application/jsonl` (one entry per line), selected by `Accept`.",
      access: "read",
      query: auditLogQuery,
      otherTypes: ["text/csv", "application/jsonl"],
      response: entries,
      handle: async ({ reads, account, query, caller }, request) => {
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
      area,
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
}

async function inOtherType(request: HttpRequest, found: ListedEntry[]): Promise<HttpResponse | undefined> {
  const type = preferredType(request.headers.get("accept"), entryTypes);
  if (type === "application/json") return undefined;
  if (type === "text/csv") return csvResponse(csvColumns, csvRows(found));
  return new HttpResponse(200, new HttpHeaders({ "content-type": type }), await runInSlices(asJsonLines(found)));
}
