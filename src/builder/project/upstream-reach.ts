import { type EgressMode, isRejectedLiteral } from "../../platform/egress/addresses.ts";
import type { Located } from "../documents/located.ts";

/**
 * Warns about an upstream that the server's egress mode blocks. Not an error: the same project may be built for a
 * server that allows it.
 */
export function warnOfUpstream(upstream: Located | undefined, egress: EgressMode): void {
  for (const target of upstream?.member("targets")?.items() ?? []) warnOfUpstream(target.member("url"), egress);
  if (typeof upstream?.value !== "string" || !URL.canParse(upstream.value)) return;
  if (!isRejectedLiteral(egress, upstream.value)) return;
  const { host } = new URL(upstream.value);
  const reason =
    egress === "public"
      ? "the operator of this server allows deployments to reach only public addresses (TOLLGATE_EGRESS=public)"
      : "deployments may not reach link-local and metadata addresses";
  upstream.warning(`requests to ${host} will get 502: ${reason}`);
}
