import type { AuditEntry } from "../../../client/index.ts";
import type { ChartMark } from "../../components/chart-types.ts";
import { useRead, useSession } from "./session.tsx";

/** Of all changes of deployments. */
const most = 1000;
const activations = ["deployment.succeeded", "deployment.rolled_back"];

/** When versions were activated, from the audit log: the marks of a chart, oldest first. */
export function useActivations(from: string, { deployment }: { deployment?: string } = {}) {
  const { isLimited } = useSession();
  return useRead(
    ["activations", deployment, from],
    async (api, { signal }): Promise<ChartMark[]> => {
      const resource = deployment ?? "deployment";
      const entries = await api.auditLog.list({ action: "deployment.*", resource, from, limit: most, signal });
      return entries
        .filter(({ action }) => activations.includes(action))
        .map((entry) => ({ time: new Date(entry.time).getTime(), label: labelOf(entry, deployment !== undefined) }))
        .sort((one, other) => one.time - other.time);
    },
    {
      // The audit log is not for roles that are limited to projects.
      enabled: !isLimited, // The start of a range moves with time: earlier results are still valid.
      placeholderData: (before) => before,
    },
  );
}

function labelOf({ action, changes }: AuditEntry, isOfOne: boolean): string {
  const after = changes.find(({ pointer }) => pointer === "")?.after as
    | { projectName?: string; version?: number }
    | undefined;
  const version = `v${after?.version ?? "?"}${action === "deployment.rolled_back" ? " (back)" : ""}`;
  return isOfOne ? version : `${after?.projectName ?? ""} ${version}`;
}
