import { Badge, type Tone } from "../../../components/badge.tsx";

export function StatusBadge({ status }: { status: number }) {
  return <Badge tone={toneOf(status)}>{status}</Badge>;
}

function toneOf(status: number): Tone {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : status >= 300 ? "grey" : "green";
}
