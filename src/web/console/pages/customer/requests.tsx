import type { RequestSearch } from "../requests/filter.ts";
import { RequestList } from "../requests/list.tsx";
import { useCustomerSearch } from "./use-search.ts";

/** The requests of a customer. */
export function CustomerRequests({ name, consumerId }: { name: string; consumerId: string | undefined }) {
  const { search, set } = useCustomerSearch();
  const onSearch = (changes: RequestSearch) => set({ ...changes, tab: "requests" });
  return <RequestList consumer={name} consumerId={consumerId} search={search} onSearch={onSearch} />;
}
