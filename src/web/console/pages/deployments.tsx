import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Rocket, Upload } from "lucide-react";
import type { Deployment } from "../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { type Column, Pager, pageSize, Table } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { command } from "../../lib/shell.ts";
import { useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { DeployDialog } from "./deployments/deploy-dialog.tsx";
import { DeploymentState } from "./deployments/state.tsx";

const route = getRouteApi("/frame/deployments");

export function DeploymentsPage() {
  const { api, canEdit, deniedEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/deployments" });
  const page = search.page ?? 1;
  const deployments = useQuery({
    queryKey: ["deployments", search.project, page],
    queryFn: ({ signal }) =>
      api.deployments
        .listAll({
          ...(search.project ? { project: search.project } : {}),
          limit: pageSize,
          offset: (page - 1) * pageSize,
          signal,
        })
        .page(),
    refetchInterval: 10_000,
  });
  const columns: Column<Deployment>[] = [
    {
      label: "Project",
      render: ({ name, projectName }) => (
        <Link className="row-link" to="/deployments/$name" params={{ name }}>
          {projectName}
        </Link>
      ),
    },
    { label: "Branch", render: ({ branchName }) => <span className="mono">{branchName}</span> },
    {
      label: "Environment",
      isMinor: true,
      render: ({ environmentType }) =>
        environmentType === "PRODUCTION" ? (
          <Badge tone="accent">Production</Badge>
        ) : (
          <Badge tone="amber">Preview</Badge>
        ),
    },
    { label: "State", render: (deployment) => <DeploymentState deployment={deployment} /> },
    {
      label: "Address",
      render: ({ url }) => (
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      ),
    },
    { label: "Changed", render: ({ updatedOn }) => <RelativeTime time={updatedOn} /> },
  ];
  const deploy = () => navigate({ search: (old) => ({ ...old, new: true }) });
  return (
    <>
      <PageHead
        title="Deployments"
        actions={
          <>
            <AsCommand request={{ path: "/v1/deployments" }} command={command("deployments", "list")} />
            <Button kind="primary" denied={deniedEdit} onClick={deploy}>
              <Upload size={16} aria-hidden />
              Deploy…
            </Button>
          </>
        }
      >
        <p>Gateway projects, each branch under a host name of its own.</p>
      </PageHead>
      {search.project && (
        <div className="filters">
          <span className="chip">project: {search.project}</span>
          <Link to="/deployments" search={{}}>
            Show all
          </Link>
        </div>
      )}
      {deployments.error ? (
        <LoadError error={deployments.error} onRetry={() => deployments.refetch()} />
      ) : deployments.data?.total === 0 ? (
        <EmptyState
          icon={<Rocket size={20} aria-hidden />}
          title="Nothing is deployed yet"
          action={
            <>
              <Code text={"tollgate init my-gateway\ntollgate deploy my-gateway"} />
              <Button kind="primary" denied={deniedEdit} onClick={deploy}>
                Deploy an archive
              </Button>
            </>
          }
        >
          A gateway project is an OpenAPI document that says which policies guard each route and where it leads. Deploy
          one and it responds at once.
        </EmptyState>
      ) : (
        <>
          <Table
            caption="Deployments"
            columns={columns}
            rows={deployments.data?.data}
            keyOf={({ name }) => name}
            onOpen={({ name }) => navigate({ to: "/deployments/$name", params: { name } })}
            skeletonRows={4}
          />
          <Pager
            page={page}
            total={deployments.data?.total}
            onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
          />
        </>
      )}
      {search.new && canEdit && (
        <DeployDialog
          onClose={() => navigate({ search: ({ new: _, ...old }) => old })}
          onDeployed={(name) => navigate({ to: "/deployments/$name", params: { name } })}
        />
      )}
    </>
  );
}
