import { keepPreviousData } from "@tanstack/react-query";
import type { Invoice, ListInvoicesOptions } from "../../../../client/index.ts";
import { pageSize } from "../../../components/table.tsx";
import { useRead } from "../../queries/session.tsx";

type InvoiceFilter = Pick<ListInvoicesOptions, "customerKey" | "status" | "subscriptionId">;

type Read<Item> = (paging: { limit: number; offset: number }) => Promise<{ data: Item[]; total: number }>;

/** A page of a list, the newest first: the API lists the oldest first. */
export async function newestFirst<Item>(page: number, read: Read<Item>): Promise<{ data: Item[]; total: number }> {
  const { total } = await read({ limit: 1, offset: 0 });
  const end = Math.max(total - (page - 1) * pageSize, 0);
  const offset = Math.max(end - pageSize, 0);
  if (end === offset) return { data: [], total };
  const { data } = await read({ limit: end - offset, offset });
  return { data: data.toReversed(), total };
}

export function useInvoices(bucket: string | undefined, filter: InvoiceFilter, page = 1) {
  return useRead(
    ["invoices", bucket, filter, page],
    (api, { signal }) =>
      newestFirst(page, (paging) =>
        api
          .invoices(bucket!)
          .list({ ...filter, ...paging, signal })
          .page(),
      ),
    { enabled: bucket !== undefined, placeholderData: keepPreviousData },
  );
}

/** The maximum number of invoices that are added up: the limit of a list. */
const maxAdded = 1000;

const unpaidStatuses = ["open", "uncollectible"] as const;

/** A page of the invoices that are not paid: the open ones, then those that were given up, the oldest first. */
export function useUnpaid(bucket: string, page: number) {
  return useRead(
    ["invoices", bucket, "unpaid", page],
    async (api, { signal }): Promise<{ data: Invoice[]; total: number }> => {
      const data: Invoice[] = [];
      let total = 0;
      for (const status of unpaidStatuses) {
        const offset = Math.max((page - 1) * pageSize - total, 0);
        // A list has at least one invoice for its total.
        const limit = Math.max(pageSize - data.length, 1);
        const read = await api.invoices(bucket).list({ status, offset, limit, signal }).page();
        total += read.total;
        if (data.length < pageSize) data.push(...read.data);
      }
      return { data, total };
    },
    { placeholderData: keepPreviousData },
  );
}

/** The sums of the unpaid invoices of a bucket, or of some of its customers. */
export interface Owed {
  open: Invoice[];
  givenUp: Invoice[];
  /** The number of open invoices, which may be more than are read. */
  openTotal: number;
  givenUpTotal: number;
}

/** The unpaid invoices to add up. `customers`: only those of up to 100 customers. */
export function useOwed(bucket: string, customers?: string[]) {
  return useRead(
    ["invoices", bucket, "owed", customers],
    async (api, { signal }): Promise<Owed> => {
      const filter = customers === undefined ? {} : { customerKeys: customers };
      const pages = unpaidStatuses.map((status) =>
        api
          .invoices(bucket)
          .list({ ...filter, status, limit: maxAdded, signal })
          .page(),
      );
      const [open, givenUp] = await Promise.all(pages);
      return { open: open!.data, givenUp: givenUp!.data, openTotal: open!.total, givenUpTotal: givenUp!.total };
    },
    { enabled: customers === undefined || customers.length > 0, placeholderData: keepPreviousData },
  );
}

/** A customer of a metering bucket. */
export function useCustomer(bucket: string, key: string) {
  return useRead(["customer", bucket, key], (api, { signal }) => api.customers(bucket).get(key, { signal }));
}

/** The subscriptions of a customer. */
export function useSubscriptionsOf(bucket: string, customer: string) {
  return useRead(["subscriptions", bucket, "of-customer", customer], (api, { signal }) =>
    api.subscriptions(bucket).list({ customerKey: customer, limit: 100, signal }).page(),
  );
}

/** The credits of a customer, the oldest first. */
export function useGrants(bucket: string, customer: string) {
  return useRead(["grants", bucket, customer], (api, { signal }) =>
    api.grants(bucket, customer).list({ signal }).all(),
  );
}

/** The credit packs of a bucket, in the order of the portal. */
export function usePacks(bucket: string) {
  return useRead(["credit-packs", bucket], async (api, { signal }) => {
    const packs = await api.creditPacks(bucket).list({ signal }).all();
    return packs.sort((a, b) => a.position - b.position);
  });
}
