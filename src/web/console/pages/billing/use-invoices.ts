import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Invoice, ListInvoicesOptions } from "../../../../client/index.ts";
import { pageSize } from "../../../components/table.tsx";
import { useSession } from "../../queries/session.tsx";

export type InvoiceFilter = Pick<ListInvoicesOptions, "customerKey" | "status" | "subscriptionId">;

/** A page of invoices, the newest first: the API lists the oldest first. */
export function useInvoices(bucket: string | undefined, filter: InvoiceFilter, page = 1) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["invoices", bucket, filter, page],
    queryFn: async ({ signal }): Promise<{ data: Invoice[]; total: number }> => {
      const invoices = api.invoices(bucket!);
      const { total } = await invoices.list({ ...filter, limit: 1, signal }).page();
      const end = Math.max(total - (page - 1) * pageSize, 0);
      const offset = Math.max(end - pageSize, 0);
      if (end === offset) return { data: [], total };
      const { data } = await invoices.list({ ...filter, limit: end - offset, offset, signal }).page();
      return { data: data.toReversed(), total };
    },
    enabled: bucket !== undefined,
    placeholderData: keepPreviousData,
  });
}

/** More unpaid invoices are not read. */
export const maxUnpaid = 1000;

/** All invoices that somebody owes, the oldest first. */
export function useUnpaid(bucket: string | undefined) {
  const { api } = useSession();
  return useQuery({
    queryKey: ["invoices", bucket, "unpaid"],
    queryFn: async ({ signal }) => {
      const pages = (["open", "uncollectible"] as const).map((status) =>
        api.invoices(bucket!).list({ status, limit: maxUnpaid, signal }).page(),
      );
      const [open, givenUp] = await Promise.all(pages);
      return { data: [...open!.data, ...givenUp!.data], total: open!.total + givenUp!.total };
    },
    enabled: bucket !== undefined,
  });
}
