import { plural } from "../../lib/format.ts";
import { useRead } from "./session.tsx";

/** How long requests are kept, in words; undefined until it is known. */
export function useRequestRetention(): { days: number | undefined; sentence: string | undefined } {
  const { data } = useRead(["retention"], (api, { signal }) => api.retention({ signal }), {
    staleTime: Number.POSITIVE_INFINITY,
  });
  const days = data?.requestDays;
  if (days === undefined) return { days, sentence: undefined };
  const sentence = days === 0 ? "Requests are not recorded." : `Requests are kept for ${plural(days, "day")}.`;
  return { days, sentence };
}
