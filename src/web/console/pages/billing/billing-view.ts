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
