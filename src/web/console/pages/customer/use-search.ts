import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CustomerSearch } from "./search.ts";

/** The search parameters of the page of a customer, which has two addresses: by consumer and by customer key. */
export function useCustomerSearch() {
  const search = useSearch({ strict: false }) as CustomerSearch;
  const navigate = useNavigate();
  const set = (changes: Partial<CustomerSearch>) =>
    void navigate({ to: ".", search: (old: object) => ({ ...old, ...changes }) as never });
  return { search, set };
}
