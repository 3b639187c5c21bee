import { useNavigate, useSearch } from "@tanstack/react-router";
import type { customerSearchNames } from "../../queries/search-names.ts";

/** The search parameters of the page of a customer. */
export type CustomerSearch = { [Name in (typeof customerSearchNames)[number]]?: string | undefined } & {
  page?: number | undefined;
};

/** Former names of tabs, which saved links contain. */
const formerTabs: Record<string, string> = { managers: "people", details: "overview" };

/** The tab that the address opens. A link to a key opens the keys, one to an invoice or a subscription the billing. */
export function namedTabOf({ tab, key, invoice, subscription, request }: CustomerSearch): string | undefined {
  if (tab !== undefined) return formerTabs[tab] ?? tab;
  if (key !== undefined) return "keys";
  if (invoice !== undefined || subscription !== undefined) return "billing";
  return request === undefined ? undefined : "requests";
}

/** The search parameters of the page of a customer, which has two addresses: by consumer and by customer key. */
export function useCustomerSearch() {
  const search = useSearch({ strict: false }) as CustomerSearch;
  const navigate = useNavigate();
  const set = (changes: Partial<CustomerSearch>) =>
    void navigate({ to: ".", search: (old: object) => ({ ...old, ...changes }) as never });
  return { search, set };
}
