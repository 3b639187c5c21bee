import type { Reads } from "../../../platform/storage/storage.ts";
import { presentRequest } from "../../request-log/present.ts";
import { listRequests, type StoredRequest } from "../../request-log/requests.ts";

interface Selection {
  consumerId: string;
  /** The deployments of the portal: customers do not see requests to others. */
  deployments: readonly string[];
  outcome?: "failed" | undefined;
  before?: string | undefined;
  limit: number;
}

/** The newest requests of a customer. `apiOf` returns the title of a deployment. */
export async function customerRequests(
  reads: Reads,
  accountSeq: number,
  { outcome, ...selection }: Selection,
  now: number,
  apiOf: (deployment: string) => string,
) {
  const statuses = outcome === "failed" ? ([400, 599] as const) : undefined;
  const { data } = await listRequests(reads, { accountSeq }, { ...selection, statuses }, now);
  return data.filter(({ consumerId }) => consumerId === selection.consumerId).map((request) => present(request, apiOf));
}

/** Without what only concerns the business: the addresses of upstreams, errors of code, and policies that passed. */
function present(request: StoredRequest, apiOf: (deployment: string) => string) {
  const { id, time, requestId, method, path, status, durationMs, keyId, ip, code, detail, decisions } =
    presentRequest(request);
  // Its detail names members of the upstream's response.
  const isOfResponse = code === "response_invalid";
  return {
    id,
    time,
    requestId,
    method,
    path,
    status,
    durationMs,
    ...(keyId === undefined ? {} : { keyId }),
    ...(ip === undefined ? {} : { ip }),
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined || isOfResponse ? {} : { detail }),
    api: apiOf(request.deployment),
    decisions: decisions.filter(({ outcome }) => outcome === "rejected" && !isOfResponse),
  };
}
