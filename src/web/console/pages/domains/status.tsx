import type { Domain } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";

const statuses: Record<Domain["status"], { label: string; tone: Tone }> = {
  pending: { label: "Waiting for DNS", tone: "amber" },
  active: { label: "Active", tone: "green" },
  failing: { label: "Failing", tone: "red" },
};

export function DomainStatus({ status }: Pick<Domain, "status">) {
  const { label, tone } = statuses[status];
  return <Badge tone={tone}>{label}</Badge>;
}
