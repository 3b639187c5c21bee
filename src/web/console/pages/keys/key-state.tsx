import type { ApiKey } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Skeleton } from "../../../components/notice.tsx";
import { useNow } from "../../../components/time.tsx";
import { formatDateTime, formatDay, formatNumber, plural } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";

const soonMs = 7 * 86_400_000;
/** Changes of a key among which the one that disabled it is found. */
const looked = 50;

/** The state of a key in one word, and who disabled it. */
export function KeyState({ id, expiresOn, isEnabled }: Pick<ApiKey, "id" | "expiresOn" | "isEnabled">) {
  const now = useNow();
  const left = expiresOn === null ? Number.POSITIVE_INFINITY : new Date(expiresOn).getTime() - now;
  if (left <= 0) return <Badge tone="red">Expired</Badge>;
  if (!isEnabled) return <Disabled id={id} />;
  return left < soonMs ? <Badge tone="amber">Expires soon</Badge> : <Badge tone="green">Active</Badge>;
}

function Disabled({ id }: { id: string }) {
  const entry = useRead(["audit-log", "disabled", id], async (api, { signal }) => {
    const entries = await api.auditLog.list({ resource: id, limit: looked, signal });
    const isCause = ({ changes }: (typeof entries)[number]) => changes.some(({ pointer }) => pointer === "/isEnabled");
    return entries.find(isCause) ?? entries.find(({ action }) => action === "key.created") ?? null;
  });
  const { actor, time } = entry.data ?? {};
  return (
    <>
      <Badge>Disabled</Badge>
      <div className="small muted truncate">
        {entry.isPending ? (
          <Skeleton width={120} />
        ) : actor && time ? (
          <span title={formatDateTime(time)}>{`${formatDay(time)} by ${actor.name ?? actor.type}`}</span>
        ) : (
          "Not in the audit log"
        )}
      </div>
    </>
  );
}

/** The permissions, allowed IP addresses and rate limit of a key, abbreviated. The tooltip has them in full. */
export function KeyRules({ apiKey: { permissions, allowedIps, rateLimit } }: { apiKey: ApiKey }) {
  const limit = rateLimit && `${formatNumber(rateLimit.requests)} in ${formatNumber(rateLimit.windowSeconds)} s`;
  const parts = [
    permissions?.length === 1 ? permissions[0]! : permissions && plural(permissions.length, "permission"),
    allowedIps?.length === 1 ? allowedIps[0]! : allowedIps && plural(allowedIps.length, "address", "addresses"),
    limit,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  const all = [permissions?.join(", "), allowedIps?.join(", "), limit].filter(Boolean).join("; ");
  return <span title={all}>{parts.join(" · ")}</span>;
}
