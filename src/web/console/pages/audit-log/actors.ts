import { useQuery } from "@tanstack/react-query";
import type { Option } from "../../../components/field.tsx";
import { useSession } from "../../queries/session.tsx";

/** The number of recent entries from which actors are collected. */
const looked = 200;

/** Recent actors, and tokens if the role may list them: names for the choice, ids for the filter. */
export function useActors(): Option[] {
  const { api, canAdminister } = useSession();
  const recent = useQuery({
    queryKey: ["audit-log", "actors"],
    queryFn: ({ signal }) => api.auditLog.list({ limit: looked, signal }),
    staleTime: 60_000,
  });
  const tokens = useQuery({
    queryKey: ["tokens", "all"],
    queryFn: ({ signal }) => api.tokens.list({ signal }).all(),
    enabled: canAdminister,
  });
  const known = [...(recent.data ?? []).map(({ actor }) => actor), ...(tokens.data ?? [])];
  const names = new Map(known.map(({ id, name }) => [id, name || id]));
  return [...names].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label));
}
