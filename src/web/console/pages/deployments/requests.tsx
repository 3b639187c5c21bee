import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { RequestList } from "../requests/list.tsx";

const route = getRouteApi("/frame/deployments/$name");

export function DeploymentRequests({ name }: { name: string }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  return (
    <RequestList
      deployment={name}
      search={search}
      onSearch={(changes) => navigate({ to: ".", search: (old: object) => ({ ...old, ...changes, tab: "requests" }) })}
    />
  );
}
