import { RequestList } from "../requests/list.tsx";
import { useCustomerSearch } from "./use-search.ts";

/** The requests of a customer. */
export function CustomerRequests({ name }: { name: string }) {
  const { search, set } = useCustomerSearch();
  return <RequestList consumer={name} search={search} onSearch={(changes) => set({ ...changes, tab: "requests" })} />;
}
