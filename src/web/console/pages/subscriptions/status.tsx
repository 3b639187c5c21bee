import type { Subscription } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";

export type Status = Subscription["status"];

export const statuses: Status[] = [
  "active",
  "trialing",
  "past-due",
  "unpaid",
  "inactive",
  "incomplete",
  "incomplete-expired",
  "canceled",
];

const tones: Partial<Record<Status, Tone>> = {
  active: "green",
  trialing: "accent",
  "past-due": "amber",
  unpaid: "amber",
  canceled: "red",
};

export const statusLabel = (status: string) => (status[0]!.toUpperCase() + status.slice(1)).replace("-", " ");

export function SubscriptionStatus({ status }: { status: Status }) {
  return <Badge tone={tones[status] ?? "grey"}>{statusLabel(status)}</Badge>;
}
