import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { command } from "../../lib/shell.ts";
import { useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { filterOf, type RequestSearch } from "./requests/filter.ts";
import { RequestList } from "./requests/list.tsx";

const route = getRouteApi("/frame/requests");

export function RequestsPage() {
  const { account } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/requests" });
  return (
    <>
      <PageHead
        title="Requests"
        actions={<AsCommand request={{ path: pathOf(account, search) }} command={commandOf(search)} />}
      >
        <p>Requests to your deployments, with the reason of each outcome.</p>
      </PageHead>
      <RequestList
        search={search}
        onSearch={(changes) => navigate({ search: (old) => ({ ...old, ...changes }) as typeof old })}
      />
    </>
  );
}

function pathOf(account: string, search: RequestSearch): string {
  const { deployment, ...filter } = filterOf(search);
  const query = new URLSearchParams(filter as Record<string, string>).toString();
  const path = deployment ? `/v1/deployments/${deployment}/requests` : `/v1/accounts/${account}/requests`;
  return query === "" ? path : `${path}?${query}`;
}

function commandOf(search: RequestSearch): string {
  const { q, requestId, ...filter } = filterOf(search);
  const options = { ...filter, "request-id": requestId, path: q };
  const words = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return command("requests", "list", ...words);
}
