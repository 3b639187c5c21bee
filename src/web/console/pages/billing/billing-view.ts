import type { Filter } from "../../shell/filter-bar.tsx";

/** The search parameters of the billing pages. */
interface BillingSearch {
  bucket?: string;
  tab?: string;
  customer?: string;
  status?: string;
  invoice?: string;
  from?: string;
  sort?: string;
  page?: number;
  new?: boolean;
}

/** What each tab of the billing page gets. */
export interface BillingView {
  bucket: string;
  search: BillingSearch;
  /** Changes search parameters; undefined removes one. */
  set: (changes: { [Name in keyof BillingSearch]?: BillingSearch[Name] | undefined }) => void;
}

/** Filters a list by a customer. */
export const customerFilter = ({ search, set }: Pick<BillingView, "search" | "set">): Filter => ({
  label: "Customer",
  placeholder: "Customer: acme",
  value: search.customer,
  onChange: (customer) => set({ customer, page: undefined }),
});
