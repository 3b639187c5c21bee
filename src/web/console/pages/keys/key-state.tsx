import { Badge } from "../../../components/badge.tsx";
import { useNow } from "../../../components/time.tsx";

const soonMs = 7 * 86_400_000;

/** The state of a key in one word. Older servers do not return `isEnabled`. */
export function KeyState({
  expiresOn,
  isEnabled = true,
}: {
  expiresOn: string | null;
  isEnabled?: boolean | undefined;
}) {
  const now = useNow();
  const left = expiresOn === null ? Number.POSITIVE_INFINITY : new Date(expiresOn).getTime() - now;
  if (left <= 0) return <Badge tone="red">Expired</Badge>;
  if (!isEnabled) return <Badge>Disabled</Badge>;
  return left < soonMs ? <Badge tone="amber">Expires soon</Badge> : <Badge tone="green">Active</Badge>;
}
