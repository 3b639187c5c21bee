import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { filterOf } from "./requests/filter.ts";
import { RequestList } from "./requests/list.tsx";

const route = getRouteApi("/frame/requests");

export function RequestsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/requests" });
  return (
    <>
      <PageHead title="Requests" actions={<AsCommand call={(api) => api.requests.list(filterOf(search))} />}>
        <p>Requests to your deployments, with the reason of each outcome.</p>
      </PageHead>
      <RequestList
        search={search}
        onSearch={(changes) => navigate({ search: (old) => ({ ...old, ...changes }) as typeof old })}
      />
    </>
  );
}
