import type { QueryKey } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Tollgate } from "../../../client/index.ts";
import { pageSize } from "../../components/table.tsx";
import { useRead } from "./session.tsx";

type Paging = { limit: number; offset: number; signal: AbortSignal };

/** A page of a list, for `<List>`. The address names the page, counted from 1. */
export function usePaged<Page extends { total: number }>(
  queryKey: QueryKey,
  read: (api: Tollgate, paging: Paging) => Promise<Page>,
  { size = pageSize, ...options }: Parameters<typeof useRead<Page>>[2] & { size?: number } = {},
) {
  const navigate = useNavigate();
  const { page = 1 } = useSearch({ strict: false });
  const query = useRead(
    [...queryKey, page],
    (api, { signal }) => read(api, { limit: size, offset: (page - 1) * size, signal }),
    options,
  );
  const onPage = (next: number) => navigate({ to: ".", search: (old: object) => ({ ...old, page: next }) });
  return { ...query, paging: { page, size, onPage } };
}
