import {
  Activity,
  Boxes,
  FileText,
  Globe,
  KeyRound,
  type LucideIcon,
  ReceiptText,
  Rocket,
  Route,
  UserRound,
  Users,
  Webhook,
} from "lucide-react";
import { shownKey } from "../../lib/format.ts";
import { type Found, partsOf } from "../queries/found.ts";

export const foundKinds: Record<Found["type"], { label: string; icon: LucideIcon }> = {
  consumer: { label: "Consumers", icon: Users },
  deployment: { label: "Deployments", icon: Rocket },
  route: { label: "Routes", icon: Route },
  plan: { label: "Plans", icon: Boxes },
  subscription: { label: "Subscriptions", icon: ReceiptText },
  invoice: { label: "Invoices", icon: FileText },
  key: { label: "Keys", icon: KeyRound },
  domain: { label: "Domains", icon: Globe },
  webhook: { label: "Webhooks", icon: Webhook },
  member: { label: "Members", icon: UserRound },
  request: { label: "Requests", icon: Activity },
};

/** What a result is called. */
export const nameOfFound = ({ type, name, displayName, id }: Found): string =>
  displayName ?? ((type === "key" ? shownKey(name) : name) || id);

/** Where the result is, unless its name contains it, and what tells it from others. */
export function detailOfFound({ type, path, id, name, displayName, detail }: Found): string | undefined {
  const parts = partsOf(path);
  const place =
    type === "consumer"
      ? [displayName && name, parts[3]].filter(Boolean).join(" · ")
      : type === "key"
        ? `${parts[5]} · ${parts[3]}`
        : type === "plan" || type === "subscription"
          ? id
          : undefined;
  return [place, type === "key" || detail === name ? undefined : detail].filter(Boolean).join(" · ") || undefined;
}
